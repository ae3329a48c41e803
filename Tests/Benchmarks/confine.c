// confine INIT CHILD [ROUNDS]: what each layer of confinement adds to a launch, from before the clone until the child and its init are gone.
// Best of so many rounds, and their median, in milliseconds; the rounds of all rows take turns, so that a busy machine is busy for each.
//
//   cc -O2 -o /tmp/confine Tests/Benchmarks/confine.c && /tmp/confine .build/release/exthost-init /bin/true 300

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { NAMESPACES = 1, LANDLOCK = 2, SECCOMP = 4, NETWORK = 8, BARE = 16, GUARDIAN = 32, PLAIN = 64 };
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

static void add(FILE *file, const char *verb, const char *first, const char *second) {
    fprintf(file, "%s%c%s%c%s%c", verb, 0, first, 0, second, 0);
}

static int policy(int what, const char *container) {
    static const char *const folders[] = {"/bin", "/etc/alternatives", "/etc/ld.so.cache", "/lib", "/lib32", "/lib64", "/sbin", "/usr"};
    static const char *const devices[] = {"/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"};
    int memory = memfd_create("policy", 0);
    FILE *file = fdopen(dup(memory), "w");
    fprintf(file, "exthost-policy-1%c", 0);
    if (what & NAMESPACES) add(file, "layer", "namespaces", "");
    if (what & LANDLOCK) add(file, "layer", "landlock", "7");
    if (what & SECCOMP) add(file, "layer", "seccomp", "");
    if (what & NETWORK) add(file, "network", "client", "");
    if (what & NETWORK) add(file, "network", "server", "");
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct stat status;
        char target[256] = "";
        if (lstat(folders[i], &status) < 0) continue;
        if (S_ISLNK(status.st_mode) && readlink(folders[i], target, sizeof target - 1) > 0)
            add(file, "link", folders[i], target);
        else
            add(file, "read", folders[i], "");
    }
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) add(file, "device", devices[i], "");
    add(file, "link", "/dev/fd", "/proc/self/fd");
    add(file, "text", "/etc/passwd", "user:x:1000:1000::/:/bin/sh\n");
    add(file, "text", "/etc/group", "user:x:1000:\n");
    add(file, "place", "/tmp", container);
    add(file, "write", container, "");
    fclose(file);
    return memory;
}

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

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
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
        fprintf(stderr, "%d not started: status 0x%x, step %d, %s\n", what, status, -report[0] / 4096, strerror(-report[0] % 4096));
        exit(1);
    }
    close(ends[0]);
    return end - begin;
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
        memories[row] = policy(rows[row].what, container);
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
