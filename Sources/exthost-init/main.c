// exthost-init: supervises the processes of one extension.
//
//   exthost-init [as UID GID[,GROUP…]] namespace|kept|guardian[,tasks] STATUS_FD[,POLICY_FD] -- PROGRAM [ARGUMENT…]
//
// It starts PROGRAM in a session of its own, passes SIGTERM on to it and reaps the orphans below it. When PROGRAM ends,
// it writes the status to STATUS_FD and exits, and all other processes of PROGRAM end, too. SIGTSTP stops and SIGCONT
// continues every process below it, in any session. All signals are blocked at its start: a signal that is neither
// blocked nor handled would be lost.
//
// - `namespace`: it is pid 1 of a pid namespace (pid_namespaces(7)). After SIGKILL to it, or its exit, the kernel kills
//   all processes of the namespace.
// - `kept`: the same for a daemon that may have a successor, so the daemon's end does not end it. It ends at the end of
//   STATUS_FD: once no daemon and no descriptor store holds the other end, all its processes are killed.
// - `guardian`: for systems without pid namespaces. It is the reaper of its descendants (PR_SET_CHILD_SUBREAPER), so
//   none can leave it. SIGQUIT makes it kill them: from the daemon, or from the kernel when the daemon dies. With
//   `tasks` its soft RLIMIT_NPROC is a share of its user's limit (limits.h).
// - POLICY_FD is a sealed memory (policy.h). PROGRAM is confined to the policy (confine.h), or not started.
// - `as`: it runs for another user (identity.h). It waits for one byte on STATUS_FD, which the daemon sends once it has
//   mapped the ids, and switches to that user.
//
// STATUS_FD is a packet socket with these packets:
//
// 1. One byte before PROGRAM is executed. The packet's credentials are PROGRAM's, so the daemon learns its pid. With a
//    guardian, PROGRAM also sends a pidfd of itself: if it kills its guardian, the daemon can still signal its process
//    group.
// 2. Notices of what a confined PROGRAM was refused (notices.h).
// 3. The report, a 4-byte number: PROGRAM's wait status, or the negative errno of a failed start (with the step of
//    confinement that failed, confine.h). After a wait status follow 8 bytes: PROGRAM's peak resident memory in
//    kilobytes.
//
// The other forms are short-lived helpers:
//
// - `exthost-init attempt LAYER…` tries what each layer of confinement refuses, and exits with 0 if all was refused.
// - `exthost-init janitor FD FOLDER` removes FOLDER, a daemon's private folder, once the other end of the pipe FD is
//   closed. That covers every way in which the daemon can end.
// - `exthost-init groups FD FOLDER…` kills the processes of control groups and removes the groups with their direct
//   subgroups, once the other end of the pipe FD is closed.
// - `exthost-init memory BYTES` fills memory and `exthost-init task` starts one more process. Each exits with 0 if it
//   could; with them the daemon probes the effect of a limit.
//
// The program uses no stdio, to start fast and stay small.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine.h"
#include "descendants.h"
#include "identity.h"
#include "limits.h"

extern char **environ;

static void report(int descriptor, int32_t status, int64_t peak_kilobytes) {
    char bytes[12];
    memcpy(bytes, &status, 4);
    memcpy(bytes + 4, &peak_kilobytes, 8);
    size_t length = status < 0 ? 4 : sizeof bytes;
    while (write(descriptor, bytes, length) < 0 && errno == EINTR) continue;
}

// glibc's other name for clone(2). A sanitizer treats the usual name as a fork.
int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);

struct start {
    char **arguments;
    int descriptor;
    bool is_guarded;
    struct msghdr note;
    int *pidfd;  // its place in the note
    int code;
};

// Runs in the child, by raw system calls: it shares its parent's memory, and a sanitizer would record its actions as
// the parent's.
__attribute__((no_sanitize("address", "thread"))) static int execute(void *argument) {
    struct start *start = argument;
    static const uint64_t no_signals = 0;
    syscall(SYS_setsid);
    if (start->is_guarded) {
        // The processes below a guardian can kill it.
        syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        *start->pidfd = (int)syscall(SYS_pidfd_open, syscall(SYS_getpid), 0);
    }
    // If no pidfd is available, the note goes without one: the daemon needs the pid.
    if (*start->pidfd < 0 || syscall(SYS_sendmsg, start->descriptor, &start->note, MSG_NOSIGNAL) < 0) {
        start->note.msg_controllen = 0;
        syscall(SYS_sendmsg, start->descriptor, &start->note, MSG_NOSIGNAL);
    }
    start->code = confine_self();
    if (start->code != 0)
        for (;;) syscall(SYS_exit_group, 127);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &no_signals, NULL, sizeof no_signals);
    syscall(SYS_execve, start->arguments[0], start->arguments, environ);
    start->code = errno;
    for (;;) syscall(SYS_exit_group, 127);
}

// Starts PROGRAM. Returns its pid, or a negative errno. As with vfork, this thread is suspended and shares its memory
// until the child executes or exits, so the child can leave its errno there.
static pid_t start(char **arguments, int descriptor, bool is_guarded) {
    static _Alignas(16) char stack[16 * 1024];
    static union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr header;
    } control;
    control.header =
        (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    char byte = 0;
    struct iovec part = {&byte, 1};
    struct start start = {
        .arguments = arguments,
        .descriptor = descriptor,
        .is_guarded = is_guarded,
        .note = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control},
        .pidfd = (int *)CMSG_DATA(&control.header),
    };
    *start.pidfd = -1;
    // The child shares our descriptors until it executes, so the listener of its filter remains open here. A transfer
    // over a socket would count against the user. It would fail if another program of the user has used up the limit of
    // descriptors in flight (unix(7)).
    pid_t pid = __clone(execute, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &start);
    if (pid < 0) return -errno;
    if (start.code == 0) return pid;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    return -start.code;
}

// Reaps all ended children. Returns 1 once PROGRAM has ended.
static int reap(pid_t program, int descriptor) {
    int status;
    struct rusage usage;
    for (pid_t pid; (pid = wait4(-1, &status, WNOHANG, &usage)) != 0;) {
        if (pid == program) {
            report(descriptor, status, usage.ru_maxrss);
            return 1;
        }
        if (pid < 0 && errno != EINTR) return errno == ECHILD;
    }
    return 0;
}

// Requests a signal for each event on the socket, including its hang-up. Returns false if that fails, because the
// daemon's end would then go unnoticed.
static bool watch_other_end(int descriptor) {
    return fcntl(descriptor, F_SETOWN, getpid()) == 0
        && fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_ASYNC) == 0;
}

static bool is_abandoned(int descriptor) {
    struct pollfd entry = {.fd = descriptor};
    return poll(&entry, 1, 0) > 0 && entry.revents != 0;
}

static void fail(const char *text) {
    (void)!write(2, text, strlen(text));
    _exit(64);
}

static int wait_and_remove(int descriptor, const char *folder) {
    char byte;
    for (ssize_t count; (count = read(descriptor, &byte, 1)) != 0;)
        if (count < 0 && errno != EINTR) return 70;
    if (access(folder, F_OK) < 0) return 0;
    // The extension may have removed its owner's rights. rm fails if another process that also removes the folder moves
    // a directory inside it meanwhile. So the janitor tries again.
    execl("/bin/sh", "sh", "-c",
        "for n in 1 2 3 4 5; do chmod -R u+rwX -- \"$1\"; rm -rf -- \"$1\" && exit; done; exit 70", "sh", folder, NULL);
    return 70;
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "janitor") == 0) return wait_and_remove(atoi(argv[2]), argv[3]);
    if (argc >= 4 && strcmp(argv[1], "groups") == 0) return remove_groups(atoi(argv[2]), argv + 3);
    if (argc == 3 && strcmp(argv[1], "memory") == 0) return fill_memory(atol(argv[2]));
    if (argc == 2 && strcmp(argv[1], "task") == 0) return start_task();
    if (argc >= 3 && strcmp(argv[1], "attempt") == 0) {
        int code = 0;
        for (int i = 2; i < argc && code == 0; i++) code = confine_attempt(argv[i]);
        return code;
    }
    char **identity = argc > 4 && strcmp(argv[1], "as") == 0 ? argv + 2 : NULL;
    if (identity) {
        argc -= 3;
        argv += 3;
    }
    bool shares_tasks = argc > 1 && strcmp(argv[1], "guardian,tasks") == 0;
    bool is_guardian = shares_tasks || (argc > 1 && strcmp(argv[1], "guardian") == 0);
    bool is_kept = argc > 1 && strcmp(argv[1], "kept") == 0;
    if (argc < 5 || strcmp(argv[3], "--") != 0 || (!is_guardian && !is_kept && strcmp(argv[1], "namespace") != 0))
        fail("usage: exthost-init [as UID GID[,GROUP…]] namespace|kept|guardian[,tasks] STATUS_FD[,POLICY_FD] -- "
             "PROGRAM [ARGUMENT…]\n");
    // Only for pid 1, kill(-1) below means "this namespace".
    if (!is_guardian && getpid() != 1) fail("exthost-init: it must be the first process of a pid namespace\n");
    if (is_guardian && prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) fail("exthost-init: cannot become a reaper\n");
    int descriptor = atoi(argv[2]);
    if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0) return 64;

    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);

    if (is_kept && (!watch_other_end(descriptor) || is_abandoned(descriptor))) return 70;
    if (!is_guardian && !identity) limit_tasks();
    const char *policy = strchr(argv[2], ',');
    int problem = identity ? become_user(identity[0], identity[1], descriptor, policy != NULL) : 0;
    // The kernel checks permission to send the signal with the rights at the time of F_SETOWN (fcntl(2)).
    if (identity && is_kept && (!watch_other_end(descriptor) || is_abandoned(descriptor))) return 70;
    if (problem == 0 && shares_tasks) share_tasks();
    if (problem == 0 && policy) problem = confine_prepare(atoi(policy + 1));
    pid_t program = problem != 0 ? -problem : start(argv + 4, descriptor, is_guardian);
    if (program < 0) {
        report(descriptor, program, 0);
        return 127;
    }
    // PROGRAM has its descriptors now. Copies held open here would hide from the daemon that PROGRAM closed them.
    confine_started(descriptor);

    bool has_ended = false;
    while (!has_ended) {
        int number = confine_wait();
        if (number == SIGCHLD) has_ended = reap(program, descriptor);
        if (number == SIGIO && is_kept && is_abandoned(descriptor)) return 0;
        if (number == SIGTERM) kill(program, SIGTERM);
        // The second pass is for a process that waited in the kernel and was about to create a child.
        for (int pass = 0; pass < 2 && number == SIGTSTP && is_guardian; pass++) stop_descendants();
        if (number == SIGTSTP && !is_guardian) kill(-1, SIGSTOP);
        if (number == SIGCONT && is_guardian) signal_descendants(SIGCONT);
        if (number == SIGCONT && !is_guardian) kill(-1, SIGCONT);
        if (number == SIGQUIT && is_guardian) {
            kill(program, SIGKILL);
            // The reaping reports PROGRAM's status, and the code below ends the remaining processes.
            stop_descendants();
            signal_descendants(SIGKILL);
        }
    }
    if (is_guardian) end_descendants();
    return 0;
}
