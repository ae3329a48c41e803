// walk: measures the least time of a scan of bundle folders, on the daemon's tree: walk FOLDER ROUNDS
//
//   stat      lists every folder, and stats each bundle's Info.plist: the minimum of a start with an index
//   read      also opens and reads each Info.plist
//   libplist  reads each by libplist, the library of Linux tools for iOS devices, and examines nothing
//
// Prints the best round in milliseconds, as wall time and CPU time.

#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <plist/plist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum pass { STAT, READ, LIBPLIST, PASSES };
static const char *const names[PASSES] = {"stat", "read", "libplist"};

static char contents[1 << 16];
static long bundles, bytes;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void look(int folder, const char *bundle, enum pass pass) {
    char path[512];
    snprintf(path, sizeof path, "%s/Info.plist", bundle);
    bundles++;
    if (pass == STAT) {
        struct stat status;
        if (fstatat(folder, path, &status, 0) != 0) fail(path);
        bytes += status.st_size;
        return;
    }
    int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) fail(path);
    ssize_t count = read(file, contents, sizeof contents);
    close(file);
    if (count <= 0) fail(path);
    bytes += count;
    if (pass == READ) return;
    plist_t list = NULL;
    plist_from_xml(contents, (uint32_t)count, &list);
    if (list == NULL) fail("plist_from_xml");
    plist_free(list);
}

/// Calls `look` for each entry of a folder with this suffix, or descends into the PlugIns of each app.
static void walk(int folder, const char *ending, enum pass pass) {
    DIR *list = fdopendir(folder);
    if (list == NULL) fail("fdopendir");
    struct dirent *entry;
    while ((entry = readdir(list)) != NULL) {
        size_t length = strlen(entry->d_name), tail = strlen(ending);
        if (length <= tail || strcmp(entry->d_name + length - tail, ending) != 0) continue;
        if (strcmp(ending, ".appex") == 0) {
            look(folder, entry->d_name, pass);
            continue;
        }
        char path[512];
        snprintf(path, sizeof path, "%s/PlugIns", entry->d_name);
        int inner = openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (inner >= 0) walk(inner, ".appex", pass);
    }
    closedir(list);
}

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double least(double one, double other) { return one < other ? one : other; }

int main(int count, char **arguments) {
    int rounds = count > 2 ? atoi(arguments[2]) : 0;
    if (rounds < 1) return 64;
    for (enum pass pass = STAT; pass < PASSES; pass++) {
        double clock = 1e9, processor = 1e9;
        for (int round = 0; round < rounds; round++) {
            bundles = bytes = 0;
            double start = now(CLOCK_MONOTONIC), ran = now(CLOCK_THREAD_CPUTIME_ID);
            int folder = open(arguments[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            if (folder < 0) fail(arguments[1]);
            walk(folder, ".app", pass);
            clock = least(clock, now(CLOCK_MONOTONIC) - start);
            processor = least(processor, now(CLOCK_THREAD_CPUTIME_ID) - ran);
        }
        printf("%s %.3f %.3f %ld\n", names[pass], clock, processor, bundles);
    }
    return 0;
}
