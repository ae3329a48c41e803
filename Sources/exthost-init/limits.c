// limits: runs exthost-init as a short-lived child that exceeds a limit, and as the process that removes control groups
// after the daemon's end.

#define _GNU_SOURCE
#include "limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int fill_memory(long bytes) {
    char *memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 75;
    for (long i = 0; i < bytes; i += 4096) memory[i] = 1;
    return 0;
}

int start_task(void) {
    pid_t pid = fork();
    if (pid == 0) _exit(0);
    if (pid < 0) return 75;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    return 0;
}

// After a wrap-around the kernel does not reuse pids below this one (RESERVED_PIDS).
enum { RESERVED_NUMBERS = 300 };

void limit_tasks(void) {
    struct rlimit limit;
    struct utsname system;
    int major, minor;
    if (getpid() != 1 || geteuid() != 0 || getrlimit(RLIMIT_NPROC, &limit) < 0) return;
    if (limit.rlim_cur == 0 || limit.rlim_cur > 65536) return;
    // An older kernel has one value for the whole machine.
    if (uname(&system) < 0 || sscanf(system.release, "%d.%d", &major, &minor) != 2) return;
    if (major < 6 || (major == 6 && minor < 14)) return;
    char text[16];
    int length = snprintf(text, sizeof text, "%d", (int)limit.rlim_cur + RESERVED_NUMBERS);
    int file = open("/proc/sys/kernel/pid_max", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    (void)!write(file, text, (size_t)length);
    close(file);
}

static bool may_start_task(rlim_t most, rlim_t hard) {
    struct rlimit limit = {most, hard};
    return setrlimit(RLIMIT_NPROC, &limit) == 0 && start_task() == 0;
}

// The kernel does not report a user's task count, and /proc may show only some of the tasks. So a binary search finds
// the lowest limit at which a task starts. A failed attempt takes microseconds.
void share_tasks(void) {
    enum { PRECISION = 32 };
    struct rlimit given;
    if (getrlimit(RLIMIT_NPROC, &given) < 0 || given.rlim_cur == 0 || given.rlim_cur >= given.rlim_max) return;
    rlim_t share = given.rlim_cur, hard = given.rlim_max, low = 1, high = 64;
    // This task already counts as one. If another one starts, the kernel does not limit this user.
    bool is_bound = !may_start_task(low, hard);
    while (is_bound && high < hard && !may_start_task(high, hard)) {
        low = high;
        high = high < hard / 2 ? 2 * high : hard;
    }
    while (is_bound && high < hard && high - low > PRECISION) {
        rlim_t middle = low + (high - low) / 2;
        if (may_start_task(middle, hard))
            high = middle;
        else
            low = middle;
    }
    rlim_t most = is_bound && high < hard && share < hard - high ? high + share : hard;
    struct rlimit limit = {most, most};
    setrlimit(RLIMIT_NPROC, &limit);
}

// Removes a control group and its subgroups. The kernel removes the files in its folder with it; only folders block the
// removal (cgroups(7)).
static bool remove_group(const char *folder) {
    DIR *entries = opendir(folder);
    if (!entries) return errno == ENOENT;
    for (struct dirent *entry; (entry = readdir(entries));) {
        char path[PATH_MAX];
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.') continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path) rmdir(path);
    }
    closedir(entries);
    return rmdir(folder) == 0 || errno == ENOENT;
}

// Kills all processes of a control group and of its subgroups. Requires version 2 and Linux 5.14.
static void kill_group(const char *folder) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/cgroup.kill", folder) >= (int)sizeof path) return;
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    (void)!write(file, "1", 1);
    close(file);
}

int remove_groups(int descriptor, char *const *folders) {
    char byte;
    for (ssize_t count; (count = read(descriptor, &byte, 1)) != 0;)
        if (count < 0 && errno != EINTR) return 70;
    // The kernel is still ending the processes of the groups, and sends no event when it has finished.
    const struct timespec moment = {0, 2000000};
    for (int attempt = 0; attempt < 5000; attempt++) {
        bool are_gone = true;
        for (char *const *folder = folders; *folder; folder++) {
            kill_group(*folder);
            are_gone &= remove_group(*folder);
        }
        if (are_gone) return 0;
        nanosleep(&moment, NULL);
    }
    return 70;
}
