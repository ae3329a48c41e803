// descendants: finds the processes below this one in /proc, by parent pid, in any session and group.

#define _GNU_SOURCE
#include "descendants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct process {
    pid_t pid, parent;
    unsigned long long start;  // in clock ticks since boot; with the pid it identifies a process uniquely
    char state;
    bool is_below;
};

// Reads a small file of /proc as a string. Returns its length, or -1.
static ssize_t read_text(const char *path, char *text, size_t size) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    ssize_t count = read(descriptor, text, size - 1);
    close(descriptor);
    if (count >= 0) text[count] = 0;
    return count;
}

// Reads the state, parent and start time from /proc/PID/stat: fields 3, 4 and 22. They follow the name in brackets,
// which may contain any character (proc(5)).
static bool look_up(struct process *process) {
    char path[32], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", process->pid);
    if (read_text(path, text, sizeof text) <= 0) return false;
    const char *field = strrchr(text, ')');
    if (!field || strlen(field) < 5) return false;
    process->state = field[2];
    process->parent = atoi(field + 4);
    for (int number = 2; number < 22; number++)
        if (!(field = strchr(field + 1, ' '))) return false;
    process->start = strtoull(field, NULL, 10);
    return true;
}

// Signals exactly this process, not a later one with the same pid.
static void signal_process(const struct process *process, int number) {
    int pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (pidfd < 0) return;
    struct process now = {.pid = process->pid};
    if (look_up(&now) && now.start == process->start) syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0);
    close(pidfd);
}

static int compare(const void *left, const void *right) {
    pid_t first = ((const struct process *)left)->pid, second = ((const struct process *)right)->pid;
    return (first > second) - (first < second);
}

// Lists all processes, sorted by pid. The caller frees the list. Returns NULL if /proc cannot be read.
static struct process *list_processes(size_t *count) {
    DIR *folder = opendir("/proc");
    if (!folder) return NULL;
    struct process *list = NULL;
    size_t room = 0;
    *count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        if (*count == room) {
            size_t more = room ? room * 2 : 256;
            struct process *grown = realloc(list, more * sizeof *list);
            if (!grown) break;
            list = grown;
            room = more;
        }
        struct process *process = list + *count;
        *process = (struct process){.pid = atoi(entry->d_name)};
        if (look_up(process)) ++*count;
    }
    closedir(folder);
    if (list) qsort(list, *count, sizeof *list, compare);
    return list;
}

static bool is_below(const struct process *list, size_t count, pid_t pid) {
    const struct process wanted = {.pid = pid};
    const struct process *found = bsearch(&wanted, list, count, sizeof *list, compare);
    return found && found->is_below;
}

// Signals the init's own children. They come first, because an orphan becomes a child at once; no other way catches a
// chain of short-lived processes. Only this process reaps them, so their pids cannot be reused here.
static void signal_children(int number) {
    char text[4096];
    if (read_text("/proc/self/task/self/children", text, sizeof text) <= 0
        && read_text("/proc/thread-self/children", text, sizeof text) <= 0)
        return;
    for (char *rest = text, *end; *rest; rest = end) {
        long pid = strtol(rest, &end, 10);
        if (end == rest) return;
        if (pid > 1) kill((pid_t)pid, number);
    }
}

bool signal_descendants(int number) {
    signal_children(number);
    size_t count = 0;
    struct process *list = list_processes(&count);
    if (!list) return false;
    pid_t self = getpid();
    bool found_more = true, has_running = false;
    while (found_more) {
        found_more = false;
        for (size_t i = 0; i < count; i++) {
            if (list[i].is_below || !(list[i].parent == self || is_below(list, count, list[i].parent))) continue;
            list[i].is_below = found_more = true;
            if (list[i].state == 'Z' || list[i].state == 'X') continue;
            signal_process(list + i, number);
            // A process that waits in the kernel (D), for example for its vfork(2) child, stops before it returns to
            // user space.
            if (!strchr("TtD", list[i].state)) has_running = true;
        }
    }
    free(list);
    return has_running;
}

void stop_descendants(void) {
    // Each pass stops the processes that it finds. A pass that finds no running process has found them all.
    for (int pass = 0; pass < 1000 && signal_descendants(SIGSTOP); pass++) continue;
}

void end_descendants(void) {
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    const struct timespec moment = {0, 1000000};
    for (;;) {
        // Every orphan becomes a child of this process. Without children there are no descendants, and /proc need not
        // be scanned.
        for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) != 0;)
            if (pid < 0 && errno == ECHILD) return;
        stop_descendants();
        signal_descendants(SIGKILL);
        sigtimedwait(&ended, NULL, &moment);
    }
}
