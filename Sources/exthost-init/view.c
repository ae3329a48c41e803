// view: a new root on a small file system in memory. Folders of the host are bound into it; all others stay outside.
//
// The init takes detached copies of the sources' mounts (open_tree(2)) while the old root is still there, restricts
// them, and then moves them into place. It mounts the new /proc before the old root goes: unless a full /proc is
// visible, the kernel gives an ordinary user none (mount_namespaces(7)). The new one shows processes only
// (`subset=pid`, proc(5)), because /proc/sys belongs to root even without capabilities.

#define _GNU_SOURCE
#include "view.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// These have numbers and values of their own, because older headers lack some. Also, <linux/mount.h> conflicts with
// <sys/mount.h> on some systems.
struct attributes {
    uint64_t set, clear, propagation, descriptor;
};
struct opening {
    uint64_t flags, mode, resolve;
};
enum {
    CLONE_TREE = 1,
    WHOLE_TREE = 0x8000,
    FROM_DESCRIPTOR = 0x04,
    TO_DESCRIPTOR = 0x40,
    READ_ONLY = 0x01,
    NO_SETUID = 0x02,
    NO_DEVICES = 0x04,
    NO_PROGRAMS = 0x08,
    INSIDE_ROOT = 0x10,
    NO_LINKS = 0x04,
};

static int set_attributes(int tree, unsigned int flags, uint64_t attributes) {
    struct attributes change = {.set = attributes};
    return (int)syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | flags, &change, sizeof change);
}

// Opens the same file again. Returns a descriptor or a negative errno: -ESTALE if the name now has another file.
//
// The daemon's descriptor belongs to the mounts of the old namespace, which the kernel does not copy here
// (open_tree(2)). So the init opens the file by the kernel's name for it and compares the two.
static int reopen(int file) {
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path);
    if (length < 0 || length == sizeof path) return length < 0 ? -errno : -ENAMETOOLONG;
    path[length] = 0;
    struct opening how = {.flags = O_PATH | O_CLOEXEC, .resolve = NO_LINKS};
    int found = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    if (found < 0) return -errno;
    struct stat checked, again;
    int code = fstat(file, &checked) < 0 || fstat(found, &again) < 0 ? errno : 0;
    if (code == 0 && (checked.st_dev != again.st_dev || checked.st_ino != again.st_ino)) code = ESTALE;
    if (code == 0) return found;
    close(found);
    return -code;
}

// Takes the source of an entry with all mounts below it, such as those below /usr.
static int take_source(struct policy_entry *entry) {
    int source = entry->file >= 0 ? reopen(entry->file) : open(entry->path, O_PATH | O_CLOEXEC);
    if (source < 0) return entry->file >= 0 ? -source : errno;
    entry->tree = (int)syscall(SYS_open_tree, source, "", CLONE_TREE | O_CLOEXEC | WHOLE_TREE | AT_EMPTY_PATH);
    int code = errno;
    close(source);
    if (entry->tree < 0) return code;
    uint64_t attributes = NO_SETUID;
    // A device on a read-only mount is writable, but its mode cannot change: root's /dev/null stays as it is.
    if (entry->verb == POLICY_READ) attributes |= NO_DEVICES | READ_ONLY;
    if (entry->verb == POLICY_DEVICE) attributes |= NO_PROGRAMS | READ_ONLY;
    if (entry->verb == POLICY_WRITE || entry->verb == POLICY_PLACE) attributes |= NO_DEVICES | NO_PROGRAMS;
    return set_attributes(entry->tree, WHOLE_TREE, attributes) < 0 ? errno : 0;
}

// Opens a path of the new root. Its symbolic links cannot lead out, because writable folders may contain a stranger's
// links.
static int open_inside(int root, const char *path) {
    struct opening how = {.flags = O_PATH | O_CLOEXEC, .resolve = INSIDE_ROOT};
    return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
}

// Opens the parent folder of `path`, and creates missing folders. Returns -1 and sets errno on failure.
static int open_parent(int root, const char *path, const char **name) {
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof part) {
        errno = ENAMETOOLONG;
        return -1;
    }
    *name = strrchr(path, '/') + 1;
    int folder = open_inside(root, ".");
    for (const char *slash = strchr(path + 1, '/'); slash && folder >= 0; slash = strchr(slash + 1, '/')) {
        memcpy(part, path, (size_t)(slash - path));
        part[slash - path] = 0;
        int next = open_inside(root, part);
        if (next < 0 && errno == ENOENT && mkdirat(folder, strrchr(part, '/') + 1, 0755) == 0)
            next = open_inside(root, part);
        int code = errno;
        close(folder);
        errno = code;
        folder = next;
    }
    return folder;
}

// Opens a mount point, and creates a missing one: a folder or an empty file, like the source.
static int open_target(int root, const char *path, bool is_folder) {
    int found = open_inside(root, path);
    if (found >= 0 || errno != ENOENT) return found;
    const char *name;
    int parent = open_parent(root, path, &name);
    if (parent < 0) return -1;
    int outcome = is_folder ? mkdirat(parent, name, 0755) : mknodat(parent, name, S_IFREG | 0644, 0);
    int code = errno;
    close(parent);
    errno = code;
    return outcome < 0 ? -1 : open_inside(root, path);
}

static int place_tree(int root, struct policy_entry *entry) {
    struct stat status;
    if (fstat(entry->tree, &status) < 0) return errno;
    int target = open_target(root, entry->path, S_ISDIR(status.st_mode));
    if (target < 0) return errno;
    int code = syscall(SYS_move_mount, entry->tree, "", target, "", FROM_DESCRIPTOR | TO_DESCRIPTOR) < 0 ? errno : 0;
    close(target);
    close(entry->tree);
    entry->tree = -1;
    return code;
}

static int place_memory(int root, const struct policy_entry *entry) {
    int target = open_target(root, entry->path, true);
    if (target < 0) return errno;
    char options[64], path[32];
    snprintf(options, sizeof options, "mode=1777,nr_inodes=4096,size=%.20s", entry->other);
    // mount(2) takes no descriptors; the descriptor's name in the old /proc leads to the same folder.
    snprintf(path, sizeof path, "/proc/self/fd/%d", target);
    int code = mount("exthost", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) < 0 ? errno : 0;
    close(target);
    return code;
}

static int write_text(int root, const struct policy_entry *entry) {
    const char *name;
    int parent = open_parent(root, entry->path, &name);
    if (parent < 0) return errno;
    int code = 0;
    if (entry->verb == POLICY_LINK) {
        // If a mount already has this name, it is the same as outside.
        if (symlinkat(entry->other, parent, name) < 0 && errno != EEXIST) code = errno;
    } else {
        int file = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        size_t length = strlen(entry->other);
        if (file < 0 || write(file, entry->other, length) != (ssize_t)length) code = file < 0 ? errno : ENOSPC;
        if (file >= 0) close(file);
    }
    close(parent);
    return code;
}

static int place(int root, struct policy_entry *entry) {
    if (entry->tree >= 0) return place_tree(root, entry);
    if (entry->verb == POLICY_MEMORY) return place_memory(root, entry);
    return write_text(root, entry);
}

// Enables the only interface of a new network namespace. Without the protocol there is no interface, and no program
// needs it.
static void raise_loopback(void) {
    int end = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (end < 0) return;
    struct ifreq request = {.ifr_name = "lo"};
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    (void)!ioctl(end, SIOCSIFFLAGS, &request);
    close(end);
}

int enter_view(struct policy *policy, bool *in_proc) {
    *in_proc = false;
    // The unshare is not part of the clone: a network namespace alone takes as long as the rest of a launch, and would
    // block the daemon's loop.
    int flags = CLONE_NEWNS | CLONE_NEWIPC | (policy->has_network ? 0 : CLONE_NEWNET);
    if (unshare(flags) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) return errno;
    if (!policy->has_network) raise_loopback();
    for (int i = 0; i < policy->count; i++) {
        struct policy_entry *entry = policy->entries + i;
        if (entry->verb > POLICY_DEVICE || entry->verb == POLICY_MEMORY) continue;
        int code = take_source(entry);
        if (code != 0) return code;
    }
    // The new root can cover any folder, because no other process sees this mount. The working directory is still the
    // old one.
    if (mount("exthost", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=2m,nr_inodes=8192") < 0) return errno;
    if (chdir("/tmp") < 0) return errno;
    int root = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) return errno;
    mode_t mask = umask(022);
    for (int i = 0; i < policy->count; i++) {
        int code = place(root, policy->entries + i);
        if (code != 0) return code;
    }
    if (mkdirat(root, "proc", 0555) < 0) return errno;
    umask(mask);
    close(root);
    if (mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "subset=pid") < 0) {
        *in_proc = true;
        return errno;
    }
    // The old root covers the new one and is then detached (pivot_root(2), "pivot_root(".", ".")").
    if (syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0) return errno;
    root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0 || set_attributes(root, 0, READ_ONLY | NO_SETUID | NO_DEVICES | NO_PROGRAMS) < 0) return errno;
    close(root);
    return 0;
}
