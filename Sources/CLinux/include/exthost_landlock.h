// landlock_create_ruleset(2), which glibc does not wrap.

#ifndef EXTHOST_LANDLOCK_H
#define EXTHOST_LANDLOCK_H

/// The version of Landlock that the kernel has, 1 or more, or a negative errno: ENOSYS where it is not built in,
/// EOPNOTSUPP where it is switched off.
int exthost_landlock_version(void);

#endif
