// exthost_rest: detects an idle process tree and reads CPU times.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// Whether a process tree is idle: two scans find every thread asleep, stopped or dead, and no thread ran in between. A
/// tree of more than 256 processes is never idle.
///
/// - Parameters:
///   - root: the pid of the tree's root.
///   - digest: set to a hash of the threads and of how often each was scheduled.
///   - busy: a thread that the last scan found running, or 0. The scan checks it first, and sets it to a thread that
///     runs now, or 0.
bool exthost_tree_rests(pid_t root, uint64_t *digest, pid_t *busy);

/// The CPU times of one thread since its start, in nanoseconds. `ran` is time on a CPU. `waited` is time in the run
/// queue, or 0 if the kernel does not report it.
///
/// With a negative number, which is that of a process, `ran` is the time of the children that it has waited for. That
/// value has a resolution of 10 ms.
struct exthost_times {
    pid_t number;
    uint64_t ran, waited;
};

/// Gets the times of each thread of a process, up to `room` entries. With `is_tree` it includes all processes below,
/// and an entry for the children of each. Returns the number of entries.
int exthost_times(pid_t root, bool is_tree, struct exthost_times *times, int room);
