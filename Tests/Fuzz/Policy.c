// Policy: fuzzes the reader of policies in exthost-init.
//
// For any bytes, the reader refuses them or returns a policy whose entries are all usable by a launch. It maps nothing
// beyond the given memory. For an accepted policy, the target then stores the paths of its folders and closes its
// descriptors, as exthost-init does.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// The reader never unmaps its memory, so the target unmaps it after each input.
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

// The descriptors that an input can name. Without them the reader refuses every policy with a writable folder.
enum { FIRST_FILE = 5, LAST_FILE = 7 };

static void open_files(void) {
    for (int file = FIRST_FILE; file <= LAST_FILE; file++) {
        if (fcntl(file, F_GETFD) >= 0) continue;
        int root = open("/", O_PATH | O_CLOEXEC);
        if (root < 0) abort();
        if (root == file) continue;
        if (dup2(root, file) < 0) abort();
        close(root);
    }
}

// Checks cases that no input of the fuzzer can express: descriptors without sealed memory, sizes above its longest
// input, a missing folder.
static void check_descriptors(void) {
    static struct policy policy;
    expect(read_policy(-1, &policy) == EBADF, "a policy was read from no descriptor");
    int memory = memfd_create("policy", MFD_CLOEXEC);
    if (memory < 0 || ftruncate(memory, POLICY_BYTES + 1) < 0) abort();
    expect(read_policy(memory, &policy) == EFBIG, "a policy above the bound was read");
    if (ftruncate(memory, POLICY_BYTES) < 0) abort();
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", memory);
    int written = open(name, O_WRONLY | O_CLOEXEC);
    if (written < 0) abort();
    expect(read_policy(written, &policy) == EACCES, "a policy was read from a descriptor for writing");
    close(written);
    expect(read_policy(memory, &policy) == EPROTO, "zero bytes were read as a policy");
    munmap(mapping, mapped);
    policy =
        (struct policy){.count = 1, .entries = {{.verb = POLICY_WRITE, .path = "/home", .other = "999", .file = 999}}};
    expect(note_places(&policy) == ENOENT, "a folder that is not open has a name");
}

static void use(struct policy *policy) {
    expect(note_places(policy) == 0, "the name of a folder to write to was not noted");
    for (int i = 0; i < policy->count; i++) {
        const struct policy_entry *entry = policy->entries + i;
        bool writes = entry->verb == POLICY_WRITE || entry->verb == POLICY_PLACE;
        expect((entry->place != NULL) == writes, "a name was noted for what is not written to, or none for what is");
        free((char *)entry->place);
    }
    close_files(policy);
    for (int i = 0; i < policy->count; i++) expect(policy->entries[i].file == -1, "a descriptor stayed open");
    open_files();
}

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count;
    (void)arguments;
    check_descriptors();
    open_files();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static struct policy policy;
    mapping = MAP_FAILED;
    int descriptor = memfd_create("policy", MFD_CLOEXEC);
    if (descriptor < 0 || write(descriptor, bytes, size) != (ssize_t)size) abort();
    int code = read_policy(descriptor, &policy);
    // The reader has already closed the descriptor of a mapped policy.
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
        expect(entry->file != -1 || (entry->verb != POLICY_WRITE && entry->verb != POLICY_PLACE),
            "a folder to write to has no descriptor");
    }
    if (code == 0 && policy.directory) check_text(policy.directory);
    if (code == 0 && policy.has_landlock) expect(policy.landlock_version > 0, "a version of Landlock is none");
    if (code == 0 && policy.has_network) expect(policy.is_client || policy.is_server, "the network has no direction");
    if (code == 0) use(&policy);
    munmap(mapping, mapped);
    return 0;
}
