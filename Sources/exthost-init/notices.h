// notices: reports to the daemon what an extension was refused, while it runs.
//
// A notice is one packet on the status socket: the letter D, then four strings, each ended by a zero byte:
//
// 1. the layer that refused
// 2. the system call
// 3. "w" if the call would have changed a file, else empty
// 4. the object: a path or the family of a socket; empty if the call alone is clear
//
// Equal notices are sent once. A process sends at most NOTICES notices of at most NOTICE_BYTES each. They wait in the
// socket until the daemon reads them, and leave room for the final report.

#ifndef EXTHOST_NOTICES_H
#define EXTHOST_NOTICES_H

#include <stdint.h>

#include "policy.h"

enum { NOTICES = 64, NOTICE_BYTES = 512 };
/// The total number of inotify instances that a program may create, if the kernel counts them for all of the user's
/// processes. It is half of the 128 that a user has by default. The current number is unknown, because a descriptor can
/// wait in a socket.
enum { WATCHES = 64 };

struct notices {
    int listener;  // the filter's (seccomp_unotify(2)), -1: none
    int signals;
    int report;
    const struct policy *policy;
    int watches;  // created so far
    int count;
    uint64_t told[NOTICES];
};

/// Takes over the listener. Returns the descriptor for signals, or -1.
int take_listener(struct notices *notices, int listener, int report, const struct policy *policy);

/// Waits for the next signal and answers refused calls meanwhile. Returns the signal's number, or -1.
int wait_for_signal(struct notices *notices);

#endif
