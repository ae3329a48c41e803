// identity: switches to another user: groups first, while the process may change them, then the user, then the
// remaining capabilities.

#define _GNU_SOURCE
#include "identity.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "confine.h"

enum { GROUPS_LIMIT = 340 };

static int failure(enum confine_step step, int code) { return step * 4096 + code; }

// Parses the number at *text and moves *text past the comma that follows.
static bool next_number(const char **text, unsigned int *number) {
    char *end;
    errno = 0;
    unsigned long value = strtoul(*text, &end, 10);
    // -1 means "unchanged" to setresuid(2) and similar calls.
    if (errno != 0 || end == *text || value >= UINT32_MAX || (*end != 0 && *end != ',')) return false;
    *number = (unsigned int)value;
    *text = *end == ',' ? end + 1 : end;
    return true;
}

// Keeps the capabilities over its own namespace that a process needs to make its view (view.h), or none.
static int keep_capabilities(bool is_confined) {
    const uint32_t kept = UINT32_C(1) << CAP_SYS_ADMIN | UINT32_C(1) << CAP_SETPCAP | UINT32_C(1) << CAP_NET_ADMIN
        | UINT32_C(1) << CAP_SYS_RESOURCE;
    uint32_t set = is_confined ? kept : 0;
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{set, set, 0}, {0, 0, 0}};
    // With no inheritable capability there is no ambient one (capabilities(7)).
    return (int)syscall(SYS_capset, &header, data);
}

int become_user(const char *user, const char *groups, int status, bool is_confined) {
    char byte;
    // The socket is non-blocking.
    struct pollfd arrival = {.fd = status, .events = POLLIN};
    while (poll(&arrival, 1, -1) < 0 && errno == EINTR) continue;
    if (recv(status, &byte, 1, MSG_DONTWAIT) <= 0) _exit(127);

    unsigned int uid, gid, all[GROUPS_LIMIT];
    if (!next_number(&user, &uid) || uid == 0 || *user != 0) return failure(CONFINE_USER, EINVAL);
    if (!next_number(&groups, &gid)) return failure(CONFINE_GROUP, EINVAL);
    size_t length = 0;
    while (*groups) {
        if (length == GROUPS_LIMIT || !next_number(&groups, &all[length++])) return failure(CONFINE_GROUPS, EINVAL);
    }

    bool has_namespace = getpid() == 1;
    // A change of the user clears the parent-death signal (prctl(2)).
    int death_signal = 0;
    if (prctl(PR_GET_PDEATHSIG, &death_signal) < 0) return failure(CONFINE_USER, errno);
    // The right to empty the set ends with the switch of the user. In a namespace the program's view needs the set
    // first.
    int code = is_confined && !has_namespace ? empty_bounding_set() : 0;
    if (code != 0) return failure(CONFINE_CAPABILITIES, code);
    if (syscall(SYS_setgroups, length, all) < 0) return failure(CONFINE_GROUPS, errno);
    if (syscall(SYS_setresgid, gid, gid, gid) < 0) return failure(CONFINE_GROUP, errno);
    if (syscall(SYS_setresuid, uid, uid, uid) < 0) return failure(CONFINE_USER, errno);
    // Without a namespace, the switch of the user has already dropped root's capabilities.
    if (keep_capabilities(is_confined && has_namespace) < 0) return failure(CONFINE_CAPABILITIES, errno);
    if (death_signal != 0) {
        if (prctl(PR_SET_PDEATHSIG, death_signal) < 0) return failure(CONFINE_USER, errno);
        // The parent may have died while the signal was cleared.
        if (recv(status, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) _exit(127);
    }
    return 0;
}
