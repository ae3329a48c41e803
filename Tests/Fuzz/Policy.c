// The reader of a policy in exthost-init: whatever the bytes are, it refuses them or leaves a policy whose every entry is one that a launch can
// use, and it maps nothing beyond the memory that it was given.

#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// The reader keeps its mapping for good: here it is taken away after each input.
static void *mapping;
static size_t mapped;

static void *map(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    mapping = mmap(address, length, protection, flags, descriptor, offset);
    mapped = length;
    return mapping;
}

#define mmap map
#include "../../Sources/exthost-init/policy.c"
#undef mmap

static void expect(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "finding: %s\n", what);
    abort();
}

static void check_text(const char *text) {
    const char *start = mapping;
    expect(text >= start && text < start + mapped, "a string lies outside of the policy");
    expect(memchr(text, 0, (size_t)(start + mapped - text)) != NULL, "a string does not end");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static struct policy policy;
    mapping = MAP_FAILED;
    int descriptor = memfd_create("policy", MFD_CLOEXEC);
    if (descriptor < 0 || write(descriptor, bytes, size) != (ssize_t)size) abort();
    int code = read_policy(descriptor, &policy);
    // A policy that was mapped is closed already.
    if (mapping == MAP_FAILED) {
        close(descriptor);
        expect(code != 0, "a policy was accepted unread");
        return 0;
    }
    expect(policy.count >= 0 && policy.count <= POLICY_ENTRIES, "there are more entries than there is room");
    for (int i = 0; code == 0 && i < policy.count; i++) {
        const struct policy_entry *entry = policy.entries + i;
        check_text(entry->path);
        check_text(entry->other);
        expect(entry->path[0] == '/', "a path is not absolute");
        expect(entry->tree == -1, "an entry has a tree already");
        expect(entry->file == -1 || entry->file > STDERR_FILENO, "an entry takes a standard stream for its file");
        expect(entry->file != -1 || (entry->verb != POLICY_WRITE && entry->verb != POLICY_PLACE), "a folder to write to has no descriptor");
    }
    if (code == 0 && policy.directory) check_text(policy.directory);
    if (code == 0 && policy.has_landlock) expect(policy.landlock_version > 0, "a version of Landlock is none");
    if (code == 0 && policy.has_network) expect(policy.is_client || policy.is_server, "the network has no direction");
    munmap(mapping, mapped);
    return 0;
}
