// harness: measures the least time of a request to a child process: no daemon, no kit, a socket pair and vfork.
//
//   harness cold PAYLOAD ROUNDS [INIT] -- CHILD …   starts, asks and ends a child; INIT (exthost-init) confines it like
//                                                   an extension
//   harness parked PAYLOAD ROUNDS -- CHILD …        the same with a child that has already reported that it is ready
//   harness warm PAYLOAD ROUNDS -- CHILD …          many requests to one child
//
// Samples are in microseconds.

#include "policy.h"

#include <libgen.h>

static char request[MESSAGE], reply[MESSAGE];
static size_t length;

struct confined {
    char *init, **child;
    int status, policy, socket;
};

static int execute(void *argument) {
    struct confined *confined = argument;
    char numbers[32], *arguments[16] = {confined->init, "namespace", numbers, "--"};
    sigset_t all;
    int count = 4;
    sigfillset(&all);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(confined->socket, SOCKET);
    fcntl(confined->status, F_SETFD, 0);
    fcntl(confined->policy, F_SETFD, 0);
    sigprocmask(SIG_SETMASK, &all, NULL);
    snprintf(numbers, sizeof numbers, "%d,%d", confined->status, confined->policy);
    for (char **word = confined->child; *word && count < 15; word++) arguments[count++] = *word;
    execv(confined->init, arguments);
    _exit(127);
}

/// Starts a child like the daemon: in a pid namespace, by the init, which gets the policy and reports.
static pid_t start_confined(char *init, char **child, const char *container, int *end, int *report) {
    static _Alignas(16) char stack[64 * 1024];
    int ends[2], reports[2];
    char path[512];
    pair(ends);
    pair(reports);
    // The daemon also writes a policy for each launch.
    snprintf(path, sizeof path, "%s", child[0]);
    int memory = policy(NAMESPACES | LANDLOCK | SECCOMP, dirname(path), container);
    // The descriptor must not have the child's number.
    struct confined confined = {init, child, reports[1], memory, ends[1]};
    pid_t pid = clone(execute, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_NEWPID | SIGCHLD, &confined);
    if (pid < 0) fail("clone");
    close(memory);
    close(ends[1]);
    close(reports[1]);
    *end = ends[0];
    *report = reports[0];
    return pid;
}

static void call(int socket) {
    transmit(socket, request, length);
    if (receive(socket, reply) < 16) fail("a short reply");
}

static void await_gone(pid_t pid) {
    int status;
    if (waitpid(pid, &status, 0) < 0 || status != 0) {
        fprintf(stderr, "the child ended with 0x%x\n", status);
        exit(1);
    }
}

static void cold(char *init, char **child, int rounds) {
    struct samples results = {"result", "us"}, gone = {"gone", "us"};
    char container[] = "/var/tmp/harness-XXXXXX";
    if (!mkdtemp(container)) fail(container);
    for (int round = -3; round < rounds; round++) {
        int end, report = -1;
        double begin = now();
        pid_t pid = init ? start_confined(init, child, container, &end, &report) : start(child, &end);
        call(end);
        double answered = now();
        await_gone(pid);
        double ended = now();
        close(end);
        if (report >= 0) close(report);
        if (round < 0) continue;
        add(&results, answered - begin);
        add(&gone, ended - begin);
    }
    rmdir(container);
    print(&results);
    print(&gone);
}

static void parked(char **child, int rounds) {
    struct samples results = {"result", "us"}, gone = {"gone", "us"};
    for (int round = 0; round < rounds; round++) {
        int end;
        pid_t pid = start(child, &end);
        receive(end, reply);
        usleep(2000);  // the child has reported that it is ready, and becomes idle
        double begin = now();
        call(end);
        add(&results, now() - begin);
        await_gone(pid);
        add(&gone, now() - begin);
        close(end);
    }
    print(&results);
    print(&gone);
}

static void warm(char **child, int rounds) {
    struct samples results = {"warm", "us"};
    int end;
    pid_t pid = start(child, &end);
    for (int round = -200; round < rounds; round++) {
        double begin = now();
        call(end);
        if (round >= 0) add(&results, now() - begin);
    }
    close(end);
    waitpid(pid, NULL, 0);
    print(&results);
}

int main(int count, char **arguments) {
    if (count < 5) return 64;
    char **child = command(arguments);
    char *init = strcmp(arguments[4], "--") == 0 ? NULL : arguments[4];
    int rounds = atoi(arguments[3]);
    // This open file prevents later ones from getting the child's number.
    if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0) fail("/dev/null");
    length = read_file(arguments[2], request, sizeof request);
    if (strcmp(arguments[1], "cold") == 0)
        cold(init, child, rounds);
    else if (strcmp(arguments[1], "parked") == 0)
        parked(child, rounds);
    else
        warm(child, rounds);
    return 0;
}
