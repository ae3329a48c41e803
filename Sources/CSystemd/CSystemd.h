/* CSystemd: the headers of libsystemd that the loop uses: sd-event, sd-bus, sd-daemon and sd-journal. */
#pragma once
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>
