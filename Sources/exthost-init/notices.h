// What an extension was refused, told to the daemon while it runs.
//
// A notice is one packet on the status socket: the letter D, then four strings, each ended by a zero byte: the layer
// that refused, the system call, "w" where it would have changed a file (else empty), and what it was about (a path,
// the family of a socket; empty where the call itself says it all). The same is told once, and at most NOTICES
// different ones of a process, of at most NOTICE_BYTES each: they wait in the socket until the daemon reads them,
// beside the report of the end, which must find room.

#ifndef EXTHOST_NOTICES_H
#define EXTHOST_NOTICES_H

#include <stdint.h>

#include "policy.h"

enum { NOTICES = 64, NOTICE_BYTES = 512 };
/// How many inotify instances a program may make in all, where the kernel counts them for all of the user's processes:
/// half of the 128 that a user has by default. Nobody can see how many it still has: a descriptor can wait in a socket.
enum { WATCHES = 64 };

struct notices {
    int listener;  // of the filter (seccomp_unotify(2)), -1: none
    int signals;
    int report;
    const struct policy *policy;
    int watches;  // made so far
    int count;
    uint64_t told[NOTICES];
};

/// Begins to listen; the descriptor by which signals are waited for meanwhile, or -1.
int take_listener(struct notices *notices, int listener, int report, const struct policy *policy);

/// The next signal, or -1; refused calls are answered on the way.
int wait_for_signal(struct notices *notices);

#endif
