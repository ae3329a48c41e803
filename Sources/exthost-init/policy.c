// The reading of a policy: it comes from the daemon, and is bounded all the same.

#define _GNU_SOURCE
#include "policy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The string at *rest, which then points behind it; NULL when no zero byte ends it.
static const char *next_string(const char **rest, const char *end) {
    const char *start = *rest;
    const char *zero = memchr(start, 0, (size_t)(end - start));
    if (zero) *rest = zero + 1;
    return zero ? start : NULL;
}

static bool take_layer(struct policy *policy, const char *name, const char *version) {
    if (strcmp(name, "namespaces") == 0) return policy->has_namespaces = true;
    if (strcmp(name, "seccomp") == 0) return policy->has_seccomp = true;
    policy->landlock_version = atoi(version);
    return policy->has_landlock = strcmp(name, "landlock") == 0 && policy->landlock_version > 0;
}

static bool take_network(struct policy *policy, const char *way) {
    bool is_client = strcmp(way, "client") == 0, is_server = strcmp(way, "server") == 0;
    policy->is_client |= is_client;
    policy->is_server |= is_server;
    return policy->has_network = is_client || is_server;
}

static bool take(struct policy *policy, const char *verb, const char *first, const char *second) {
    static const char *const verbs[] = {"read", "write", "place", "memory", "device", "text", "link"};
    if (strcmp(verb, "layer") == 0) return take_layer(policy, first, second);
    if (strcmp(verb, "network") == 0) return take_network(policy, first);
    if (strcmp(verb, "teach") == 0) return policy->teaches_paths = strcmp(first, "paths") == 0;
    if (first[0] != '/') return false;
    if (strcmp(verb, "directory") == 0) return (policy->directory = first);
    for (int i = 0; i < (int)(sizeof verbs / sizeof *verbs); i++) {
        if (strcmp(verb, verbs[i]) != 0 || policy->count == POLICY_ENTRIES) continue;
        policy->entries[policy->count++] = (struct policy_entry){(enum policy_verb)i, first, second, -1};
        return true;
    }
    return false;
}

int read_policy(int descriptor, struct policy *policy) {
    memset(policy, 0, sizeof *policy);
    struct stat status;
    if (fstat(descriptor, &status) < 0) return errno;
    if (status.st_size <= 0 || status.st_size > POLICY_BYTES) return EFBIG;
    const char *rest = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (rest == MAP_FAILED) return errno;
    close(descriptor);
    const char *end = rest + status.st_size;
    const char *magic = next_string(&rest, end);
    if (!magic || strcmp(magic, "exthost-policy-1") != 0) return EPROTO;
    while (rest < end) {
        const char *verb = next_string(&rest, end);
        const char *first = verb ? next_string(&rest, end) : NULL;
        const char *second = first ? next_string(&rest, end) : NULL;
        if (!second || !take(policy, verb, first, second)) return EPROTO;
    }
    return 0;
}

int open_source(const struct policy *policy, const char *path) {
    const char *around = NULL;
    for (int i = 0; i < policy->count; i++) {
        const char *folder = policy->entries[i].path;
        size_t length = strlen(folder);
        if (policy->entries[i].verb != POLICY_WRITE || strncmp(path, folder, length) != 0 || path[length] != '/') continue;
        // The outermost: all below it can be the program's own doing.
        if (!around || length < strlen(around)) around = folder;
    }
    int folder = open(around ? around : path, O_PATH | O_CLOEXEC);
    if (folder < 0 || !around) return folder < 0 ? -errno : folder;
    struct {
        uint64_t flags, mode, resolve;
    } how = {O_PATH | O_CLOEXEC, 0, 0x04 | 0x08};  // RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH
    int found = (int)syscall(SYS_openat2, folder, path + strlen(around) + 1, &how, sizeof how);
    int code = errno;
    close(folder);
    return found < 0 ? -code : found;
}
