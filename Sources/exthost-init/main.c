// exthost-init namespace|kept|guardian[,tasks] STATUS_FD[,POLICY_FD] -- PROGRAM ARGUMENTS…: holds an extension's
// processes together.
//
// It starts PROGRAM in a session of its own, passes SIGTERM on to it, reaps whatever is orphaned below it, and when
// PROGRAM ends it writes how to STATUS_FD and exits, and everything that PROGRAM left behind ends, too. SIGTSTP stops
// and SIGCONT continues every process below it, whatever its session. All signals arrive blocked: what is neither
// blocked nor handled would be lost.
//
// `namespace`: it is pid 1 of a pid namespace (pid_namespaces(7)). SIGKILL to it, or its exit, and the kernel kills all
// of it. `kept`: the same for a daemon that may have a successor, whose own end therefore ends nothing. Here it is the
// end of STATUS_FD: once nobody holds the other end, no daemon and no store of descriptors, all of it is killed.
// `guardian`: where no namespace may be made. It is the reaper of its descendants (PR_SET_CHILD_SUBREAPER), so that
// none can get out from below it, and SIGQUIT tells it to kill them: from the daemon, or from the kernel when the
// daemon dies. With `tasks` its soft RLIMIT_NPROC is a share of what its user may have (limits.h).
//
// With POLICY_FD, a sealed memory (policy.h), PROGRAM is confined to what the policy names (confine.h), or not started.
//
// exthost-init as UID GID[,GROUP…] namespace|kept|guardian …: the same for another user (identity.h): first it waits
// for one byte on STATUS_FD, by which the daemon says that its ids are there, and becomes that user.
//
// exthost-init attempt LAYER…: does what each layer of confinement refuses, exits with 0 if all of it was refused: a
// throw-away child, too.
//
// exthost-init janitor FD FOLDER: removes FOLDER once nobody holds the other end of the pipe FD any more: a daemon's
// private folder, however that daemon ends.
//
// exthost-init groups FD FOLDER…: kills who is in control groups and removes them, with the groups directly in them,
// once nobody holds the other end of the pipe FD.
//
// exthost-init memory BYTES, exthost-init task: fills memory, starts a process more, exits with 0 if it could: a
// throw-away child with which the daemon finds out what a limit does here.
//
// STATUS_FD is a packet socket. One byte says that PROGRAM is about to be executed; the credentials that come with it
// are PROGRAM's, by which the daemon learns its pid. A guarded one sends a pidfd of itself, too: should it kill its
// guardian, the daemon still reaches its process group. The report is a 4-byte number, PROGRAM's wait status or,
// negative, the errno for which it could not be executed (with the step of confinement that failed, confine.h); after a
// wait status come 8 bytes, PROGRAM's peak resident memory in kilobytes. In between come notices of what a confined
// PROGRAM was refused (notices.h). No stdio, to start fast and stay small.

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

// glibc's other name for clone(2): a sanitizer takes the usual one for a fork.
int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);

struct start {
    char **arguments;
    int descriptor;
    bool is_guarded;
    struct msghdr note;
    int *pidfd;  // where it stands in the note
    int code;
};

// By bare system calls: it runs in the memory of its parent, and what a sanitizer notes on the way would be the
// parent's.
__attribute__((no_sanitize("address", "thread"))) static int execute(void *argument) {
    struct start *start = argument;
    static const uint64_t no_signals = 0;
    syscall(SYS_setsid);
    if (start->is_guarded) {
        // A guardian can be killed by what it guards.
        syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        *start->pidfd = (int)syscall(SYS_pidfd_open, syscall(SYS_getpid), 0);
    }
    // Without a pidfd, where none is to be had: the pid has to come through.
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

// Returns the pid of PROGRAM, or a negative errno. As with vfork, we stand still and share our memory until the child
// executes or exits, so it can leave its errno there.
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
    // Descriptors are shared until the child executes: what it opens, the listener of its filter, stays here. Passing
    // it over a socket would count for the user, and fail where another program of that user has passed as many as may
    // be under way (unix(7)).
    pid_t pid = __clone(execute, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &start);
    if (pid < 0) return -errno;
    if (start.code == 0) return pid;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    return -start.code;
}

// Reaps all that has ended; 1 once PROGRAM was among it.
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

// A signal comes with whatever happens to the socket, its hang-up too. Where that cannot be had the daemon's end would
// not be seen.
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
    // The extension may have removed its owner's rights. rm fails if another process, which removes the folder too,
    // moves a directory inside it meanwhile; so the janitor tries again.
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
    // As pid 1, and only then, kill(-1) below means "this namespace".
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
    // Whether a signal may be sent is asked of whoever wanted it, with the rights that it had then (F_SETOWN,
    // fcntl(2)).
    if (identity && is_kept && (!watch_other_end(descriptor) || is_abandoned(descriptor))) return 70;
    if (problem == 0 && shares_tasks) share_tasks();
    if (problem == 0 && policy) problem = confine_prepare(atoi(policy + 1));
    pid_t program = problem != 0 ? -problem : start(argv + 4, descriptor, is_guardian);
    if (program < 0) {
        report(descriptor, program, 0);
        return 127;
    }
    // PROGRAM has its descriptors now. Kept open here, they would hide from the daemon that it closed them.
    confine_started(descriptor);

    bool has_ended = false;
    while (!has_ended) {
        int number = confine_wait();
        if (number == SIGCHLD) has_ended = reap(program, descriptor);
        if (number == SIGIO && is_kept && is_abandoned(descriptor)) return 0;
        if (number == SIGTERM) kill(program, SIGTERM);
        // Twice: one that waited in the kernel may have had a child on its way out.
        for (int pass = 0; pass < 2 && number == SIGTSTP && is_guardian; pass++) stop_descendants();
        if (number == SIGTSTP && !is_guardian) kill(-1, SIGSTOP);
        if (number == SIGCONT && is_guardian) signal_descendants(SIGCONT);
        if (number == SIGCONT && !is_guardian) kill(-1, SIGCONT);
        if (number == SIGQUIT && is_guardian) {
            kill(program, SIGKILL);
            // How the program ended is told by the reaping, and the rest is ended below.
            stop_descendants();
            signal_descendants(SIGKILL);
        }
    }
    if (is_guardian) end_descendants();
    return 0;
}
