// exthost_spawn: starts a process with vfork semantics.
//
// The child shares our memory and our thread's TLS while our thread is suspended. So between clone and exec it makes
// only raw system calls: no allocation, no locks, no cancellation points, no interceptors.
//
// The shared memory also returns errors. A child that fails writes the step and errno into our struct and exits.
// CLONE_VFORK resumes us after that write or after a successful exec, and at no other time (clone(2)). So no pipe is
// needed, and nothing has to be read, closed or leaked.

#define _GNU_SOURCE
#include "exthost_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// glibc's other name for clone(2). A thread sanitizer intercepts the usual name and treats the child as a fork.
int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);

// Sanitizers have per-thread state, which a child on our thread's TLS would corrupt.
#if defined(__clang__)
#define IN_CHILD __attribute__((disable_sanitizer_instrumentation, no_stack_protector))
#else
#define IN_CHILD
#endif

enum { STACK_SIZE = 64 * 1024, GUARD_SIZE = 4096, KERNEL_SIGNALS = 64, KERNEL_SIGNAL_SET_SIZE = 8 };

// The data that the parent prepares for its child, beyond the caller's parameters.
struct child {
    struct exthost_spawn *spawn;
    pid_t parent;  // our pid in our own namespace
    pid_t parent_in_proc;  // our pid in /proc, 0 without a /proc
    char uid_map[40], gid_map[40];
};

IN_CHILD static void fail(struct child *child, enum exthost_spawn_step step, int code) {
    child->spawn->failed = step;
    child->spawn->code = code;
    for (;;) syscall(SYS_exit_group, 127);
}

IN_CHILD static int write_file(const char *path, const char *text) {
    size_t length = 0;
    while (text[length]) length++;
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    int code = syscall(SYS_write, descriptor, text, length) < 0 ? errno : 0;
    syscall(SYS_close, descriptor);
    return code;
}

// Returns our parent's pid in /proc: field 4 of stat, after the name in brackets (proc(5)). In a new pid namespace
// getppid() always returns 0.
IN_CHILD static pid_t parent_from_proc(void) {
    char text[256];
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    long count = syscall(SYS_read, descriptor, text, sizeof text);
    syscall(SYS_close, descriptor);
    long at = count - 1;
    while (at >= 0 && text[at] != ')') at--;
    at += 4;  // ") S "
    pid_t parent = 0;
    for (; at > 3 && at < count && text[at] >= '0' && text[at] <= '9'; at++) parent = parent * 10 + (text[at] - '0');
    return parent;
}

IN_CHILD static void follow_parent(struct child *child) {
    struct exthost_spawn *spawn = child->spawn;
    if (syscall(SYS_prctl, PR_SET_PDEATHSIG, spawn->death_signal, 0, 0, 0) < 0)
        fail(child, EXTHOST_SPAWN_PARENT_DEATH_SIGNAL, errno);
    // A parent that died before this call sends no signal (prctl(2)). A parent that is still alive now sends one when
    // it dies.
    if (!spawn->process_namespace) {
        if (syscall(SYS_getppid) != child->parent) fail(child, EXTHOST_SPAWN_PARENT_GONE, ESRCH);
    } else if (child->parent_in_proc > 0) {
        pid_t parent = parent_from_proc();
        if (parent > 0 && parent != child->parent_in_proc) fail(child, EXTHOST_SPAWN_PARENT_GONE, ESRCH);
    }
}

// Maps the child's own ids. The child has every capability in its new namespace, and one line with its own ids needs no
// other (user_namespaces(7)).
IN_CHILD static void map_identities(struct child *child) {
    int code = write_file("/proc/self/setgroups", "deny");
    if (code == 0 || code == ENOENT) code = write_file("/proc/self/uid_map", child->uid_map);
    if (code == 0) code = write_file("/proc/self/gid_map", child->gid_map);
    if (code != 0) fail(child, EXTHOST_SPAWN_USER_NAMESPACE, code);
}

// Mounts a /proc for the new namespace. In the outer /proc, our pids belong to other processes, and libdispatch ends
// the program if it does not find a thread's gettid() there. Later mounts outside still arrive here; mounts made here
// do not propagate out.
IN_CHILD static void mount_proc(struct child *child) {
    if (syscall(SYS_mount, NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0
        || syscall(SYS_mount, "proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        fail(child, EXTHOST_SPAWN_PROC, errno);
}

// Writes one map of the child, from the parent: it needs the parent's rights over other users' ids
// (user_namespaces(7)). The parent owns the namespace, so no user mapped in it has rights over it.
static int write_map(pid_t pid, const char *name, const char *text) {
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    int code = write(descriptor, text, strlen(text)) < 0 ? errno : 0;
    close(descriptor);
    return code;
}

// Keeps the capabilities that an init needs to mount, to configure a loopback interface, to lower the namespace's
// limits and to drop the rest. For a user other than root, an exec drops all capabilities that are not ambient
// (capabilities(7)).
IN_CHILD static void keep_capabilities(struct child *child) {
    // The last two are for an init that becomes another user.
    const uint32_t kept[] = {CAP_SYS_ADMIN, CAP_SETPCAP, CAP_NET_ADMIN, CAP_SYS_RESOURCE, CAP_SETUID, CAP_SETGID};
    size_t count = sizeof kept / sizeof *kept - (child->spawn->uid_map ? 0 : 2);
    uint32_t set = 0;
    for (size_t i = 0; i < count; i++) set |= UINT32_C(1) << kept[i];
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{set, set, set}, {0, 0, 0}};
    if (syscall(SYS_capset, &header, data) < 0) fail(child, EXTHOST_SPAWN_USER_NAMESPACE, errno);
    for (size_t i = 0; i < count; i++)
        if (syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, (unsigned long)kept[i], 0, 0) < 0)
            fail(child, EXTHOST_SPAWN_USER_NAMESPACE, errno);
}

// Joins the control groups before the exec, so all memory of the program is charged to them. 0 means the writer
// (cgroups(7)).
IN_CHILD static void join_groups(struct child *child) {
    struct exthost_spawn *spawn = child->spawn;
    for (int i = 0; i < spawn->group_count; i++)
        if (syscall(SYS_write, spawn->groups[i], "0", 1) < 0) fail(child, EXTHOST_SPAWN_GROUPS, errno);
}

IN_CHILD static void place_descriptors(struct child *child) {
    struct exthost_spawn *spawn = child->spawn;
    int count = spawn->placement_count;
    int first_free = count == 0 ? 0 : spawn->placements[count - 1].target + 1;
    int null = -1;
    // The first loop moves each source above all target numbers. The second loop puts it at its target.
    for (int i = 0; i < count; i++) {
        int source = spawn->placements[i].source;
        if (source < 0) {
            if (null < 0) null = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
            if (null < 0) fail(child, EXTHOST_SPAWN_DESCRIPTORS, errno);
            source = null;
        }
        if (source < first_free) source = (int)syscall(SYS_fcntl, source, F_DUPFD_CLOEXEC, first_free);
        if (source < 0) fail(child, EXTHOST_SPAWN_DESCRIPTORS, errno);
        spawn->placements[i].staged = source;
    }
    for (int i = 0; i < count; i++)
        if (syscall(SYS_dup3, spawn->placements[i].staged, spawn->placements[i].target, 0) < 0)
            fail(child, EXTHOST_SPAWN_DESCRIPTORS, errno);

    unsigned int first = 0;
    for (int i = 0; i <= count; i++) {
        unsigned int target = i < count ? (unsigned int)spawn->placements[i].target : ~0U;
        unsigned int last = i < count ? target - 1 : ~0U;
        if ((i == count || target > first) && syscall(SYS_close_range, first, last, 0) < 0)
            fail(child, EXTHOST_SPAWN_CLOSE_RANGE, errno);
        first = target + 1;
    }
}

// Resets signal dispositions and unblocks signals. An exec resets handlers, but ignored and blocked signals stay so
// (execve(2)).
//
// Dispositions are reset first: with the mask open, a handler of the parent could run here, in the parent's memory.
// glibc's own calls would skip its two private signals.
IN_CHILD static void reset_signals(struct child *child) {
    static const uint64_t nothing[4];  // the kernel's struct sigaction with SIG_DFL, no flags, no mask
    for (int number = 1; number <= KERNEL_SIGNALS; number++)
        if (number != SIGKILL && number != SIGSTOP)
            syscall(SYS_rt_sigaction, number, nothing, NULL, KERNEL_SIGNAL_SET_SIZE);
    if (child->spawn->signals_stay_blocked) return;
    static const uint64_t no_signals = 0;
    if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &no_signals, NULL, KERNEL_SIGNAL_SET_SIZE) < 0)
        fail(child, EXTHOST_SPAWN_SIGNALS, errno);
}

IN_CHILD static int child_main(void *argument) {
    struct child *child = argument;
    struct exthost_spawn *spawn = child->spawn;
    if (spawn->death_signal) follow_parent(child);
    join_groups(child);
    if (spawn->user_namespace && !spawn->uid_map) map_identities(child);
    // With a view of the file system, the init mounts /proc in a mount namespace of its own.
    if (spawn->process_namespace && !spawn->keeps_capabilities) mount_proc(child);
    if (spawn->user_namespace && (spawn->keeps_capabilities || spawn->uid_map)) keep_capabilities(child);
    if (syscall(SYS_setsid) < 0) fail(child, EXTHOST_SPAWN_SESSION, errno);
    place_descriptors(child);
    if (spawn->mask >= 0) syscall(SYS_umask, spawn->mask);
    if (spawn->directory && syscall(SYS_chdir, spawn->directory) < 0) fail(child, EXTHOST_SPAWN_DIRECTORY, errno);
    // Limits follow the descriptors, because a lower RLIMIT_NOFILE would refuse them.
    for (int i = 0; i < spawn->limit_count; i++) {
        uint64_t values[2] = {spawn->limits[i].soft, spawn->limits[i].hard};  // struct rlimit64
        if (syscall(SYS_prlimit64, 0, spawn->limits[i].resource, values, NULL) < 0)
            fail(child, EXTHOST_SPAWN_LIMITS, errno);
    }
    reset_signals(child);
    syscall(SYS_execve, spawn->path, spawn->arguments, spawn->environment);
    fail(child, EXTHOST_SPAWN_EXECUTE, errno);
    return 127;
}

static pid_t own_number_in_proc(void) {
    char text[16];
    ssize_t count = readlink("/proc/self", text, sizeof text - 1);
    pid_t number = 0;
    for (ssize_t i = 0; i < count && text[i] >= '0' && text[i] <= '9'; i++) number = number * 10 + (text[i] - '0');
    return number;
}

bool exthost_spawn(struct exthost_spawn *spawn) {
    spawn->pid = -1;
    spawn->pidfd = -1;
    spawn->failed = EXTHOST_SPAWN_NONE;
    spawn->code = 0;

    struct child child = {.spawn = spawn, .parent = getpid()};
    if (spawn->process_namespace && spawn->death_signal) child.parent_in_proc = own_number_in_proc();
    if (spawn->user_namespace) {
        snprintf(child.uid_map, sizeof child.uid_map, "%u %u 1", geteuid(), geteuid());
        snprintf(child.gid_map, sizeof child.gid_map, "%u %u 1", getegid(), getegid());
    }

    // The child has its own stack, so it cannot damage ours. The lowest page is a guard.
    char *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, GUARD_SIZE, PROT_NONE) < 0) {
        spawn->code = errno;
        spawn->failed = EXTHOST_SPAWN_STACK;
        if (stack != MAP_FAILED) munmap(stack, STACK_SIZE);
        return false;
    }

    // While the child borrows our memory, no handler may run, and no signal may reach the child before it has reset its
    // dispositions.
    uint64_t every_signal = ~UINT64_C(0), before = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &every_signal, &before, KERNEL_SIGNAL_SET_SIZE);
    int flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD;
    if (spawn->process_namespace) flags |= CLONE_NEWPID | (spawn->keeps_capabilities ? 0 : CLONE_NEWNS);
    if (spawn->user_namespace) flags |= CLONE_NEWUSER;
    int pidfd = -1;
    pid_t pid = __clone(child_main, stack + STACK_SIZE, flags, &child, &pidfd);
    int code = errno;
    if (pid > 0 && spawn->failed != EXTHOST_SPAWN_NONE) {
        siginfo_t information;
        while (waitid(P_PIDFD, (id_t)pidfd, &information, WEXITED) < 0 && errno == EINTR) continue;
    }
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, KERNEL_SIGNAL_SET_SIZE);
    munmap(stack, STACK_SIZE);

    if (pid < 0) {
        spawn->failed = EXTHOST_SPAWN_CLONE;
        spawn->code = code;
        return false;
    }
    if (spawn->failed != EXTHOST_SPAWN_NONE) {
        close(pidfd);
        return false;
    }
    if (spawn->user_namespace && spawn->uid_map) {
        code = write_map(pid, "uid_map", spawn->uid_map);
        if (code == 0) code = write_map(pid, "gid_map", spawn->gid_map);
        if (code != 0) {
            siginfo_t information;
            syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
            while (waitid(P_PIDFD, (id_t)pidfd, &information, WEXITED) < 0 && errno == EINTR) continue;
            close(pidfd);
            spawn->failed = EXTHOST_SPAWN_IDENTITY;
            spawn->code = code;
            return false;
        }
    }
    spawn->pid = pid;
    spawn->pidfd = pidfd;
    return true;
}
