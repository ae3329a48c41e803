// CFuse: loads libfuse3, and calls its functions.

#define _GNU_SOURCE
#include "CFuse.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// Each function of the library that is used.
#define FUNCTIONS(each)                                                                                                \
    each(fuse_session_mount) each(fuse_session_destroy) each(fuse_session_fd) each(fuse_session_exited)                \
        each(fuse_session_receive_buf) each(fuse_session_process_buf) each(fuse_req_userdata) each(fuse_req_ctx)       \
            each(fuse_req_interrupt_func) each(fuse_reply_err) each(fuse_reply_none) each(fuse_reply_entry)            \
                each(fuse_reply_create) each(fuse_reply_open) each(fuse_reply_attr) each(fuse_reply_readlink)          \
                    each(fuse_reply_write) each(fuse_reply_buf) each(fuse_reply_statfs) each(fuse_reply_xattr)         \
                        each(fuse_reply_lseek) each(fuse_add_direntry) each(fuse_add_direntry_plus)                    \
                            each(fuse_set_log_func) each(fuse_opt_free_args)

#define POINTER(name) static __typeof__(&name) loaded_##name;
FUNCTIONS(POINTER)
static struct fuse_session *(*loaded_session_new)(struct fuse_args *, const struct fuse_lowlevel_ops *, size_t, void *);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[512];

static void load(void) {
    void *library = dlopen("libfuse3.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(failure, sizeof failure, "%s", reason ? reason : "libfuse3.so.3 cannot be loaded");
        return;
    }
#define LOAD(name)                                                                                                     \
    if (!(loaded_##name = (__typeof__(&name))dlsym(library, #name))) {                                                 \
        snprintf(failure, sizeof failure, "libfuse3.so.3 has no function " #name);                                     \
        return;                                                                                                        \
    }
    FUNCTIONS(LOAD)
    // Later libraries have a function of this name with another layout, under another version.
    loaded_session_new = (__typeof__(loaded_session_new))dlvsym(library, "fuse_session_new", "FUSE_3.0");
    if (!loaded_session_new) snprintf(failure, sizeof failure, "libfuse3.so.3 has no function fuse_session_new");
}

const char *exthost_fuse_load(void) {
    pthread_once(&once, load);
    return failure[0] ? failure : NULL;
}

static void (*log_function)(const char *line);

static void log_line(enum fuse_log_level level, const char *format, va_list arguments) {
    (void)level;
    char line[512];
    int length = vsnprintf(line, sizeof line, format, arguments);
    if (length <= 0) return;
    line[strcspn(line, "\n")] = 0;
    log_function(line);
}

void exthost_fuse_log(void (*function)(const char *line)) {
    log_function = function;
    loaded_fuse_set_log_func(log_line);
}

struct fuse_session *exthost_fuse_session_new(
    const char *const *options, int count, const struct fuse_lowlevel_ops *operations, void *userdata) {
    struct fuse_args arguments = FUSE_ARGS_INIT(count, (char **)options);
    struct fuse_session *session = loaded_session_new(&arguments, operations, sizeof *operations, userdata);
    loaded_fuse_opt_free_args(&arguments);
    return session;
}

int exthost_fuse_session_mount(struct fuse_session *session, const char *mountpoint) {
    return loaded_fuse_session_mount(session, mountpoint);
}
void exthost_fuse_session_destroy(struct fuse_session *session) { loaded_fuse_session_destroy(session); }
int exthost_fuse_session_fd(struct fuse_session *session) { return loaded_fuse_session_fd(session); }
bool exthost_fuse_session_exited(struct fuse_session *session) { return loaded_fuse_session_exited(session); }
int exthost_fuse_session_receive_buf(struct fuse_session *session, struct fuse_buf *buffer) {
    return loaded_fuse_session_receive_buf(session, buffer);
}
void exthost_fuse_session_process_buf(struct fuse_session *session, const struct fuse_buf *buffer) {
    loaded_fuse_session_process_buf(session, buffer);
}
void *exthost_fuse_req_userdata(fuse_req_t request) { return loaded_fuse_req_userdata(request); }
pid_t exthost_fuse_req_pid(fuse_req_t request) { return loaded_fuse_req_ctx(request)->pid; }
void exthost_fuse_req_interrupt_func(fuse_req_t request, fuse_interrupt_func_t function, void *data) {
    loaded_fuse_req_interrupt_func(request, function, data);
}
int exthost_fuse_reply_err(fuse_req_t request, int error) { return loaded_fuse_reply_err(request, error); }
void exthost_fuse_reply_none(fuse_req_t request) { loaded_fuse_reply_none(request); }
int exthost_fuse_reply_entry(fuse_req_t request, const struct fuse_entry_param *entry) {
    return loaded_fuse_reply_entry(request, entry);
}
int exthost_fuse_reply_create(
    fuse_req_t request, const struct fuse_entry_param *entry, uint64_t handle, bool keeps_cache) {
    struct fuse_file_info information = {.fh = handle, .keep_cache = keeps_cache};
    return loaded_fuse_reply_create(request, entry, &information);
}
int exthost_fuse_reply_open(fuse_req_t request, uint64_t handle, bool keeps_cache) {
    struct fuse_file_info information = {.fh = handle, .keep_cache = keeps_cache};
    return loaded_fuse_reply_open(request, &information);
}
int exthost_fuse_reply_attr(fuse_req_t request, const struct stat *attributes, double timeout) {
    return loaded_fuse_reply_attr(request, attributes, timeout);
}
int exthost_fuse_reply_readlink(fuse_req_t request, const char *target) {
    return loaded_fuse_reply_readlink(request, target);
}
int exthost_fuse_reply_write(fuse_req_t request, size_t count) { return loaded_fuse_reply_write(request, count); }
int exthost_fuse_reply_buf(fuse_req_t request, const void *bytes, size_t size) {
    return loaded_fuse_reply_buf(request, bytes, size);
}
int exthost_fuse_reply_statfs(fuse_req_t request, const struct statvfs *facts) {
    return loaded_fuse_reply_statfs(request, facts);
}
int exthost_fuse_reply_xattr(fuse_req_t request, size_t count) { return loaded_fuse_reply_xattr(request, count); }
int exthost_fuse_reply_lseek(fuse_req_t request, off_t offset) { return loaded_fuse_reply_lseek(request, offset); }
size_t exthost_fuse_add_direntry(
    fuse_req_t request, char *bytes, size_t size, const char *name, const struct stat *attributes, off_t next) {
    return loaded_fuse_add_direntry(request, bytes, size, name, attributes, next);
}
size_t exthost_fuse_add_direntry_plus(
    fuse_req_t request, char *bytes, size_t size, const char *name, const struct fuse_entry_param *entry, off_t next) {
    return loaded_fuse_add_direntry_plus(request, bytes, size, name, entry, next);
}

int exthost_fuse_clone(int device) {
    int clone = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (clone < 0) return -errno;
    uint32_t source = (uint32_t)device;
    if (ioctl(clone, FUSE_DEV_IOC_CLONE, &source) < 0) {
        int failure = errno;
        close(clone);
        return -failure;
    }
    return clone;
}

int exthost_fuse_leave_descriptors(int kept) {
    if (unshare(CLONE_FILES) < 0) return -errno;
    if (kept > 0 && syscall(SYS_close_range, 0U, (unsigned)kept - 1, 0U) < 0) return -errno;
    if (syscall(SYS_close_range, (unsigned)(kept + 1), ~0U, 0U) < 0) return -errno;
    return 0;
}

static int notify(int device, int code, struct iovec *parts, int count) {
    struct fuse_out_header header = {.len = sizeof header, .error = code};
    for (int i = 1; i < count; i++) header.len += (uint32_t)parts[i].iov_len;
    parts[0] = (struct iovec){&header, sizeof header};
    ssize_t written;
    do written = writev(device, parts, count);
    while (written < 0 && errno == EINTR);
    return written < 0 ? -errno : 0;
}

int exthost_fuse_invalidate_inode(int device, uint64_t inode, bool with_contents) {
    struct fuse_notify_inval_inode_out body = {.ino = inode, .off = with_contents ? 0 : -1, .len = 0};
    struct iovec parts[2] = {{0}, {&body, sizeof body}};
    return notify(device, FUSE_NOTIFY_INVAL_INODE, parts, 2);
}

int exthost_fuse_invalidate_entry(int device, uint64_t parent, const char *name, size_t length) {
    struct fuse_notify_inval_entry_out body = {.parent = parent, .namelen = (uint32_t)length};
    struct iovec parts[3] = {{0}, {&body, sizeof body}, {(void *)name, length + 1}};
    return notify(device, FUSE_NOTIFY_INVAL_ENTRY, parts, 3);
}

int exthost_fuse_allocate(int descriptor, int mode, off_t offset, off_t length) {
    return fallocate(descriptor, mode, offset, length) < 0 ? -errno : 0;
}

ssize_t exthost_fuse_copy(int source, off_t offset, int target, off_t target_offset, size_t length) {
    ssize_t count = copy_file_range(source, &offset, target, &target_offset, length, 0);
    return count < 0 ? -errno : count;
}
