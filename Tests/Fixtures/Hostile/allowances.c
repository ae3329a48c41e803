// allowances: the actions of a well-behaved extension, all of which must succeed.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attempts.h"

static char path[4200];
static const char *mine(const char *folder, const char *name) {
    snprintf(path, sizeof path, "%s/%s-%d", folder, name, getpid());
    return path;
}
static int read_bytes(const char *file) {
    char bytes[64];
    int descriptor = open(file, O_RDONLY | O_CLOEXEC);
    return descriptor < 0 ? errno : outcome(read(descriptor, bytes, sizeof bytes));
}
static int list(const char *folder) { return outcome(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }
static int write_in(const char *folder) {
    char other[4300];
    int file = open(mine(folder, "file"), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    if (write(file, "text", 4) != 4) return EIO;
    if (fchmod(file, 0640) < 0 || ftruncate(file, 2) < 0 || fsync(file) < 0) return errno;
    snprintf(other, sizeof other, "%s.moved", path);
    if (rename(path, other) < 0) return errno;
    if (link(other, path) < 0) return errno;
    if (unlink(path) < 0 || unlink(other) < 0) return errno;
    if (mkdir(path, 0700) < 0) return errno;
    snprintf(other, sizeof other, "%s/link", path);
    if (symlink("nowhere", other) < 0 || unlink(other) < 0) return errno;
    return outcome(rmdir(path));
}
static int lock_in(const char *folder) {
    int file = open(mine(folder, "lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (file < 0 || fcntl(file, F_SETLK, &lock) < 0 || ftruncate(file, 4096) < 0) return errno;
    char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return errno;
    memory[0] = 1;
    return outcome(unlink(path));
}
static int change_mode_in(const char *folder) {
    int file = open(mine(folder, "mode"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    int code = outcome(chmod(path, 0644));
    unlink(path);
    return code;
}
// Changes metadata by a descriptor of a file and of a folder.
static int change_open_in(const char *folder) {
    int file = open(mine(folder, "open"), O_RDONLY | O_CREAT | O_CLOEXEC, 0600),
        own = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const struct timespec times[2] = {{1, 0}, {2, 0}};
    struct stat status;
    if (file < 0 || fchmod(file, 0640) < 0 || fchown(file, (uid_t)-1, getgid()) < 0 || futimens(file, times) < 0)
        return errno;
    if (fstat(file, &status) < 0 || (status.st_mode & 0777) != 0640 || status.st_mtime != 2) return EIO;
    return fchmod(own, 0755) < 0 ? errno : outcome(unlink(path));
}
static int write_temporary(const char *argument) {
    (void)argument;
    const char *folder = getenv("TMPDIR");
    return folder ? write_in(folder) : ENOENT;
}
static int write_home(const char *argument) {
    (void)argument;
    const char *folder = getenv("HOME");
    return folder ? write_in(folder) : ENOENT;
}
static int make_temporary(const char *argument) {
    (void)argument;
    char name[] = "/tmp/fine-XXXXXX";
    int file = mkstemp(name);
    return file < 0 ? errno : outcome(unlink(name));
}
static int run_program(const char *program) {
    pid_t pid = fork();
    if (pid == 0) {
        execl(program, program, NULL);
        _exit(errno);
    }
    int status;
    if (waitpid(pid, &status, 0) < 0) return errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}
static int signal_own(const char *argument) {
    (void)argument;
    pid_t pid = fork();
    if (pid == 0)
        for (;;) pause();
    int status, code = outcome(kill(pid, SIGKILL));
    return waitpid(pid, &status, 0) < 0 ? errno : code;
}
static void *thread(void *argument) { return argument; }
static int start_thread(const char *argument) {
    (void)argument;
    pthread_t other;
    int code = pthread_create(&other, NULL, thread, NULL);
    return code != 0 ? code : pthread_join(other, NULL);
}
static int read_own_stack(const char *argument) {
    (void)argument;
    pthread_attr_t attributes;
    // glibc reads /proc/self/maps for the first thread.
    return pthread_getattr_np(pthread_self(), &attributes);
}
static int pair(const char *argument) {
    (void)argument;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return errno;
    return outcome(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
}
static int listen_in(const char *folder) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/s%d", folder, getpid());
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
        client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server < 0 || bind(server, (struct sockaddr *)&address, sizeof address) < 0 || listen(server, 1) < 0)
        return errno;
    int code = outcome(connect(client, (struct sockaddr *)&address, sizeof address));
    unlink(address.sun_path);
    return code;
}
static int descriptors(const char *argument) {
    (void)argument;
    if (eventfd(0, EFD_CLOEXEC) < 0 || timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC) < 0) return errno;
    if (epoll_create1(EPOLL_CLOEXEC) < 0 || inotify_init1(IN_CLOEXEC) < 0) return errno;
    return outcome(memfd_create("fine", MFD_CLOEXEC));
}
static int own_memory(const char *argument) {
    (void)argument;
    char name[64];
    snprintf(name, sizeof name, "/fine-%d", getpid());
    if (shm_open(name, O_RDWR | O_CREAT, 0600) < 0) return errno;
    return outcome(shm_unlink(name));
}
static int own_priority(const char *argument) { return (void)argument, outcome(setpriority(PRIO_PROCESS, 0, 0)); }
static int local_time(const char *argument) {
    (void)argument;
    time_t now = time(NULL);
    struct tm parts;
    return localtime_r(&now, &parts) ? 0 : EIO;
}
static int own_name(const char *argument) {
    (void)argument;
    struct passwd *entry = getpwuid(getuid());
    return entry && entry->pw_name && getenv("HOME") && strcmp(entry->pw_dir, getenv("HOME")) == 0 ? 0 : ENOENT;
}
static int own_limits(const char *argument) {
    (void)argument;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return errno;
    return outcome(setrlimit(RLIMIT_NOFILE, &limit));
}
static int random_bytes(const char *argument) {
    (void)argument;
    char bytes[8];
    return outcome(getrandom(bytes, sizeof bytes, 0));
}
static int tcp(const char *port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return end < 0 ? errno : outcome(connect(end, (struct sockaddr *)&address, sizeof address));
}
static int resolve(const char *name) {
    struct addrinfo *list = NULL;
    return getaddrinfo(name, "80", NULL, &list) == 0 ? 0 : ENOENT;
}

const struct attempt allowances[] = {
    {"may-read", read_bytes},
    {"may-read-system", read_bytes},
    {"may-read-null", read_bytes},
    {"may-read-zero", read_bytes},
    {"may-read-own-maps", read_bytes},
    {"may-read-own-status", read_bytes},
    {"may-read-random", read_bytes},
    {"may-list", list},
    {"may-list-system", list},
    {"may-write", write_in},
    {"may-write-group", write_in},
    {"may-lock", lock_in},
    {"may-change-mode", change_mode_in},
    {"may-change-open", change_open_in},
    {"may-write-temporary", write_temporary},
    {"may-write-home", write_home},
    {"may-make-temporary", make_temporary},
    {"may-run-program", run_program},
    {"may-signal-own", signal_own},
    {"may-start-thread", start_thread},
    {"may-read-own-stack", read_own_stack},
    {"may-pair", pair},
    {"may-listen", listen_in},
    {"may-have-descriptors", descriptors},
    {"may-have-memory", own_memory},
    {"may-set-own-priority", own_priority},
    {"may-know-time", local_time},
    {"may-know-itself", own_name},
    {"may-set-own-limits", own_limits},
    {"may-have-randomness", random_bytes},
    {"may-connect-tcp", tcp},
    {"may-resolve", resolve},
    {NULL, NULL},
};
