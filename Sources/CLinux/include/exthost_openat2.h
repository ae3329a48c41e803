// openat2(2), which glibc does not wrap.

#ifndef EXTHOST_OPENAT2_H
#define EXTHOST_OPENAT2_H

/// Opens what `path` names below `directory`, for O_PATH alone and close-on-exec; no part of the path may be a symbolic
/// link or lead out. A descriptor or a negative errno: ENOSYS or EPERM where the kernel, or a filter, does not have the
/// call.
int exthost_open_beneath(int directory, const char *path);

/// Opens what an absolute path names, for O_PATH alone and close-on-exec; no part of the path may be a symbolic link. A
/// descriptor or a negative errno, as above; ELOOP at a link.
int exthost_open_without_links(const char *path);

/// 0 where there is something at `path`, a link included, or -errno. -EAGAIN and -EINVAL (before Linux 5.12): it
/// cannot be said from the kernel's memory alone. Waits for no file system.
int exthost_is_there(const char *path);

#endif
