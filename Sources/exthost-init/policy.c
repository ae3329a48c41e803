// policy: reads a policy. The daemon is trusted, but the reader still enforces bounds.

#define _GNU_SOURCE
#include "policy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Returns the string at *rest and moves *rest past it. Returns NULL if no zero byte ends it.
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

// Three digits suffice, because a policy has at most POLICY_ENTRIES descriptors.
static bool take_file(struct policy_entry *entry, const char *number) {
    bool is_required = entry->verb == POLICY_WRITE || entry->verb == POLICY_PLACE;
    if (!is_required && (entry->verb != POLICY_READ || *number == 0)) return true;
    size_t length = strspn(number, "0123456789");
    if (length == 0 || length > 3 || number[length] != 0) return false;
    entry->file = atoi(number);
    return entry->file > STDERR_FILENO && fcntl(entry->file, F_SETFD, FD_CLOEXEC) == 0;
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
        struct policy_entry *entry = policy->entries + policy->count++;
        *entry =
            (struct policy_entry){.verb = (enum policy_verb)i, .path = first, .other = second, .file = -1, .tree = -1};
        return take_file(entry, second);
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

int note_places(struct policy *policy) {
    for (int i = 0; i < policy->count; i++) {
        struct policy_entry *entry = policy->entries + i;
        if (entry->verb != POLICY_WRITE && entry->verb != POLICY_PLACE) continue;
        char link[32], name[PATH_MAX];
        snprintf(link, sizeof link, "/proc/self/fd/%d", entry->file);
        ssize_t length = readlink(link, name, sizeof name);
        if (length < 0) return errno;
        entry->place = length < (ssize_t)sizeof name ? strndup(name, (size_t)length) : NULL;
        if (!entry->place) return ENOMEM;
    }
    return 0;
}

void close_files(struct policy *policy) {
    for (int i = 0; i < policy->count; i++) {
        if (policy->entries[i].file >= 0) close(policy->entries[i].file);
        policy->entries[i].file = -1;
    }
}
