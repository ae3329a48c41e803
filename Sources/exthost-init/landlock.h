// The Landlock ruleset of a confined program (landlock(7)).

#ifndef EXTHOST_LANDLOCK_RULES_H
#define EXTHOST_LANDLOCK_RULES_H

#include "policy.h"

/// Makes the ruleset, by paths as they are now: after the view is entered. A descriptor, or a negative errno. With a view the program may
/// also use all of its /proc.
int make_ruleset(const struct policy *policy);

/// In the child, between clone and exec, by bare system calls: adds the caller's own entry of /proc where the whole is the host's, and puts
/// the ruleset on. 0 or a positive errno.
int restrict_self(int ruleset, bool has_view);

#endif
