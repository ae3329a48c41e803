// files: attempts on files: contents, names and metadata outside the permitted folders.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "attempts.h"

static const char *join(const char *folder, const char *name) {
    static char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}
static int opening(const char *path, int flags) { return outcome(open(path, flags | O_CLOEXEC, 0600)); }

static int read_file(const char *path) {
    char byte;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    return file < 0 ? errno : outcome(read(file, &byte, 1));
}
static int write_file(const char *path) { return opening(path, O_WRONLY); }
static int truncate_file(const char *path) { return outcome(truncate(path, 6)); }
static int create_in(const char *folder) {
    const char *path = join(folder, "hostile-new");
    int code = opening(path, O_WRONLY | O_CREAT | O_EXCL);
    if (code == 0) unlink(path);
    return code;
}
static int make_folder_in(const char *folder) {
    const char *path = join(folder, "hostile-folder");
    int code = outcome(mkdir(path, 0700));
    if (code == 0) rmdir(path);
    return code;
}
static int make_pipe_in(const char *folder) {
    const char *path = join(folder, "hostile-pipe");
    int code = outcome(mkfifo(path, 0600));
    if (code == 0) unlink(path);
    return code;
}
static int make_link_in(const char *folder) {
    const char *path = join(folder, "hostile-symbolic");
    int code = outcome(symlink("/", path));
    if (code == 0) unlink(path);
    return code;
}
static int rename_in(const char *folder) {
    char to[4200];
    snprintf(to, sizeof to, "%s/hostile-renamed", folder);
    int code = outcome(rename(join(folder, "victim"), to));
    if (code == 0) rename(to, join(folder, "victim"));
    return code;
}
static int remove_in(const char *folder) {
    int code = outcome(unlink(join(folder, "victim")));
    if (code == 0) close(open(join(folder, "victim"), O_CREAT | O_WRONLY, 0644));
    return code;
}
// Links a file into the container, where the extension could read it.
static int hard_link(const char *path) {
    const char *mine = join(getenv("CONTAINER"), "hostile-hard");
    int code = outcome(link(path, mine));
    if (code == 0) unlink(mine);
    return code;
}
static int through_link(const char *path) {
    const char *mine = join(getenv("CONTAINER"), "hostile-way");
    unlink(mine);
    if (symlink(path, mine) < 0) return errno;
    int code = read_file(mine);
    unlink(mine);
    return code;
}
static int through_dots(const char *path) {
    char way[4200] = "";
    for (int i = 0; i < 40; i++) strcat(way, "../");
    strncat(way, path + 1, 4000);
    return read_file(way);
}
static int through_own_root(const char *path) {
    char way[4200];
    snprintf(way, sizeof way, "/proc/self/root%s", path);
    return read_file(way);
}
static int through_first_root(const char *path) {
    char way[4200];
    snprintf(way, sizeof way, "/proc/1/root%s", path);
    return read_file(way);
}
static int through_parent_folder(const char *path) {
    char way[8400];
    snprintf(way, sizeof way, "/proc/%d/cwd/", getppid());
    for (int i = 0; i < 40; i++) strcat(way, "../");
    strncat(way, path + 1, 4000);
    // The parent is the same program; the attempt concerns the path through /proc.
    return read_file(way);
}
static int list_folder(const char *path) { return opening(path, O_RDONLY | O_DIRECTORY); }
static int execute_file(const char *path) {
    pid_t pid = fork();
    if (pid == 0) {
        execl(path, path, NULL);
        _exit(errno);
    }
    int status;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}
static int execute_own(const char *source) {
    const char *mine = join(getenv("CONTAINER"), "hostile-program");
    char bytes[65536];
    int from = open(source, O_RDONLY | O_CLOEXEC), to = open(mine, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    if (from < 0 || to < 0) return 0;
    for (ssize_t count; (count = read(from, bytes, sizeof bytes)) > 0;)
        if (write(to, bytes, (size_t)count) != count) return 0;
    close(to);
    int code = execute_file(mine);
    unlink(mine);
    return code;
}
static int through_handle(const char *path) {
    char memory[sizeof(struct file_handle) + 128];
    struct file_handle *handle = (void *)memory;
    handle->handle_bytes = 128;
    int mount_number;
    if (name_to_handle_at(AT_FDCWD, path, handle, &mount_number, 0) < 0) return errno;
    return 0;
}
static int write_device(const char *path) { return opening(path, O_RDONLY | O_NONBLOCK); }
static int make_device(const char *folder) {
    const char *path = join(folder, "hostile-device");
    int code = outcome(mknod(path, S_IFCHR | 0600, 1 << 8 | 5));
    if (code == 0) unlink(path);
    return code;
}

static int see(const char *path) {
    struct stat status;
    return outcome(stat(path, &status));
}
static int ask_access(const char *path) { return outcome(access(path, F_OK)); }
static int read_link(const char *path) {
    char target[16];
    return outcome(readlink(path, target, sizeof target));
}
static int change_mode(const char *path) { return outcome(chmod(path, 0644)); }
// The device is shared by all. The attempt sets its usual mode, so a success changes nothing.
static int change_null(const char *path) { return outcome(chmod(path, 0666)); }
// Standard input is /dev/null, which the parent opened.
static int change_null_open(const char *argument) { return (void)argument, outcome(fchmod(0, 0666)); }
// Truncates a file by an open for reading, which needs only the right to read.
static int cut_by_opening(const char *path) { return outcome(open(path, O_RDONLY | O_TRUNC | O_CLOEXEC)); }
static int change_owner(const char *path) { return outcome(chown(path, (uid_t)-1, getgid())); }
static int change_times(const char *path) { return outcome(utimensat(AT_FDCWD, path, NULL, 0)); }
static int change_attribute(const char *path) { return outcome_of_probe(setxattr(path, "user.hostile", "", 0, 0)); }
static int watch_file(const char *path) {
    int watch = inotify_init1(IN_CLOEXEC);
    return watch < 0 ? errno : outcome(inotify_add_watch(watch, path, IN_ALL_EVENTS));
}

// The same by a descriptor: the right to read the file suffices to open it.
static int open_to_read(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }
static int change_mode_open(const char *path) { return outcome(fchmod(open_to_read(path), 0644)); }
static int change_owner_open(const char *path) { return outcome(fchown(open_to_read(path), (uid_t)-1, getgid())); }
static int change_times_open(const char *path) { return outcome(futimens(open_to_read(path), NULL)); }
static int change_attribute_open(const char *path) {
    return outcome(fsetxattr(open_to_read(path), "user.hostile", "", 0, 0));
}
static int remove_attribute_open(const char *path) {
    int code = outcome(fremovexattr(open_to_read(path), "user.hostile-none"));
    return code == ENODATA ? 0 : code;
}
static int change_flags_open(const char *path) {
    int flags = 0, file = open_to_read(path);
    if (ioctl(file, FS_IOC_GETFLAGS, &flags) < 0) return outcome(-1);
    return outcome(ioctl(file, FS_IOC_SETFLAGS, &flags));
}
// Takes a lease. A writer's descriptor may still be open, also in a child between fork and exec; until it closes, the
// lease fails.
static int take_lease(const char *path) {
    int file = open_to_read(path);
    for (int tries = 0; tries < 1000; tries++) {
        if (fcntl(file, F_SETLEASE, F_RDLCK) == 0) return 0;
        if (errno != EAGAIN) return errno;
        usleep(1000);
    }
    return EAGAIN;
}

// Creates a set-user-ID file: an unconfined process that runs it becomes its owner.
static int make_set_user_file(const char *folder) {
    const char *path = join(folder, "hostile-set-user");
    unlink(path);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 04700);
    struct stat status;
    int code = file < 0 ? errno : fstat(file, &status) < 0 || !(status.st_mode & S_ISUID) ? EPERM : 0;
    unlink(path);
    return code;
}
static int set_user_bit(const char *folder) {
    const char *path = join(folder, "hostile-user-bit");
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    int code = outcome(fchmod(file, 04700));
    if (code != 0 && chmod(path, 04700) == 0) code = 0;
    unlink(path);
    return code;
}
// Maps a file as dlopen(3) does.
static int load_own(const char *folder) {
    const char *path = join(folder, "hostile-library");
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    if (file < 0 || ftruncate(file, 4096) < 0) return 0;
    int code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED ? errno : 0;
    unlink(path);
    return code;
}

const struct attempt file_attempts[] = {
    {"change-mode-open", change_mode_open},
    {"change-owner-open", change_owner_open},
    {"change-times-open", change_times_open},
    {"change-attribute-open", change_attribute_open},
    {"remove-attribute-open", remove_attribute_open},
    {"change-flags-open", change_flags_open},
    {"take-lease", take_lease},
    {"make-set-user-file", make_set_user_file},
    {"set-user-bit", set_user_bit},
    {"load-own", load_own},
    {"read-file", read_file},
    {"read-hidden-file", read_file},
    {"write-file", write_file},
    {"truncate-file", truncate_file},
    {"create-file", create_in},
    {"make-folder", make_folder_in},
    {"make-pipe", make_pipe_in},
    {"make-link", make_link_in},
    {"rename-file", rename_in},
    {"remove-file", remove_in},
    {"hard-link", hard_link},
    {"through-link", through_link},
    {"through-dots", through_dots},
    {"through-own-root", through_own_root},
    {"through-first-root", through_first_root},
    {"through-parent", through_parent_folder},
    {"list-folder", list_folder},
    {"execute-file", execute_file},
    {"execute-own", execute_own},
    {"through-handle", through_handle},
    {"open-device", write_device},
    {"make-device", make_device},
    {"write-bundle", write_file},
    {"create-in-bundle", create_in},
    {"write-system", write_file},
    {"create-in-system", create_in},
    {"write-kernel-setting", write_file},
    {"read-processes-file", read_file},
    {"see-file", see},
    {"ask-access", ask_access},
    {"read-link", read_link},
    {"change-mode", change_mode},
    {"change-owner", change_owner},
    {"change-times", change_times},
    {"change-attribute", change_attribute},
    {"watch-file", watch_file},
    {"change-null", change_null},
    {"change-null-open", change_null_open},
    {"cut-by-opening", cut_by_opening},
    {NULL, NULL},
};
