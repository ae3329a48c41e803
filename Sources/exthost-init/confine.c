// confine: applies the layers of confinement in order.
//
// - The view comes first, because it needs privileges that are dropped later.
// - Landlock is next, by paths inside the view.
// - The filter is last, because it would refuse the calls of the others.
//
// The state belongs to one program, so it is static. The child shares this memory until its exec (vfork(2)) and makes
// only raw system calls.

#define _GNU_SOURCE
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filter.h"
#include "landlock.h"
#include "notices.h"
#include "policy.h"
#include "view.h"

#define IN_CHILD __attribute__((no_sanitize("address", "thread")))

static struct {
    bool is_confined;
    struct policy policy;
    int ruleset;
    struct filter telling, silent;
    // The listener of the child's filter. The child shares the init's descriptors until it executes.
    int listener;
    struct notices notices;
} confinement = {.ruleset = -1, .listener = -1, .notices = {.listener = -1, .signals = -1}};

static int failure(enum confine_step step, int code) { return code == 0 ? 0 : step * 4096 + code; }

// Limits the program's inotify instances and watches. The kernel also counts inotify(7) in the user namespace, so a
// program with its own namespace gets a share of the user's. Root has no user namespace here; the listener counts
// instead (notices.h).
static void limit_watches(void) {
    static const struct {
        const char *path, *most;
    } shares[] = {{"/proc/sys/user/max_inotify_instances", "16"}, {"/proc/sys/user/max_inotify_watches", "8192"}};
    if (geteuid() == 0) return;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        int file = open(shares[i].path, O_WRONLY | O_CLOEXEC);
        if (file < 0) continue;
        (void)!write(file, shares[i].most, strlen(shares[i].most));
        close(file);
    }
}

// Replaces standard streams that are the host's /dev/null by the view's, whose mount is read-only. Through a descriptor
// of the host's mount, a program that runs as root could change the mode of the host's device.
static int replace_null(void) {
    struct stat null;
    int file = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (file < 0 || fstat(file, &null) < 0) return errno;
    for (int stream = 0; stream < 3; stream++) {
        struct stat status;
        if (fstat(stream, &status) < 0 || !S_ISCHR(status.st_mode) || status.st_rdev != null.st_rdev) continue;
        if (dup2(file, stream) < 0) return errno;
    }
    close(file);
    return 0;
}

int confine_prepare(int descriptor) {
    struct policy *policy = &confinement.policy;
    int code = read_policy(descriptor, policy);
    if (code != 0) return failure(CONFINE_POLICY, code);
    if (policy->has_namespaces) {
        if (getpid() != 1) return failure(CONFINE_NAMESPACES, EINVAL);
        bool in_proc;
        limit_watches();
        code = enter_view(policy, &in_proc);
        if (code != 0) return failure(in_proc ? CONFINE_PROC : CONFINE_NAMESPACES, code);
        code = replace_null();
        if (code != 0) return failure(CONFINE_NAMESPACES, code);
        // The working directory is still in the old root, and would lead out of the view.
        if (chdir(policy->directory ? policy->directory : "/") < 0) return failure(CONFINE_DIRECTORY, errno);
    }
    if (policy->has_landlock) {
        confinement.ruleset = make_ruleset(policy);
        if (confinement.ruleset < 0) return failure(CONFINE_LANDLOCK, -confinement.ruleset);
    }
    code = policy->has_namespaces ? 0 : note_places(policy);
    if (code != 0) return failure(CONFINE_POLICY, code);
    close_files(policy);
    if (policy->has_seccomp) {
        if (!has_filter()) return failure(CONFINE_SECCOMP, ENOSYS);
        make_filter(policy, true, &confinement.telling);
        make_filter(policy, false, &confinement.silent);
    }
    // The confined program runs as the same user, and must not read the init's memory.
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) return failure(CONFINE_PRIVILEGES, errno);
    confinement.is_confined = true;
    return 0;
}

// Limits resources that the kernel counts per user, because one program could exhaust them. They are pending signals,
// which include timers, and bytes of POSIX queues.
//
// In its own user namespace, the program is counted alone. Elsewhere the kernel compares the limit with the use of all
// of the user's processes: those have their own limits, and the user's extensions share this one.
IN_CHILD static int limit_shares(void) {
    static const struct {
        int resource;
        rlim_t most;
    } shares[] = {{RLIMIT_SIGPENDING, 1024}, {RLIMIT_MSGQUEUE, 256 * 1024}};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        struct rlimit limit;
        if (syscall(SYS_prlimit64, 0, shares[i].resource, NULL, &limit) < 0) return errno;
        if (limit.rlim_max > shares[i].most) limit.rlim_max = shares[i].most;
        if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
        if (syscall(SYS_prlimit64, 0, shares[i].resource, &limit, NULL) < 0) return errno;
    }
    return 0;
}

// Without CAP_SETPCAP the set cannot be emptied (capabilities(7)). PR_SET_NO_NEW_PRIVS alone then prevents an exec from
// granting its capabilities.
IN_CHILD int empty_bounding_set(void) {
    for (unsigned long capability = 0; capability < 64; capability++)
        if (syscall(SYS_prctl, PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
            return errno == EINVAL || errno == EPERM ? 0 : errno;
    return 0;
}

// Drops every capability from every set. Also prevents an exec from granting capabilities to root (capabilities(7)).
IN_CHILD static int give_up_capabilities(void) {
    int code = empty_bounding_set();
    if (code != 0) return code;
    const unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP
        | SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE
        | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    if (syscall(SYS_prctl, PR_SET_SECUREBITS, bits, 0, 0, 0) < 0 && errno != EPERM) return errno;
    syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    static const struct __user_cap_data_struct none[2];
    if (syscall(SYS_capset, &header, none) < 0) return errno;
    return syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? errno : 0;
}

IN_CHILD static int put_on_filter(void) {
    confinement.listener = (int)syscall(
        SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &confinement.telling.program);
    if (confinement.listener >= 0) return 0;
    // An outer listener, as in containers, or an old kernel prevents ours. The filter still refuses calls, but without
    // notices.
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &confinement.silent.program) < 0 ? errno : 0;
}

IN_CHILD int confine_self(void) {
    if (!confinement.is_confined) return 0;
    int code = limit_shares();
    if (code == 0) code = give_up_capabilities();
    if (code != 0) return failure(CONFINE_PRIVILEGES, code);
    if (confinement.policy.has_landlock) code = restrict_self(confinement.ruleset);
    if (code != 0) return failure(CONFINE_LANDLOCK, code);
    if (confinement.policy.has_seccomp) code = put_on_filter();
    return failure(CONFINE_SECCOMP, code);
}

static void close_all_but(int *kept, int count) {
    unsigned int first = 0;
    for (;;) {
        unsigned int next = ~0U;
        for (int i = 0; i < count; i++)
            if (kept[i] >= 0 && (unsigned int)kept[i] >= first && (unsigned int)kept[i] < next)
                next = (unsigned int)kept[i];
        if (next > first) syscall(SYS_close_range, first, next == ~0U ? next : next - 1, 0);
        if (next == ~0U) return;
        first = next + 1;
    }
}

void confine_started(int report) {
    int kept[] = {report, -1, -1};
    if (confinement.is_confined) {
        if (confinement.policy.has_seccomp) {
            kept[1] = confinement.listener;
            if (kept[1] >= 0) kept[2] = take_listener(&confinement.notices, kept[1], report, &confinement.policy);
        }
        give_up_capabilities();
    }
    close_all_but(kept, sizeof kept / sizeof *kept);
}

int confine_wait(void) { return wait_for_signal(&confinement.notices); }

int confine_attempt(const char *layer) {
    // The view's /proc shows processes only.
    if (strcmp(layer, "namespaces") == 0) return access("/proc/sys", F_OK) == 0 || getppid() != 1;
    // No policy contains the root itself.
    if (strcmp(layer, "landlock") == 0) return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0;
    if (strcmp(layer, "seccomp") == 0) return socket(AF_UNIX, SOCK_DGRAM, 0) >= 0;
    return 64;
}
