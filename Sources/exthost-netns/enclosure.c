// enclosure: the namespaces, what is mounted in them, and the rights of the programs that run in them.

#define _GNU_SOURCE
#include "enclosure.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "link.h"
#include "packet.h"

// Services of the system that resolve names for other programs, through a socket in a folder. Their queries would leave
// by the system's network, and pass by the name servers of the namespace.
static const char *const resolvers[] = {"/run/systemd/resolve", "/run/nscd", "/var/run/nscd", "/run/avahi-daemon"};

// The file that is mounted over /etc/resolv.conf; -1 if that is missing.
static int resolver = -1;

static bool write_file(const char *path, const char *text) {
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    ssize_t count = write(descriptor, text, strlen(text));
    int code = errno;
    close(descriptor);
    errno = code;
    return count == (ssize_t)strlen(text);
}

// Maps one id to itself: an ordinary user may map no other (user_namespaces(7)).
static bool map(const char *path, unsigned int id) {
    char text[64];
    format_number(text, id);
    size_t length = strlen(text);
    text[length] = ' ';
    format_number(text + length + 1, id);
    strcat(text, " 1");
    return write_file(path, text);
}

bool enter_namespaces(void) {
    unsigned int user = geteuid(), group = getegid();
    // Also for root: a program in root's own user namespace could enter the namespaces of other processes.
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC) < 0) {
        if (errno == ENOSPC)
            return fail("namespaces", ENOSPC, "this user has as many namespaces as the system allows",
                "Raise the values below /proc/sys/user");
        return fail("namespaces", errno, "the system allows no user namespace with a network of its own",
            "Allow them: sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces above 0; in a container, "
            "its profile of system calls must allow unshare");
    }
    if (!write_file("/proc/self/setgroups", "deny") || !map("/proc/self/uid_map", user)
        || !map("/proc/self/gid_map", group))
        return fail("ids", errno, "the ids of the user namespace cannot be mapped", "Mount /proc for writing");
    return true;
}

static bool is_within(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

// Mounts a file of this namespace over /etc/resolv.conf.
static bool mount_resolver(void) {
    static char place[PATH_MAX];
    // Taken before the folder that may have it is hidden.
    bool exists = realpath("/etc/resolv.conf", place) != NULL;
    for (size_t i = 0; i < sizeof resolvers / sizeof *resolvers; i++) {
        static char folder[PATH_MAX];
        if (realpath(resolvers[i], folder) == NULL) continue;
        if (mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755") < 0)
            return fail("mounts", errno, "the services that resolve names outside cannot be hidden", "");
        if (!exists || !is_within(place, folder)) continue;
        int descriptor = open(place, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
        if (descriptor < 0) return fail("resolver", errno, "the file behind /etc/resolv.conf cannot be made", "");
        close(descriptor);
    }
    if (!exists) return true;
    // The file needs a file system of this namespace. Once it is bound, the system's mount point is not needed.
    if (mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755") < 0)
        return fail("mounts", errno, "no file system can be mounted in the new namespace", "");
    resolver = open("/tmp/resolv.conf", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    int code = resolver < 0 || mount("/tmp/resolv.conf", place, NULL, MS_BIND, NULL) < 0 ? errno : 0;
    if (umount2("/tmp", MNT_DETACH) < 0 && code == 0) code = errno;
    return code == 0 || fail("resolver", code, "no file can be mounted over /etc/resolv.conf", "");
}

bool write_resolver(const char *text, size_t length) {
    if (resolver < 0)
        return length == 0
            || fail("resolver", ENOENT, "there is no /etc/resolv.conf to mount over", "Make an empty /etc/resolv.conf");
    if (ftruncate(resolver, 0) < 0 || pwrite(resolver, text, length, 0) != (ssize_t)length)
        return fail("resolver", errno, "the namespace's /etc/resolv.conf cannot be written", "");
    return true;
}

bool furnish(void) {
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
        return fail("mounts", errno, "the mounts of the new namespace cannot be separated",
            "In a container, its profile of system calls must allow mount");
    // Containers whose /proc has covered files allow no new one. The old one serves then, with other pids.
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    if (!mount_resolver()) return false;
    if (!start_links()) return false;
    // Lets programs without capabilities send echo requests, as most systems do (icmp(7)). Where /proc/sys is
    // read-only, they cannot.
    char range[64];
    format_number(range, getegid());
    size_t length = strlen(range);
    range[length] = ' ';
    format_number(range + length + 1, getegid());
    write_file("/proc/sys/net/ipv4/ping_group_range", range);
    return true;
}

bool drop_capabilities(void) {
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
        if (prctl(PR_CAPBSET_DROP, capability) < 0) return false;
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{0}};
    return syscall(SYS_capset, &header, data) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}
