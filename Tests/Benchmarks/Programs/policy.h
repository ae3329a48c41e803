// policy: a policy for exthost-init with all layers of confinement, for harnesses that launch a child like the daemon.

#ifndef EXTHOST_BENCH_POLICY_H
#define EXTHOST_BENCH_POLICY_H

#include "bench.h"

#include <sys/mman.h>
#include <sys/stat.h>

enum { NAMESPACES = 1, LANDLOCK = 2, SECCOMP = 4, NETWORK = 8 };

static inline void record(FILE *file, const char *verb, const char *first, const char *second) {
    fprintf(file, "%s%c%s%c%s%c", verb, 0, first, 0, second, 0);
}

/// Writes a policy with the layers of `what` into memory. The program is in the folder `bundle` (or NULL), and may
/// write to `container`. It may also read the paths in $EXTHOST_BENCH_READ: the folder of Swift's libraries, which the
/// daemon finds in the program.
static inline int policy(int what, const char *bundle, const char *container) {
    static const char *const folders[] = {
        "/bin", "/etc/alternatives", "/etc/ld.so.cache", "/lib", "/lib32", "/lib64", "/sbin", "/usr"};
    static const char *const devices[] = {"/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"};
    int memory = memfd_create("policy", MFD_CLOEXEC);
    FILE *file = fdopen(dup(memory), "w");
    fprintf(file, "exthost-policy-1%c", 0);
    if (what & NAMESPACES) record(file, "layer", "namespaces", "");
    if (what & LANDLOCK) record(file, "layer", "landlock", "7");
    if (what & SECCOMP) record(file, "layer", "seccomp", "");
    if (what & NETWORK) record(file, "network", "client", "");
    if (what & NETWORK) record(file, "network", "server", "");
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct stat status;
        char target[256] = "";
        if (lstat(folders[i], &status) < 0) continue;
        if (S_ISLNK(status.st_mode) && readlink(folders[i], target, sizeof target - 1) > 0)
            record(file, "link", folders[i], target);
        else
            record(file, "read", folders[i], "");
    }
    for (const char *list = getenv("EXTHOST_BENCH_READ"); list && *list == '/';) {
        char folder[512];
        size_t length = strcspn(list, ":");
        snprintf(folder, sizeof folder, "%.*s", (int)length, list);
        record(file, "read", folder, "");
        list += length + (list[length] == ':');
    }
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) record(file, "device", devices[i], "");
    record(file, "link", "/dev/fd", "/proc/self/fd");
    record(file, "text", "/etc/passwd", "user:x:1000:1000::/:/bin/sh\n");
    record(file, "text", "/etc/group", "user:x:1000:\n");
    if (bundle) record(file, "read", bundle, "");
    if (what & NAMESPACES && (!bundle || strncmp(bundle, "/tmp/", 5) != 0)) record(file, "place", "/tmp", container);
    record(file, "write", container, "");
    fclose(file);
    return memory;
}

#endif
