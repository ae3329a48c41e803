// exthost-init STATUS_FD -- PROGRAM ARGUMENTS…: pid 1 of an extension's pid namespace (pid_namespaces(7)).
//
// It starts PROGRAM in a session of its own, passes SIGTERM on to it, reaps whatever is orphaned inside, and when PROGRAM ends
// writes how to STATUS_FD and exits; the kernel then kills everything left in the namespace. SIGTSTP stops and SIGCONT continues
// every process inside, whatever its session. All signals arrive blocked: pid 1 loses what it neither blocks nor handles.
//
// The report is a 4-byte number, PROGRAM's wait status or, negative, the errno for which it could not be executed; after a wait
// status come 8 bytes, PROGRAM's peak resident memory in kilobytes. No stdio, to start fast and stay small.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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
    int code;
};

static int execute(void *argument) {
    struct start *start = argument;
    sigset_t none;
    sigemptyset(&none);
    setsid();
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(start->arguments[0], start->arguments, environ);
    start->code = errno;
    _exit(127);
}

// Returns the pid of PROGRAM, or a negative errno. As with vfork, we stand still and share our memory until the child executes
// or exits, so it can leave its errno there.
static pid_t start(char **arguments) {
    static _Alignas(16) char stack[16 * 1024];
    struct start start = {arguments, 0};
    pid_t pid = __clone(execute, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
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

int main(int argc, char **argv) {
    if (argc < 4 || strcmp(argv[2], "--") != 0) {
        static const char usage[] = "usage: exthost-init STATUS_FD -- PROGRAM [ARGUMENT…]\n";
        (void)!write(2, usage, sizeof usage - 1);
        return 64;
    }
    // As pid 1, and only then, kill(-1) below means "this namespace".
    if (getpid() != 1) {
        static const char refusal[] = "exthost-init: runs only as the first process of a pid namespace\n";
        (void)!write(2, refusal, sizeof refusal - 1);
        return 64;
    }
    int descriptor = atoi(argv[1]);
    if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0) return 64;

    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);

    pid_t program = start(argv + 3);
    if (program < 0) {
        report(descriptor, program, 0);
        return 127;
    }
    // PROGRAM has its descriptors now. Kept open here, they would hide from the daemon that it closed them.
    if (descriptor > 0) syscall(SYS_close_range, 0, (unsigned int)descriptor - 1, 0);
    syscall(SYS_close_range, (unsigned int)descriptor + 1, ~0U, 0);

    for (;;) {
        siginfo_t information;
        int number = sigwaitinfo(&all, &information);
        if (number == SIGCHLD && reap(program, descriptor)) return 0;
        if (number == SIGTERM) kill(program, SIGTERM);
        if (number == SIGTSTP) kill(-1, SIGSTOP);
        if (number == SIGCONT) kill(-1, SIGCONT);
    }
}
