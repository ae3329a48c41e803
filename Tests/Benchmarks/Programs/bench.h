// bench: functions of the limit and peer programs: a clock, lists of samples, children on a socket pair.

#ifndef EXTHOST_BENCH_H
#define EXTHOST_BENCH_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = 65536, SOCKET = 3 };

static inline void fail(const char *what) {
    perror(what);
    exit(71);
}

static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/// Prints one line: a name, a unit, and every sample.
struct samples {
    const char *name, *unit;
    double *values;
    size_t count, room;
};

static inline void add(struct samples *samples, double value) {
    if (samples->count == samples->room) {
        samples->room = samples->room ? 2 * samples->room : 256;
        samples->values = realloc(samples->values, samples->room * sizeof(double));
        if (!samples->values) fail("realloc");
    }
    samples->values[samples->count++] = value;
}

static inline void print(const struct samples *samples) {
    printf("%s %s", samples->name, samples->unit);
    for (size_t i = 0; i < samples->count; i++) printf(" %.3f", samples->values[i]);
    printf("\n");
    fflush(stdout);
}

static inline size_t read_file(const char *path, char *bytes, size_t room) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? -1 : read(file, bytes, room);
    if (count <= 0) fail(path);
    close(file);
    return (size_t)count;
}

static inline void pair(int ends[2]) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) fail("socketpair");
}

static inline size_t receive(int socket, char *bytes) {
    ssize_t count = recv(socket, bytes, MESSAGE, 0);
    if (count <= 0) fail("recv");
    return (size_t)count;
}

static inline void transmit(int socket, const char *bytes, size_t count) {
    if (send(socket, bytes, count, MSG_NOSIGNAL) != (ssize_t)count) fail("send");
}

/// Starts a child by the cheapest means of the kernel. The child has its end of a socket pair at descriptor 3. Returns
/// its pid and our end.
static inline pid_t start(char *const *arguments, int *end) {
    int ends[2];
    pair(ends);
    pid_t pid = vfork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (ends[1] == SOCKET)
            fcntl(SOCKET, F_SETFD, 0);
        else
            dup2(ends[1], SOCKET);
        execv(arguments[0], arguments);
        _exit(127);
    }
    if (pid < 0) fail("vfork");
    close(ends[1]);
    *end = ends[0];
    return pid;
}

/// Returns the arguments after `--`.
static inline char **command(char **arguments) {
    while (*arguments && strcmp(*arguments, "--") != 0) arguments++;
    if (!*arguments || !arguments[1]) {
        fprintf(stderr, "no program after --\n");
        exit(64);
    }
    return arguments + 1;
}

static inline void raise_descriptor_limit(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

#endif
