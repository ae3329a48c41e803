// exthost_gnu: calls that glibc declares only for _GNU_SOURCE, or in headers that Swift's Glibc module omits.

#ifndef EXTHOST_GNU_H
#define EXTHOST_GNU_H

#include <stddef.h>
#include <sys/types.h>

/// O_PATH of open(2). Its value depends on the architecture.
extern const int exthost_open_path_only;

/// Accepts a connection (accept4(2)). Returns a close-on-exec, non-blocking descriptor or a negative errno.
int exthost_accept(int socket);

/// Fills a buffer with random bytes: getrandom(2) without flags. Returns the number of bytes or a negative errno.
ssize_t exthost_random(void *buffer, size_t count);

#endif
