// exthost_openat2: opens files by openat2(2), called by its number.
//
// The structure and the flags are the kernel's. They are copied here for headers older than the call.

#define _GNU_SOURCE
#include "exthost_openat2.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

struct how {
    uint64_t flags, mode, resolve;
};

enum { resolve_no_magiclinks = 0x02, resolve_no_symlinks = 0x04, resolve_beneath = 0x08, resolve_cached = 0x20 };

int exthost_open_beneath(int directory, const char *path) {
    struct how how = {
        .flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
        .resolve = resolve_no_magiclinks | resolve_no_symlinks | resolve_beneath,
    };
    long descriptor = syscall(SYS_openat2, directory, path, &how, sizeof how);
    return descriptor < 0 ? -errno : (int)descriptor;
}

int exthost_open_without_links(const char *path) {
    struct how how = {.flags = O_PATH | O_CLOEXEC, .resolve = resolve_no_magiclinks | resolve_no_symlinks};
    long descriptor = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    return descriptor < 0 ? -errno : (int)descriptor;
}

int exthost_is_there(const char *path) {
    struct how how = {.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW, .resolve = resolve_cached};
    long descriptor = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    if (descriptor < 0) return -errno;
    close((int)descriptor);
    return 0;
}
