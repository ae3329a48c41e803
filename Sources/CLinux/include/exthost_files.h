// Copying between open files without passing the bytes through the program: FICLONE of ioctl_ficlonerange(2),
// copy_file_range(2). Locks of open files: F_OFD_SETLK of fcntl(2). Entries of a folder: getdents64(2). The exchange of
// two: renameat2(2).

#ifndef EXTHOST_FILES_H
#define EXTHOST_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// Makes `to` share the blocks of `from` where the file system can; 0 or a negative errno.
int exthost_clone_file(int from, int to);

/// Copies up to `count` bytes at the same `offset` of both; how many, 0 at the end of `from`, or a negative errno.
ssize_t exthost_copy_range(int from, int to, off_t offset, size_t count);

/// Locks one byte of an open file for writing, without waiting, or unlocks it; 0 or a negative errno.
int exthost_lock_open_file(int file, off_t byte, bool lock);

/// Reads the next entries of an open folder, as linux_dirent64 lays them out; how many bytes, 0 at the end, or a
/// negative errno.
ssize_t exthost_read_entries(int folder, void *buffer, size_t size);

/// Gives a file or folder another name on its file system. What had that name takes the old one. 0 or a negative errno.
int exthost_place(const char *from, const char *to);

/// The size of an open regular file as far as it is known here: nobody is asked who serves the file system, and so
/// could keep the caller waiting (AT_STATX_DONT_SYNC of statx(2)). A negative errno; -EINVAL for what is no regular
/// file.
int64_t exthost_known_size(int file);

/// The first bytes of an extended attribute (xattr(7)); how many there are, or a negative errno, -ERANGE where they are
/// more than `size`.
ssize_t exthost_extended_attribute(const char *path, const char *name, void *buffer, size_t size);

/// The user and group as whom this thread accesses files (setfsuid(2)); 0 or a negative errno, and then it is as it
/// was.
int exthost_access_files_as(uid_t user, gid_t group);

#endif
