// exthost_landlock: landlock_create_ruleset(2), which glibc does not wrap.

#ifndef EXTHOST_LANDLOCK_H
#define EXTHOST_LANDLOCK_H

/// Returns the kernel's version of Landlock, 1 or more, or a negative errno: -ENOSYS if it is not built in, -EOPNOTSUPP
/// if it is disabled.
int exthost_landlock_version(void);

#endif
