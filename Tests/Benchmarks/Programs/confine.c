// confine: times what each layer of confinement adds to a launch: confine INIT CHILD [ROUNDS]
//
// A launch is timed from before the clone until the child and its init are gone. The output is the best round and the
// median, in milliseconds. The rounds of all rows alternate, so a busy machine affects all rows equally.
//
//   cc -O2 -o /tmp/confine Tests/Benchmarks/Programs/confine.c
//   /tmp/confine .build/release/exthost-init /bin/true 300

#include "policy.h"

enum { BARE = 16, GUARDIAN = 32, PLAIN = 64 };
static const struct {
    const char *name;
    int what;
} rows[] = {
    {"child alone", BARE},
    {"guardian, no layer", GUARDIAN | PLAIN},
    {"pid namespace, no layer", PLAIN},
    {"no layer, privileges given up", 0},
    {"landlock", LANDLOCK},
    {"seccomp", SECCOMP},
    {"namespaces, but the network's", NAMESPACES | NETWORK},
    {"namespaces", NAMESPACES},
    {"landlock, seccomp, guardian", LANDLOCK | SECCOMP | GUARDIAN},
    {"all", NAMESPACES | LANDLOCK | SECCOMP},
};
enum { ROWS = sizeof rows / sizeof *rows };

static char *init, *child;
struct start {
    int what, status, policy;
};

static int execute(void *argument) {
    struct start *start = argument;
    char numbers[32];
    sigset_t all;
    sigfillset(&all);
    fcntl(start->status, F_SETFD, 0);
    fcntl(start->policy, F_SETFD, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    char *bare[] = {child, NULL};
    if (start->what & BARE) execv(child, bare);
    sigprocmask(SIG_SETMASK, &all, NULL);
    snprintf(numbers, sizeof numbers, start->what & PLAIN ? "%d" : "%d,%d", start->status, start->policy);
    char *arguments[] = {init, start->what & GUARDIAN ? "guardian" : "namespace", numbers, "--", child, NULL};
    execv(init, arguments);
    _exit(127);
}

static double launch(int what, int memory) {
    static _Alignas(16) char stack[64 * 1024];
    int ends[2];
    double begin = now();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) exit(70);
    struct start start = {what, ends[1], memory};
    int flags = CLONE_VM | CLONE_VFORK | SIGCHLD | (what & (BARE | GUARDIAN) ? 0 : CLONE_NEWPID);
    pid_t pid = clone(execute, stack + sizeof stack, flags, &start);
    close(ends[1]);
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) < 0) exit(71);
    double end = now();
    int32_t report[4] = {0};
    ssize_t count = 0;
    if (!(what & BARE))
        while ((count = recv(ends[0], report, sizeof report, 0)) == 1) continue;
    if (status != 0 || report[0] != 0) {
        fprintf(stderr, "%d not started: status 0x%x, step %d, %s\n", what, status, -report[0] / 4096,
            strerror(-report[0] % 4096));
        exit(1);
    }
    close(ends[0]);
    return (end - begin) / 1e3;
}

static int ascending(const void *first, const void *second) {
    double difference = *(const double *)first - *(const double *)second;
    return (difference > 0) - (difference < 0);
}

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    init = argv[1];
    child = argv[2];
    int rounds = argc > 3 ? atoi(argv[3]) : 300;
    char container[] = "/var/tmp/confine-XXXXXX";
    if (!mkdtemp(container)) return 71;
    int memories[ROWS];
    double *times[ROWS];
    for (int row = 0; row < ROWS; row++) {
        memories[row] = policy(rows[row].what, NULL, container);
        times[row] = malloc((size_t)rounds * sizeof(double));
    }
    for (int round = -2; round < rounds; round++)
        for (int row = 0; row < ROWS; row++) {
            double time = launch(rows[row].what, memories[row]);
            if (round >= 0) times[row][round] = time;
        }
    for (int row = 0; row < ROWS; row++) {
        qsort(times[row], (size_t)rounds, sizeof(double), ascending);
        printf("%-32s %6.2f %6.2f\n", rows[row].name, times[row][0], times[row][rounds / 2]);
    }
    rmdir(container);
    return 0;
}
