// exthost_openat2: openat2(2), which glibc does not wrap.

#ifndef EXTHOST_OPENAT2_H
#define EXTHOST_OPENAT2_H

/// Opens a path below `directory`, by O_PATH and close-on-exec. No part of the path may be a symbolic link or lead out
/// of the directory.
///
/// Returns a descriptor or a negative errno: -ENOSYS or -EPERM if the kernel or a filter does not support the call.
int exthost_open_beneath(int directory, const char *path);

/// Opens an absolute path, by O_PATH and close-on-exec. No part of the path may be a symbolic link. Returns a
/// descriptor or a negative errno, as above; -ELOOP at a link.
int exthost_open_without_links(const char *path);

/// Checks whether a path exists, without waiting for a file system. A link counts as a file.
///
/// Returns 0 if it does, else a negative errno. -EAGAIN and -EINVAL (before Linux 5.12) mean that the kernel's cache
/// does not have the answer.
int exthost_is_there(const char *path);

#endif
