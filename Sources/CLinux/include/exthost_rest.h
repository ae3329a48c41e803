// exthost_rest.h: whether anything runs in a tree of processes, and for how long it has.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// Whether every thread of `root` and of all below it sleeps, is stopped or is dead, twice in a row without having run
/// in between; false also of more than 256 processes. `digest` then stands for the threads and how often each was put
/// on a processor. `busy` is a thread that ran at the look before, or 0, and is looked at first; afterwards it is one
/// that kept the tree from rest, or 0.
bool exthost_tree_rests(pid_t root, uint64_t *digest, pid_t *busy);

/// What the kernel has counted of one thread since it began, in nanoseconds: on a processor, and ready to run with none
/// free; the latter 0 where the kernel does not say. With a process's number made negative: what the children ran that
/// it has waited for, to a hundredth of a second.
struct exthost_times {
    pid_t number;
    uint64_t ran, waited;
};

/// Each thread of a process, and with `is_tree` of all below it and what their children ran; of the first `room` at the
/// most. Returns how many.
int exthost_times(pid_t root, bool is_tree, struct exthost_times *times, int room);
