// exthost_landlock: asks landlock_create_ruleset(2), by its number, for the version of Landlock.

#define _GNU_SOURCE
#include "exthost_landlock.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif

enum { create_ruleset_version = 1 };

int exthost_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, create_ruleset_version);
    return version < 0 ? -errno : (int)version;
}
