// exthost_files: copies between open files, locks them, lists folders and swaps names.
//
// The copies do not pass through the program's memory: FICLONE of ioctl_ficlonerange(2), copy_file_range(2). The other
// calls are F_OFD_SETLK of fcntl(2), getdents64(2) and renameat2(2).

#ifndef EXTHOST_FILES_H
#define EXTHOST_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// Makes `to` share the blocks of `from`, if the file system supports it. Returns 0 or a negative errno.
int exthost_clone_file(int from, int to);

/// Copies up to `count` bytes at the same `offset` of both files. Returns the number of bytes, 0 at the end of `from`,
/// or a negative errno.
ssize_t exthost_copy_range(int from, int to, off_t offset, size_t count);

/// Locks one byte of an open file for writing, without waiting, or unlocks it. Returns 0 or a negative errno.
int exthost_lock_open_file(int file, off_t byte, bool lock);

/// Reads the next entries of an open folder, in the layout of linux_dirent64. Returns the number of bytes, 0 at the
/// end, or a negative errno.
ssize_t exthost_read_entries(int folder, void *buffer, size_t size);

/// Renames a file or folder on its file system. If `to` exists, the two exchange their names. Returns 0 or a negative
/// errno.
int exthost_place(const char *from, const char *to);

/// Returns the size of an open regular file from the kernel's cache, or a negative errno: -EINVAL for any other file.
///
/// The call does not contact a remote or FUSE server, which could block the caller (AT_STATX_DONT_SYNC of statx(2)).
int64_t exthost_known_size(int file);

/// Reads an extended attribute (xattr(7)). Returns its length or a negative errno: -ERANGE if it is longer than `size`.
ssize_t exthost_extended_attribute(const char *path, const char *name, void *buffer, size_t size);

/// Sets the user and group for this thread's file access (setfsuid(2)). Returns 0, or a negative errno without any
/// change.
int exthost_access_files_as(uid_t user, gid_t group);

#endif
