// processes: attempts on other processes: signals, tracing, /proc, priorities, shared objects, namespaces.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attempts.h"

// Attempts on a process of the same user, by its pid outside the namespace.
static int signal_process(const char *pid) { return outcome(kill(atoi(pid), 0)); }
static int signal_thread(const char *pid) { return outcome(syscall(SYS_tgkill, atoi(pid), atoi(pid), 0)); }
static int signal_by_descriptor(const char *pid) {
    int other = (int)syscall(SYS_pidfd_open, atoi(pid), 0);
    return other < 0 ? errno : outcome(syscall(SYS_pidfd_send_signal, other, 0, NULL, 0));
}
static int trace_process(const char *pid) {
    int code = outcome(ptrace(PTRACE_SEIZE, atoi(pid), NULL, NULL));
    return code;
}
static int trace_own_child(const char *argument) {
    (void)argument;
    pid_t pid = fork();
    if (pid == 0) {
        int code = outcome(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
        _exit(code);
    }
    int status;
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}
static int read_memory(const char *pid) {
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)getenv, 1};
    int code = outcome_of_probe(process_vm_readv(atoi(pid), &here, 1, &there, 1, 0));
    return code;
}
static int open_in_proc(const char *pid, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/%s", pid, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char byte;
    return file < 0 ? errno : outcome_of_probe(read(file, &byte, 1));
}
static int read_proc_memory(const char *pid) { return open_in_proc(pid, "mem"); }
static int read_environment(const char *pid) { return open_in_proc(pid, "environ"); }
static int read_command(const char *pid) { return open_in_proc(pid, "cmdline"); }
static int read_init_environment(const char *argument) { return (void)argument, open_in_proc("1", "environ"); }
static int find_processes(const char *argument) {
    (void)argument;
    DIR *folder = opendir("/proc");
    if (!folder) return errno;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
    // The three are the init, this program, and the process of the attempt.
    return count > 3 ? 0 : ENOENT;
}
static int compare_processes(const char *pid) { return outcome(syscall(SYS_kcmp, getpid(), atoi(pid), 1, 0, 0)); }
static int take_descriptor(const char *pid) {
    int other = (int)syscall(SYS_pidfd_open, atoi(pid), 0);
    return other < 0 ? errno : outcome_of_probe(syscall(438, other, 0, 0));
}
static int measure_process(const char *pid) {
    char attributes[128] = {0};
    attributes[0] = 1;  // PERF_TYPE_SOFTWARE
    attributes[4] = 64;
    attributes[40] = 0x60;  // excludes the kernel and the hypervisor
    return outcome_of_probe(syscall(SYS_perf_event_open, attributes, atoi(pid), -1, -1, 0));
}
static int change_priority(const char *pid) { return outcome(setpriority(PRIO_PROCESS, (id_t)atoi(pid), 0)); }
static int change_user_priority(const char *argument) { return (void)argument, outcome(setpriority(PRIO_USER, 0, 0)); }
static int change_limits(const char *pid) {
    struct rlimit limit;
    if (prlimit(atoi(pid), RLIMIT_CORE, NULL, &limit) < 0) return errno;
    return outcome(prlimit(atoi(pid), RLIMIT_CORE, &limit, NULL));
}
static int see_first_limits(const char *argument) {
    struct rlimit limit;
    return (void)argument, outcome(prlimit(1, RLIMIT_CORE, NULL, &limit));
}
static int change_scheduling(const char *pid) {
    struct sched_param parameters = {0};
    return outcome(sched_setscheduler(atoi(pid), SCHED_OTHER, &parameters));
}
static int change_disk_priority(const char *pid) { return outcome(syscall(SYS_ioprio_set, 1, atoi(pid), 0)); }

// Each call has another target, so each refusal is reported.
static int change_priorities(const char *argument) {
    (void)argument;
    int code = 0;
    for (int number = 1; number <= 200; number++) code = outcome(setpriority(PRIO_PROCESS, 100000 + (id_t)number, 0));
    return code;
}

// Attempts on objects with a key or a name that were created outside.
static int shared_memory(const char *key) { return outcome(shmget((key_t)atoi(key), 1, 0)); }
static int semaphores(const char *key) { return outcome(semget((key_t)atoi(key), 1, 0)); }
static int message_queue(const char *key) { return outcome(msgget((key_t)atoi(key), 0)); }
static int named_queue(const char *text) { return outcome(mq_open(text, O_RDONLY)); }
static int named_memory(const char *text) { return outcome(shm_open(text, O_RDONLY, 0)); }

// Attempts to get new namespaces and roots.
static int unshare_users(const char *argument) { return (void)argument, outcome(unshare(CLONE_NEWUSER)); }
static int unshare_mounts(const char *argument) {
    return (void)argument, outcome(unshare(CLONE_NEWUSER | CLONE_NEWNS));
}
static int clone_users(const char *argument) {
    (void)argument;
    long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) _exit(0);
    return outcome(pid);
}
static int clone_by_structure(const char *argument) {
    (void)argument;
    uint64_t arguments[8] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
    long pid = syscall(435, arguments, sizeof arguments);
    if (pid == 0) _exit(0);
    return outcome(pid);
}
static int enter_namespace(const char *pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/ns/ipc", pid);
    int other = open(path, O_RDONLY | O_CLOEXEC);
    return other < 0 ? errno : outcome(setns(other, 0));
}
static int change_root(const char *argument) { return (void)argument, outcome(chroot("/")); }
static int swap_roots(const char *argument) {
    return (void)argument, outcome_of_probe(syscall(SYS_pivot_root, "/", "/"));
}
static int mount_something(const char *folder) {
    return outcome_of_probe(mount("hostile", folder, "hostile-none", 0, NULL));
}
static int spread_mounts(const char *argument) {
    // Two kinds at once are invalid.
    return (void)argument, outcome_of_probe(mount(NULL, "/", NULL, MS_SHARED | MS_PRIVATE, NULL));
}
static int unmount(const char *path) { return outcome_of_probe(umount2(path, UMOUNT_NOFOLLOW)); }
static int open_file_system(const char *argument) { return (void)argument, outcome(syscall(430, "tmpfs", 0)); }
static int copy_tree(const char *path) { return outcome(syscall(428, AT_FDCWD, path, 1)); }

// Attempts by open descriptors.
static int inherited_descriptors(const char *expected) {
    int count = 0;
    for (int i = 0; i < 1024; i++) count += fcntl(i, F_GETFD) >= 0;
    return count > atoi(expected) ? 0 : EBADF;
}
static int through_descriptor(const char *path) {
    // Any inherited folder would lead out.
    for (int i = 3; i < 1024; i++)
        if (openat(i, path, O_RDONLY | O_CLOEXEC) >= 0 && path[0] != '/') return 0;
    return EBADF;
}
static int type_into_terminal(const char *argument) {
    (void)argument;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    int code = outcome_of_probe(ioctl(master < 0 ? 0 : master, TIOCSTI, "x"));
    // The request reached a terminal driver, or a file that is no terminal: it was not refused.
    return code == ENOTTY || code == EIO ? 0 : code;
}
static int become_root(const char *argument) {
    (void)argument;
    // This also covers root: a process without capabilities cannot switch its user.
    return outcome(setuid(geteuid() == 0 ? 65534 : 0));
}
static int raise_capability(const char *argument) {
    (void)argument;
    return outcome(syscall(SYS_prctl, 24 /* PR_CAPBSET_DROP */, 0, 0, 0, 0));
}

const struct attempt process_attempts[] = {
    {"signal-process", signal_process},
    {"signal-thread", signal_thread},
    {"signal-by-descriptor", signal_by_descriptor},
    {"trace-process", trace_process},
    {"trace-own-child", trace_own_child},
    {"read-memory", read_memory},
    {"read-proc-memory", read_proc_memory},
    {"read-environment", read_environment},
    {"read-command", read_command},
    {"read-init-environment", read_init_environment},
    {"find-processes", find_processes},
    {"compare-processes", compare_processes},
    {"take-descriptor", take_descriptor},
    {"measure-process", measure_process},
    {"change-priority", change_priority},
    {"change-user-priority", change_user_priority},
    {"change-priorities", change_priorities},
    {"change-limits", change_limits},
    {"see-first-limits", see_first_limits},
    {"change-scheduling", change_scheduling},
    {"change-disk-priority", change_disk_priority},
    {"shared-memory", shared_memory},
    {"semaphores", semaphores},
    {"message-queue", message_queue},
    {"named-queue", named_queue},
    {"named-memory", named_memory},
    {"unshare-users", unshare_users},
    {"unshare-mounts", unshare_mounts},
    {"clone-users", clone_users},
    {"clone-by-structure", clone_by_structure},
    {"enter-namespace", enter_namespace},
    {"change-root", change_root},
    {"swap-roots", swap_roots},
    {"mount-something", mount_something},
    {"spread-mounts", spread_mounts},
    {"unmount", unmount},
    {"open-file-system", open_file_system},
    {"copy-tree", copy_tree},
    {"inherited-descriptors", inherited_descriptors},
    {"through-descriptor", through_descriptor},
    {"type-into-terminal", type_into_terminal},
    {"become-another", become_root},
    {"keep-capability", raise_capability},
    {NULL, NULL},
};
