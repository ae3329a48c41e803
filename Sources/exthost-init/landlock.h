// The Landlock ruleset of a confined program (landlock(7)).

#ifndef EXTHOST_LANDLOCK_RULES_H
#define EXTHOST_LANDLOCK_RULES_H

#include "policy.h"

/// Makes the ruleset, by paths as they are now: after the view is entered. A descriptor, or a negative errno. The
/// program may also read /proc.
int make_ruleset(const struct policy *policy);

/// In the child, between clone and exec, by a bare system call. 0 or a positive errno.
int restrict_self(int ruleset);

#endif
