/* What the loop uses of libsystemd: sd-event, sd-bus, sd-daemon, sd-journal. */
#pragma once
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>
