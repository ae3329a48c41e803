// exthost_rest.h: whether anything runs in a tree of processes, and for how long it has.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// Whether every thread of `root` and of all below it sleeps, is stopped or is dead, twice in a row without having run in between; false also of more
/// than 256 processes. `digest` then stands for
/// the threads and how often each was put on a processor. `busy` is a thread that ran at the look before, or 0, and is looked at first; afterwards it is one
/// that kept the tree from rest, or 0.
bool exthost_tree_rests(pid_t root, uint64_t *digest, pid_t *busy);

/// Nanoseconds that `root` and all below it have been on a processor, those included that they have waited for; to a tick, a hundredth of a second.
/// Less than before where something has gone that nobody waited for.
uint64_t exthost_tree_ran(pid_t root);

/// Nanoseconds that the threads of a process have waited for a processor, all together; 0 where the kernel does not say. Less than before where
/// a thread has ended.
uint64_t exthost_process_waited(pid_t process);
