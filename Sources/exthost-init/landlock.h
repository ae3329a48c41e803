// landlock: the Landlock ruleset of a confined program (landlock(7)).

#ifndef EXTHOST_LANDLOCK_RULES_H
#define EXTHOST_LANDLOCK_RULES_H

#include "policy.h"

/// Makes the ruleset from paths; call it after the process has entered the view. The program may also read /proc.
/// Returns a descriptor or a negative errno.
int make_ruleset(const struct policy *policy);

/// Enforces the ruleset, in the child between clone and exec, by a raw system call. Returns 0 or a positive errno.
int restrict_self(int ruleset);

#endif
