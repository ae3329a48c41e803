// program: the programs that run in the namespace.

#define _GNU_SOURCE
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enclosure.h"

enum { PROGRAMS = 64, MOST_BYTES = 2 << 20, MOST_STRINGS = 32768, NUMBER_LENGTH = 24 };

static struct program {
    pid_t pid;  // 0: the place is free
    char number[NUMBER_LENGTH];
} programs[PROGRAMS];

// Reads the file with arguments and environment into memory of this process. The caller unmaps it.
static char *read_strings(int descriptor, size_t *length) {
    struct stat status;
    if (fstat(descriptor, &status) < 0 || status.st_size <= 0 || status.st_size > MOST_BYTES) return NULL;
    *length = (size_t)status.st_size;
    char *bytes = mmap(NULL, *length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) return NULL;
    for (size_t offset = 0; offset < *length;) {
        ssize_t count = pread(descriptor, bytes + offset, *length - offset, (off_t)offset);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            munmap(bytes, *length);
            return NULL;
        }
        offset += (size_t)count;
    }
    return bytes;
}

// Runs in the child. Leaves the errno in `pipe` if the program cannot be executed.
static void execute(struct packet *request, char **arguments, char **environment, int pipe) {
    static const int defaults[] = {SIGPIPE, SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    bool is_ready = true;
    // Through copies above the standard descriptors, which may be among the request's.
    int copies[3];
    for (int i = 0; i < 3; i++)
        is_ready = is_ready && (copies[i] = fcntl(request->descriptors[i + 1], F_DUPFD_CLOEXEC, 3)) >= 0;
    for (int i = 0; i < 3; i++) is_ready = is_ready && dup2(copies[i], i) >= 0;
    if (is_ready && chdir(request->strings[2]) == 0 && drop_capabilities()) {
        sigset_t none;
        sigemptyset(&none);
        for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) signal(defaults[i], SIG_DFL);
        sigprocmask(SIG_SETMASK, &none, NULL);
        environ = environment;
        execvp(arguments[0], arguments);
    }
    int code = errno;
    (void)!write(pipe, &code, sizeof code);
    _exit(127);
}

static long start(struct packet *request, struct program *place, char **arguments, char **environment) {
    int ends[2];
    // Above the standard descriptors, which the child replaces.
    if (pipe2(ends, O_CLOEXEC) < 0) return fail("program", errno, "there is no pipe", ""), -1;
    int report = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
    close(ends[1]);
    pid_t pid = report < 0 ? -1 : fork();
    if (pid == 0) execute(request, arguments, environment, report);
    int code = errno;
    if (report >= 0) close(report);
    if (pid > 0) {
        // The kernel closes the pipe when the program is executed.
        ssize_t count;
        while ((count = read(ends[0], &code, sizeof code)) < 0 && errno == EINTR) continue;
        if (count == 0) {
            close(ends[0]);
            place->pid = pid;
            strcpy(place->number, request->strings[0]);
            return pid;
        }
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    }
    close(ends[0]);
    if (code == ENOENT) return fail("program", code, "there is no such program, interpreter or folder", ""), -1;
    if (code == EACCES) return fail("program", code, "the program may not be executed", ""), -1;
    return fail("program", code, "the program cannot be started", ""), -1;
}

long run_program(struct packet *request) {
    static char *strings[MOST_STRINGS + 2];
    struct program *place = NULL;
    for (int i = 0; i < PROGRAMS && !place; i++)
        if (programs[i].pid == 0) place = &programs[i];
    if (!place) return fail("program", EAGAIN, "64 programs run already", ""), -1;
    if (strlen(request->strings[0]) >= NUMBER_LENGTH) return fail("request", EINVAL, "this is no number", ""), -1;
    size_t length = 0;
    char *bytes = read_strings(request->descriptors[0], &length);
    if (!bytes) return fail("program", EINVAL, "the arguments cannot be read, or have more than 2 MiB", ""), -1;
    int count = split(bytes, length, strings, MOST_STRINGS);
    unsigned long arguments;
    long pid = -1;
    if (count < 2 || !parse_number(strings[0], (unsigned long)count - 1, &arguments) || arguments == 0) {
        fail("program", EINVAL, "the arguments and the environment are damaged", "");
    } else {
        // The arguments move one place down, so that a null pointer fits behind them.
        memmove(strings, strings + 1, arguments * sizeof *strings);
        strings[arguments] = NULL;
        strings[count] = NULL;
        pid = start(request, place, strings, strings + arguments + 1);
    }
    munmap(bytes, length);
    return pid;
}

bool signal_program(const char *number, const char *text) {
    unsigned long signal;
    if (!parse_number(text, 64, &signal)) return fail("request", EINVAL, "this is no signal", "");
    for (int i = 0; i < PROGRAMS; i++)
        if (programs[i].pid > 0 && strcmp(programs[i].number, number) == 0) kill(programs[i].pid, (int)signal);
    return true;
}

void reap_programs(int host) {
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        for (int i = 0; i < PROGRAMS; i++)
            if (programs[i].pid == pid) {
                programs[i].pid = 0;
                answer_exit(host, programs[i].number, status);
            }
}
