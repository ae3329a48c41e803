"""bench: the entry point of Scripts/bench."""

import sys

import driver

sys.exit(driver.main())
