// Calls that glibc declares for _GNU_SOURCE only, or in headers that Swift's Glibc module leaves out.

#ifndef EXTHOST_GNU_H
#define EXTHOST_GNU_H

#include <stddef.h>
#include <sys/types.h>

/// O_PATH of open(2), whose value depends on the architecture.
extern const int exthost_open_path_only;

/// accept4(2), close-on-exec and non-blocking; a descriptor or a negative errno.
int exthost_accept(int socket);

/// getrandom(2) without flags; a count or a negative errno.
ssize_t exthost_random(void *buffer, size_t count);

#endif
