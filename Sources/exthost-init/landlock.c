// landlock: the Landlock ruleset, by numbers, because the kernel's headers are older than its features.
//
// The ruleset handles every right that a version knows, so the kernel refuses each one without a rule. A rule belongs
// to the file itself, not to its name: a rule for a folder holds in every view.
//
// Landlock does not check stat, chmod and the like, nor sockets by path in the versions known here. The view covers
// them; without a view, the filter of system calls does.

#define _GNU_SOURCE
#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

struct ruleset {
    uint64_t files, network, scopes;
};
// The kernel's header packs this struct, too.
struct beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

enum { RULE_BENEATH = 1 };
enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_FOLDER = 1 << 3,
    MAKE_CHARACTER_DEVICE = 1 << 6,
    MAKE_BLOCK_DEVICE = 1 << 11,
    REFER = 1 << 13,  // version 2
    TRUNCATE = 1 << 14,  // version 3
    IOCTL_DEVICE = 1 << 15,  // version 5
    ALL_OF_FIRST_VERSION = (1 << 13) - 1,
    FOR_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE,
};
enum { BIND_TCP = 1, CONNECT_TCP = 2 };  // version 4
enum { ABSTRACT_SOCKETS_AND_SIGNALS = 3 };  // version 6

static uint64_t files_handled(int version) {
    uint64_t all = ALL_OF_FIRST_VERSION;
    if (version >= 2) all |= REFER;
    if (version >= 3) all |= TRUNCATE;
    if (version >= 5) all |= IOCTL_DEVICE;
    return all;
}

static int allow_file(int ruleset, int file, uint64_t rights) {
    struct stat status;
    if (fstat(file, &status) == 0 && !S_ISDIR(status.st_mode)) rights &= FOR_FILES;
    struct beneath rule = {rights, file};
    return syscall(SYS_landlock_add_rule, ruleset, RULE_BENEATH, &rule, 0) < 0 ? errno : 0;
}

static int allow(int ruleset, const char *path, uint64_t rights) {
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0) return errno;
    int code = allow_file(ruleset, file, rights);
    close(file);
    return code;
}

static uint64_t rights_of(enum policy_verb verb, uint64_t all) {
    switch (verb) {
    case POLICY_READ:
        return EXECUTE | READ_FILE | READ_FOLDER;
    case POLICY_WRITE:
    case POLICY_PLACE:
    case POLICY_MEMORY:
        return all & ~(uint64_t)(EXECUTE | MAKE_CHARACTER_DEVICE | MAKE_BLOCK_DEVICE | IOCTL_DEVICE);
    case POLICY_DEVICE:
        return (READ_FILE | WRITE_FILE | TRUNCATE) & all;
    case POLICY_TEXT:
        return READ_FILE;
    case POLICY_LINK:
        break;
    }
    return 0;
}

int make_ruleset(const struct policy *policy) {
    struct ruleset attributes = {.files = files_handled(policy->landlock_version)};
    size_t size = 8;
    if (policy->landlock_version >= 4) {
        attributes.network = (policy->is_server ? 0 : BIND_TCP) | (policy->is_client ? 0 : CONNECT_TCP);
        size = 16;
    }
    if (policy->landlock_version >= 6) {
        attributes.scopes = ABSTRACT_SOCKETS_AND_SIGNALS;
        size = 24;
    }
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
    if (ruleset < 0) return -errno;
    // Without its own /proc the program must read all of the host's. libdispatch reads /proc/TID/stat of its threads,
    // and ends the program if it cannot (observed). Landlock protects the sensitive entries of other processes, as from
    // a tracer.
    uint64_t own = policy->has_namespaces ? WRITE_FILE : 0;
    int code = allow(ruleset, "/proc", READ_FILE | READ_FOLDER | own);
    for (int i = 0; i < policy->count && code == 0; i++) {
        const struct policy_entry *entry = policy->entries + i;
        uint64_t rights = rights_of(entry->verb, attributes.files);
        // Without a view, the view's own files do not exist, and a folder keeps its name.
        if (rights == 0 || (!policy->has_namespaces && (entry->verb == POLICY_TEXT || entry->verb == POLICY_MEMORY)))
            continue;
        code = entry->file >= 0 ? allow_file(ruleset, entry->file, rights) : allow(ruleset, entry->path, rights);
    }
    if (code == 0) return ruleset;
    close(ruleset);
    return -code;
}

__attribute__((no_sanitize("address", "thread"))) int restrict_self(int ruleset) {
    return syscall(SYS_landlock_restrict_self, ruleset, 0) < 0 ? errno : 0;
}
