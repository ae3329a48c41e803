// CFuse: libfuse3's functions for low-level file systems, which are found at run time. So the program starts, and says
// what is missing, on a machine without the library.
#ifndef EXTHOST_CFUSE_H
#define EXTHOST_CFUSE_H

#define FUSE_USE_VERSION 312
#if !__has_include(<fuse3/fuse_lowlevel.h>)
#error "The headers of libfuse3 are missing: apt install libfuse3-dev"
#endif
#include <fuse3/fuse_lowlevel.h>
#include <stdbool.h>

// Loads the library. Returns NULL, or the reason why it cannot be used, which lasts as long as the process.
const char *exthost_fuse_load(void);

// Lines that the library logs go to this function, without their newline.
void exthost_fuse_log(void (*function)(const char *line));

// The functions of fuse_lowlevel.h without the prefix "fuse_". None may be called before exthost_fuse_load().
struct fuse_session *exthost_fuse_session_new(
    const char *const *options, int count, const struct fuse_lowlevel_ops *operations, void *userdata);
int exthost_fuse_session_mount(struct fuse_session *session, const char *mountpoint);
void exthost_fuse_session_destroy(struct fuse_session *session);
int exthost_fuse_session_fd(struct fuse_session *session);
bool exthost_fuse_session_exited(struct fuse_session *session);
int exthost_fuse_session_receive_buf(struct fuse_session *session, struct fuse_buf *buffer);
void exthost_fuse_session_process_buf(struct fuse_session *session, const struct fuse_buf *buffer);
void *exthost_fuse_req_userdata(fuse_req_t request);
pid_t exthost_fuse_req_pid(fuse_req_t request);
void exthost_fuse_req_interrupt_func(fuse_req_t request, fuse_interrupt_func_t function, void *data);
int exthost_fuse_reply_err(fuse_req_t request, int error);
void exthost_fuse_reply_none(fuse_req_t request);
int exthost_fuse_reply_entry(fuse_req_t request, const struct fuse_entry_param *entry);
int exthost_fuse_reply_create(
    fuse_req_t request, const struct fuse_entry_param *entry, uint64_t handle, bool keeps_cache);
int exthost_fuse_reply_open(fuse_req_t request, uint64_t handle, bool keeps_cache);
int exthost_fuse_reply_attr(fuse_req_t request, const struct stat *attributes, double timeout);
int exthost_fuse_reply_readlink(fuse_req_t request, const char *target);
int exthost_fuse_reply_write(fuse_req_t request, size_t count);
int exthost_fuse_reply_buf(fuse_req_t request, const void *bytes, size_t size);
int exthost_fuse_reply_statfs(fuse_req_t request, const struct statvfs *facts);
int exthost_fuse_reply_xattr(fuse_req_t request, size_t count);
int exthost_fuse_reply_lseek(fuse_req_t request, off_t offset);
size_t exthost_fuse_add_direntry(
    fuse_req_t request, char *bytes, size_t size, const char *name, const struct stat *attributes, off_t next);
size_t exthost_fuse_add_direntry_plus(
    fuse_req_t request, char *bytes, size_t size, const char *name, const struct fuse_entry_param *entry, off_t next);

// Makes a second descriptor of the session's device. Returns it, or a negative errno value.
int exthost_fuse_clone(int device);
// Gives this thread descriptors of its own, of which it keeps only `kept`, or none for -1. A thread that the kernel
// holds up then holds up no device: the kernel ends a connection when its last descriptor is closed. Returns a negative
// errno value on failure.
int exthost_fuse_leave_descriptors(int kept);
// Makes the kernel forget the attributes of a file, and its contents too if `with_contents`. Returns a negative errno
// value on failure, which is -ENOENT for a file that the kernel does not know.
int exthost_fuse_invalidate_inode(int device, uint64_t inode, bool with_contents);
// Makes the kernel forget what a name means. Waits for operations in the folder.
int exthost_fuse_invalidate_entry(int device, uint64_t parent, const char *name, size_t length);

// fallocate(2) and copy_file_range(2), which Swift does not see. A negative result is a negative errno value.
int exthost_fuse_allocate(int descriptor, int mode, off_t offset, off_t length);
ssize_t exthost_fuse_copy(int source, off_t offset, int target, off_t target_offset, size_t length);

#endif
