// exthost_files: copies between open files, locks them, lists folders and swaps names.

#define _GNU_SOURCE
#include "exthost_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

int exthost_clone_file(int from, int to) { return ioctl(to, FICLONE, from) == 0 ? 0 : -errno; }

ssize_t exthost_copy_range(int from, int to, off_t offset, size_t count) {
    loff_t in = offset, out = offset;
    ssize_t copied;
    do {
        copied = copy_file_range(from, &in, to, &out, count, 0);
    } while (copied < 0 && errno == EINTR);
    return copied < 0 ? -errno : copied;
}

int exthost_lock_open_file(int file, off_t byte, bool lock) {
    struct flock request = {.l_type = lock ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(file, F_OFD_SETLK, &request) == 0 ? 0 : -errno;
}

ssize_t exthost_read_entries(int folder, void *buffer, size_t size) {
    long count = syscall(SYS_getdents64, folder, buffer, size);
    return count < 0 ? -errno : count;
}

int exthost_place(const char *from, const char *to) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EEXIST) return -errno;
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0 ? 0 : -errno;
}

int64_t exthost_known_size(int file) {
    struct statx status;
    if (statx(file, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_SIZE, &status) != 0) return -errno;
    return S_ISREG(status.stx_mode) ? (int64_t)status.stx_size : -EINVAL;
}

ssize_t exthost_extended_attribute(const char *path, const char *name, void *buffer, size_t size) {
    ssize_t count = getxattr(path, name, buffer, size);
    return count < 0 ? -errno : count;
}

int exthost_access_files_as(uid_t user, gid_t group) {
    // Both calls return the previous identifier, also on failure. The argument -1 is invalid and changes nothing, so it
    // reads the current one.
    gid_t before = (gid_t)syscall(SYS_setfsgid, group);
    if ((gid_t)syscall(SYS_setfsgid, -1) != group) return -EPERM;
    syscall(SYS_setfsuid, user);
    if ((uid_t)syscall(SYS_setfsuid, -1) == user) return 0;
    syscall(SYS_setfsgid, before);
    return -EPERM;
}
