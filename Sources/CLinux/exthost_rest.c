// exthost_rest.c: whether anything runs in a tree of processes, by proc(5).

#define _GNU_SOURCE
#include "exthost_rest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PROCESSES = 256 };

// The file's beginning as a string; its length, or -1.
static ssize_t read_at(int folder, const char *thread, const char *name, char *buffer, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", thread, name);
    int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    size_t length = 0;
    ssize_t count;
    while (length < size - 1 && ((count = read(file, buffer + length, size - 1 - length)) > 0 || (count < 0 && errno == EINTR)))
        if (count > 0) length += (size_t)count;
    close(file);
    buffer[length] = 0;
    return (ssize_t)length;
}

// How often the thread was put on a processor: the third number of schedstat (Documentation/scheduler/sched-stats.rst). A kernel without
// it counts the switches away from the thread.
static uint64_t turns(int folder, const char *thread) {
    char buffer[8192];
    unsigned long long run, waited, count;
    if (read_at(folder, thread, "schedstat", buffer, 256) > 0 && sscanf(buffer, "%llu %llu %llu", &run, &waited, &count) == 3)
        return count;
    uint64_t sum = 0;
    if (read_at(folder, thread, "status", buffer, sizeof buffer) > 0)
        for (char *line = buffer; (line = strstr(line, "ctxt_switches:")); line += 14) sum += strtoull(line + 14, NULL, 10);
    return sum;
}

// FNV-1a.
static uint64_t mix(uint64_t digest, uint64_t value) {
    for (int byte = 0; byte < 8; byte++) digest = (digest ^ (value >> 8 * byte & 0xff)) * 0x100000001b3;
    return digest;
}

// Whether `stat` says of a thread that it is asleep, stopped, traced, or dead and not collected: the first word after the name, which may hold
// anything.
static bool sleeps(const char *stat) {
    const char *bracket = strrchr(stat, ')');
    return bracket && bracket[1] && strchr("StTZX", bracket[2]);
}

bool exthost_tree_rests(pid_t root, uint64_t *digest, pid_t *busy) {
    if (*busy) {
        char name[48], buffer[4096];
        snprintf(name, sizeof name, "/proc/%d/task/%d", (int)*busy, (int)*busy);
        if (read_at(AT_FDCWD, name, "stat", buffer, sizeof buffer) > 0 && !sleeps(buffer)) return false;
        *busy = 0;
    }
    pid_t processes[MOST_PROCESSES] = {root};
    int known = 1;
    *digest = 0xcbf29ce484222325;
    for (int next = 0; next < known; next++) {
        char path[64], buffer[4096];
        snprintf(path, sizeof path, "/proc/%d/task", (int)processes[next]);
        DIR *folder = opendir(path);
        // One that has gone has left its parent another one than before, which that one's own look shows.
        if (!folder) continue;
        bool rests = true;
        struct dirent *entry;
        while (rests && (entry = readdir(folder))) {
            if (entry->d_name[0] == '.') continue;
            if (read_at(dirfd(folder), entry->d_name, "stat", buffer, sizeof buffer) <= 0) continue;
            pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
            if (!sleeps(buffer)) {
                rests = false;
                *busy = thread;
                break;
            }
            *digest = mix(mix(*digest, (uint64_t)thread), turns(dirfd(folder), entry->d_name));
            if (read_at(dirfd(folder), entry->d_name, "children", buffer, sizeof buffer) <= 0) continue;
            char *rest = buffer;
            for (char *word; (word = strtok_r(rest, " ", &rest));) {
                if (known == MOST_PROCESSES) rests = false;
                else processes[known++] = (pid_t)atoi(word);
            }
        }
        closedir(folder);
        if (!rests) return false;
    }
    return true;
}
