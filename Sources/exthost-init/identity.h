// identity: switches to the user for whom a daemon that runs as root starts PROGRAM.
//
// The switch happens after the exec, not between the daemon's clone and the exec. Before the exec the child shares the
// memory of the suspended daemon. A process of that user could then stop the child or read its memory (kill(2),
// ptrace(2)).

#ifndef EXTHOST_IDENTITY_H
#define EXTHOST_IDENTITY_H

#include <stdbool.h>

/// Waits for the daemon's byte on `status` and switches to the ids. Does not return if the daemon has exited.
///
/// - Parameters:
///   - groups: the group, then the supplementary groups, separated by commas.
///   - is_confined: keeps the capabilities for a view in a user namespace of root's. All others are dropped.
/// - Returns: 0, or a step and errno (confine.h).
int become_user(const char *user, const char *groups, int status, bool is_confined);

#endif
