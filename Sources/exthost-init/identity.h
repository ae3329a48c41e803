// The user for whom a daemon with root's rights starts PROGRAM.
//
// The switch is made here, after the exec, and not between the daemon's clone and it: there the child shares the
// daemon's memory while the daemon stands still, and a process of that user could stop the child, or look into it
// (kill(2), ptrace(2)).

#ifndef EXTHOST_IDENTITY_H
#define EXTHOST_IDENTITY_H

#include <stdbool.h>

/// Waits for the daemon's word on `status` and takes on the ids: `groups` is the group and, after commas, the
/// supplementary ones. In a user namespace of root's what it takes to make a view is kept if it `is_confined`, and
/// nothing else of root's rights anywhere. 0, or a step and errno (confine.h). Does not return where the daemon has
/// gone.
int become_user(const char *user, const char *groups, int status, bool is_confined);

#endif
