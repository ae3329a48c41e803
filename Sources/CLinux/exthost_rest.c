// exthost_rest: detects an idle process tree and reads CPU times, from proc(5).

#define _GNU_SOURCE
#include "exthost_rest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PROCESSES = 256, KEPT_THREADS = 128 };

// A sampled thread. Its two files stay open to be read again; -1 if a file is not open.
struct thread {
    pid_t number;
    int stat, schedstat;
    uint64_t turns;
};

struct look {
    struct thread threads[KEPT_THREADS];
    int count;
    // The number of further threads, beyond `threads`.
    int others;
    uint64_t digest;
};

// Reads the start of a file as a string. Returns its length, or -1. One call returns the whole line of a stat file.
static ssize_t beginning(int file, char *buffer, size_t size) {
    ssize_t count;
    do count = pread(file, buffer, size - 1, 0);
    while (count < 0 && errno == EINTR);
    buffer[count > 0 ? count : 0] = 0;
    return count;
}

static int open_at(int folder, const char *thread, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", thread, name);
    return openat(folder, path, O_RDONLY | O_CLOEXEC);
}

// Reads a whole file, which may take several calls, as a string. Returns its length, or -1.
static ssize_t read_at(int folder, const char *thread, const char *name, char *buffer, size_t size) {
    int file = open_at(folder, thread, name);
    if (file < 0) return -1;
    size_t length = 0;
    ssize_t count;
    while (length < size - 1
        && ((count = read(file, buffer + length, size - 1 - length)) > 0 || (count < 0 && errno == EINTR)))
        if (count > 0) length += (size_t)count;
    close(file);
    buffer[length] = 0;
    return (ssize_t)length;
}

// Gets how often a thread was scheduled: the third number of schedstat (Documentation/scheduler/sched-stats.rst).
// Returns false if the kernel does not report it.
static bool times_run(int schedstat, uint64_t *result) {
    char buffer[256];
    unsigned long long run, waited, count;
    if (schedstat < 0 || beginning(schedstat, buffer, sizeof buffer) <= 0
        || sscanf(buffer, "%llu %llu %llu", &run, &waited, &count) != 3)
        return false;
    *result = count;
    return true;
}

// Returns a thread's number of context switches, the fallback for `times_run`.
static uint64_t times_left(int folder, const char *thread) {
    char buffer[8192];
    uint64_t sum = 0;
    if (read_at(folder, thread, "status", buffer, sizeof buffer) > 0)
        for (char *line = buffer; (line = strstr(line, "ctxt_switches:")); line += 14)
            sum += strtoull(line + 14, NULL, 10);
    return sum;
}

// Hashes `value` into `digest` (FNV-1a).
static uint64_t mix(uint64_t digest, uint64_t value) {
    for (int byte = 0; byte < 8; byte++) digest = (digest ^ (value >> 8 * byte & 0xff)) * 0x100000001b3;
    return digest;
}

// Whether a stat line shows a sleeping, stopped, traced or dead thread. The state follows the name, which may contain
// any character.
static bool sleeps(const char *stat) {
    const char *bracket = strrchr(stat, ')');
    return bracket && bracket[1] && strchr("StTZX", bracket[2]);
}

static void forget(struct look *look) {
    for (int next = 0; next < look->count; next++) {
        if (look->threads[next].stat >= 0) close(look->threads[next].stat);
        if (look->threads[next].schedstat >= 0) close(look->threads[next].schedstat);
    }
    look->count = 0;
}

// Samples one thread. Returns false and sets `busy` if the thread is running. A thread that has exited is skipped.
static bool see(struct look *look, int folder, const char *name, pid_t *busy) {
    char buffer[4096];
    struct thread thread = {(pid_t)strtol(name, NULL, 10), open_at(folder, name, "stat"), -1, 0};
    if (thread.stat < 0) return true;
    if (beginning(thread.stat, buffer, sizeof buffer) <= 0) {
        close(thread.stat);
        return true;
    }
    if (!sleeps(buffer)) {
        close(thread.stat);
        *busy = thread.number;
        return false;
    }
    thread.schedstat = open_at(folder, name, "schedstat");
    bool is_counted = times_run(thread.schedstat, &thread.turns);
    if (!is_counted) thread.turns = times_left(folder, name);
    look->digest = mix(mix(look->digest, (uint64_t)thread.number), thread.turns);
    if (is_counted && look->count < KEPT_THREADS) {
        look->threads[look->count++] = thread;
        return true;
    }
    look->others++;
    close(thread.stat);
    if (thread.schedstat >= 0) close(thread.schedstat);
    return true;
}

// Appends the child processes of a thread. Returns false if the array is full.
static bool add_children(int folder, const char *thread, pid_t *processes, int *known) {
    char buffer[4096];
    if (read_at(folder, thread, "children", buffer, sizeof buffer) <= 0) return true;
    char *rest = buffer;
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        if (*known == MOST_PROCESSES) return false;
        processes[(*known)++] = (pid_t)atoi(word);
    }
    return true;
}

// Samples every thread of the tree. Returns false at the first running thread.
static bool see_all(pid_t root, struct look *look, pid_t *busy) {
    pid_t processes[MOST_PROCESSES] = {root};
    int known = 1;
    look->count = look->others = 0;
    look->digest = 0xcbf29ce484222325;
    for (int next = 0; next < known; next++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/task", (int)processes[next]);
        DIR *folder = opendir(path);
        // This process has exited. Its exit woke its parent, and the parent's own sample shows that.
        if (!folder) continue;
        bool rests = true;
        struct dirent *entry;
        while (rests && (entry = readdir(folder))) {
            if (entry->d_name[0] == '.') continue;
            rests = see(look, dirfd(folder), entry->d_name, busy);
            if (rests) rests = add_children(dirfd(folder), entry->d_name, processes, &known);
        }
        closedir(folder);
        if (!rests) return false;
    }
    return true;
}

// Whether every sampled thread is still asleep and was not scheduled in between. The tree has no new thread then,
// because one of these threads would have had to run to create it.
static bool all_sleep_on(const struct look *look, pid_t *busy) {
    for (int next = 0; next < look->count; next++) {
        const struct thread *thread = &look->threads[next];
        char buffer[4096];
        uint64_t turns;
        // A thread must run to exit.
        if (beginning(thread->stat, buffer, sizeof buffer) <= 0) return false;
        if (!sleeps(buffer)) {
            *busy = thread->number;
            return false;
        }
        if (!times_run(thread->schedstat, &turns) || turns != thread->turns) return false;
    }
    return true;
}

bool exthost_tree_rests(pid_t root, uint64_t *digest, pid_t *busy) {
    if (*busy) {
        char name[48], buffer[4096];
        snprintf(name, sizeof name, "/proc/%d/task/%d", (int)*busy, (int)*busy);
        if (read_at(AT_FDCWD, name, "stat", buffer, sizeof buffer) > 0 && !sleeps(buffer)) return false;
        *busy = 0;
    }
    struct look look, again;
    bool rests = see_all(root, &look, busy);
    *digest = look.digest;
    if (rests) rests = all_sleep_on(&look, busy);
    if (rests && look.others) {
        // The threads without open files are sampled again.
        rests = see_all(root, &again, busy) && again.digest == look.digest;
        forget(&again);
    }
    forget(&look);
    return rests;
}

// Returns CPU times of a stat file in nanoseconds. They are those of the process or thread itself (fields 14 and 15),
// or of the children that a process has waited for (16 and 17). The file counts ticks.
static uint64_t ticks(int folder, const char *name, bool of_children) {
    char buffer[4096];
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t length = beginning(file, buffer, sizeof buffer);
    close(file);
    const char *bracket = length > 0 ? strrchr(buffer, ')') : NULL;
    long long own, system, children, childrens_system;
    if (!bracket
        || sscanf(bracket + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld", &own, &system,
               &children, &childrens_system)
            != 4)
        return 0;
    return (uint64_t)(of_children ? children + childrens_system : own + system)
        * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

// Returns the times of one thread: the first two numbers of schedstat. If the kernel does not report them, the result
// has ticks and no waiting time.
static struct exthost_times times_of(int folder, const char *thread) {
    char buffer[256], path[64];
    unsigned long long ran, waited;
    struct exthost_times times = {(pid_t)strtol(thread, NULL, 10), 0, 0};
    if (read_at(folder, thread, "schedstat", buffer, sizeof buffer) > 0
        && sscanf(buffer, "%llu %llu", &ran, &waited) == 2) {
        times.ran = ran;
        times.waited = waited;
        return times;
    }
    snprintf(path, sizeof path, "%s/stat", thread);
    times.ran = ticks(folder, path, false);
    return times;
}

int exthost_times(pid_t root, bool is_tree, struct exthost_times *times, int room) {
    pid_t processes[MOST_PROCESSES] = {root};
    int known = 1, count = 0;
    for (int next = 0; next < known; next++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d", (int)processes[next]);
        int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0) continue;
        if (is_tree && count < room)
            times[count++] = (struct exthost_times){-processes[next], ticks(folder, "stat", true), 0};
        int tasks = openat(folder, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *threads = tasks < 0 ? NULL : fdopendir(tasks);
        struct dirent *entry;
        bool has_room = true;
        while (threads && (entry = readdir(threads))) {
            if (entry->d_name[0] == '.') continue;
            if (count < room) times[count++] = times_of(dirfd(threads), entry->d_name);
            if (is_tree && has_room) has_room = add_children(dirfd(threads), entry->d_name, processes, &known);
        }
        if (threads)
            closedir(threads);
        else if (tasks >= 0)
            close(tasks);
        close(folder);
    }
    return count;
}
