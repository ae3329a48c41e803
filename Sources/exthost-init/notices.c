// notices: answers the calls that the filter passes on (seccomp_unotify(2)), and reports them.
//
// A refusal never depends on the caller's memory, which the caller can change at any time. So a change leads to a wrong
// notice at worst, and never to an allowed call.
//
// A call that depends on a descriptor's file is performed here, on a copy of the descriptor. So another file under the
// same number changes nothing.

#define _GNU_SOURCE
#include "notices.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "filter.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE 1
#endif

int take_listener(struct notices *notices, int listener, int report, const struct policy *policy) {
    sigset_t all;
    sigfillset(&all);
    *notices = (struct notices){.listener = listener, .report = report, .policy = policy};
    notices->signals = signalfd(-1, &all, SFD_CLOEXEC);
    return notices->signals;
}

static void tell(struct notices *notices, const char *layer, const char *call, bool writes, const char *about) {
    char bytes[NOTICE_BYTES];
    int count = snprintf(bytes, sizeof bytes, "D%s%c%s%c%s%c%s", layer, 0, call, 0, writes ? "w" : "", 0, about);
    if (count < 0 || notices->count == NOTICES) return;
    size_t length = (size_t)count < sizeof bytes ? (size_t)count + 1 : sizeof bytes;
    bytes[length - 1] = 0;
    uint64_t hash = UINT64_C(14695981039346656037);  // FNV-1a
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    for (int i = 0; i < notices->count; i++)
        if (notices->told[i] == hash) return;
    notices->told[notices->count++] = hash;
    (void)!send(notices->report, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static bool is_still_there(const struct notices *notices, uint64_t id) {
    return ioctl(notices->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

// Reads a string from the caller's memory, page by page, so a string that ends before an unmapped page is readable.
// Returns false if there is none.
static bool read_string(pid_t pid, uint64_t address, char *text, size_t size) {
    size_t length = 0;
    while (length < size) {
        size_t rest = 4096 - (size_t)((address + length) % 4096);
        struct iovec here = {text + length, rest < size - length ? rest : size - length};
        struct iovec there = {
            (void *)(uintptr_t)(address + length), here.iov_len};  // NOLINT: an address of another process
        ssize_t count = process_vm_readv(pid, &here, 1, &there, 1, 0);
        if (count <= 0) return false;
        if (memchr(here.iov_base, 0, (size_t)count)) return true;
        length += (size_t)count;
    }
    return false;
}

// Finds the path of an "at" call, as an absolute path without "." and "..". It resolves these by text, and follows no
// links. Returns false if the path is unknown.
static bool find_path(const struct seccomp_notif *request, bool is_at, char *path, size_t size) {
    char given[PATH_MAX], folder[PATH_MAX + 16];
    pid_t pid = (pid_t)request->pid;
    int number = is_at ? (int)request->data.args[0] : AT_FDCWD;
    if (!read_string(pid, request->data.args[is_at ? 1 : 0], given, sizeof given) || given[0] == 0) return false;
    size_t length = 0;
    if (given[0] != '/') {
        char link[64];
        if (number == AT_FDCWD)
            snprintf(link, sizeof link, "/proc/%d/cwd", pid);
        else
            snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, number);
        ssize_t count = readlink(link, folder, PATH_MAX);
        if (count <= 0 || folder[0] != '/') return false;
        length = (size_t)count;
    }
    if (length >= size) return false;
    memcpy(path, folder, length);
    path[length] = 0;
    for (const char *part = given; *part;) {
        size_t count = strcspn(part, "/");
        if (count == 2 && memcmp(part, "..", 2) == 0) {
            while (length > 0 && path[--length] != '/') continue;
        } else if (count > 0 && !(count == 1 && *part == '.')) {
            if (length == 1 && path[0] == '/') length = 0;
            if (length + count + 2 > size) return false;
            path[length++] = '/';
            memcpy(path + length, part, count);
            length += count;
        }
        path[length] = 0;
        part += count;
        part += strspn(part, "/");
    }
    if (length == 0) snprintf(path, size, "/");
    return true;
}

static bool lies_in(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0
        && (path[length] == 0 || path[length] == '/' || (length == 1 && *folder == '/'));
}

// Whether the policy allows a file at the path, below it, or above it.
static bool is_known(const struct policy *policy, const char *path, bool writes) {
    if (lies_in(path, "/proc")) return true;
    for (int i = 0; i < policy->count; i++) {
        const struct policy_entry *entry = policy->entries + i;
        bool is_writable = entry->verb == POLICY_WRITE || entry->verb == POLICY_PLACE || entry->verb == POLICY_MEMORY
            || entry->verb == POLICY_DEVICE;
        // If a folder replaces another one in the view, a file that is missing in it may exist outside.
        bool stands_in = policy->has_namespaces && (entry->verb == POLICY_PLACE || entry->verb == POLICY_MEMORY);
        if (lies_in(path, entry->path) && (is_writable || !writes) && (writes || !stands_in || access(path, F_OK) == 0))
            return true;
        if (lies_in(entry->path, path) && !writes) return true;
    }
    return false;
}

static bool opens_for_writing(const struct seccomp_notif *request) {
    uint64_t flags = 0;
    if (request->data.nr == SYS_openat) flags = request->data.args[2];
#if defined(__x86_64__)
    if (request->data.nr == SYS_open) flags = request->data.args[1];
    if (request->data.nr == SYS_creat) flags = O_CREAT;
#endif
    return (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0;
}

static const char *name_of_family(int family) {
    switch (family) {
    case AF_UNIX:
        return "AF_UNIX";
    case AF_INET:
        return "AF_INET";
    case AF_INET6:
        return "AF_INET6";
    case AF_NETLINK:
        return "AF_NETLINK";
    case AF_PACKET:
        return "AF_PACKET";
    case AF_VSOCK:
        return "AF_VSOCK";
    case AF_ALG:
        return "AF_ALG";
    case AF_BLUETOOTH:
        return "AF_BLUETOOTH";
    default:
        return NULL;
    }
}

// Returns the process of a thread, or 0 if unknown. Before Linux 6.9 only processes have pidfds.
static pid_t process_of(pid_t thread) {
    char path[32], text[512];
    snprintf(path, sizeof path, "/proc/%d/status", thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    text[count > 0 ? count : 0] = 0;
    const char *line = strstr(text, "\nTgid:");
    int process = 0;
    return line && sscanf(line, "\nTgid: %d", &process) == 1 ? process : 0;
}

// Copies the caller's descriptor. Returns the copy or a negative errno.
static int copy_descriptor(pid_t thread, int number) {
    pid_t process = process_of(thread);
    int pidfd = process > 0 ? (int)syscall(SYS_pidfd_open, process, 0) : -1;
    if (pidfd < 0) return -EPERM;
    int copy = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
    int code = errno;
    close(pidfd);
    return copy < 0 ? -code : copy;
}

static int socket_option(int socket, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    return getsockopt(socket, SOL_SOCKET, name, &value, &size) < 0 ? -1 : value;
}

// Whether a descriptor of the caller is a TCP socket. Landlock does not check others.
static bool is_tcp(pid_t thread, int number) {
    int copy = copy_descriptor(thread, number);
    if (copy < 0) return false;
    bool found = socket_option(copy, SO_PROTOCOL) == IPPROTO_TCP;
    close(copy);
    return found;
}

// Describes the address of a connect or bind, such as `AF_INET SOCK_STREAM, port 80`. Returns false if the socket is
// not TCP.
static bool describe_connection(const struct seccomp_notif *request, char *text, size_t size) {
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } address = {.any.sa_family = AF_UNSPEC};
    uint64_t length = request->data.args[2];
    struct iovec here = {&address, length < sizeof address ? (size_t)length : sizeof address};
    struct iovec there = {
        (void *)(uintptr_t)request->data.args[1], here.iov_len};  // NOLINT: an address of another process
    if (process_vm_readv((pid_t)request->pid, &here, 1, &there, 1, 0) < (ssize_t)sizeof address.any.sa_family + 2)
        return false;
    int family = address.any.sa_family;
    if ((family != AF_INET && family != AF_INET6) || !is_tcp((pid_t)request->pid, (int)request->data.args[0]))
        return false;
    // The port has the same offset in both structures.
    snprintf(text, size, "%s SOCK_STREAM, port %d", name_of_family(family), ntohs(address.four.sin_port));
    return true;
}

static void describe(const struct seccomp_notif *request, char *text, size_t size) {
    const __u64 *arguments = request->data.args;
    text[0] = 0;
    if (request->data.nr == SYS_socket || request->data.nr == SYS_socketpair) {
        static const char *const types[] = {"0", "SOCK_STREAM", "SOCK_DGRAM", "SOCK_RAW", "4", "SOCK_SEQPACKET"};
        const char *family = name_of_family((int)arguments[0]);
        int type = (int)(arguments[1] & 0xf);
        char number[16];
        snprintf(number, sizeof number, "%d", (int)arguments[0]);
        snprintf(text, size, "%s %s", family ? family : number, type <= 5 ? types[type] : "other");
    } else if (request->data.nr == SYS_clone || request->data.nr == SYS_unshare) {
        snprintf(text, size, "flags 0x%llx", (unsigned long long)arguments[0]);
    } else if (request->data.nr == SYS_ioctl) {
        snprintf(text, size, "request 0x%x", (unsigned int)arguments[1]);
    } else if (request->data.nr == SYS_setpriority || request->data.nr == SYS_ptrace) {
        snprintf(text, size, "%lld %lld", (long long)arguments[0], (long long)arguments[1]);
    } else if (request->data.nr == SYS_fchmodat || request->data.nr == SYS_fchownat || request->data.nr == SYS_utimensat
        || request->data.nr == SYS_open_tree || request->data.nr == SYS_name_to_handle_at) {
        find_path(request, true, text, size);
    } else if (request->data.nr == SYS_setxattr || request->data.nr == SYS_lsetxattr || request->data.nr == SYS_chroot
        || request->data.nr == SYS_umount2
#if defined(__x86_64__)
        || request->data.nr == SYS_chmod || request->data.nr == SYS_chown || request->data.nr == SYS_lchown
        || request->data.nr == SYS_utime || request->data.nr == SYS_utimes
#endif
    ) {
        find_path(request, false, text, size);
    } else if (request->data.nr == SYS_mount) {
        struct seccomp_notif target = *request;
        target.data.args[0] = arguments[1];
        find_path(&target, false, text, size);
    }
}

// Gets the current path of an open file of this process.
static bool name_of_file(int file, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t count = readlink(link, path, size - 1);
    path[count > 0 ? count : 0] = 0;
    return count > 0 && (size_t)count < size - 1;
}

// Whether the file's path is in a folder that the program may write to. The program cannot move files from elsewhere
// into such a folder.
static bool is_changeable(const struct policy *policy, int file, char *path, size_t size) {
    struct stat status;
    if (!name_of_file(file, path, size)) return false;
    if (fstat(file, &status) < 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) return false;
    for (int i = 0; i < policy->count; i++)
        if (policy->entries[i].place && lies_in(path, policy->entries[i].place)) return true;
    return false;
}

static int change_times(const struct seccomp_notif *notice, int file) {
    struct timespec times[2];
    uint64_t address = notice->data.args[2];
    struct iovec here = {times, sizeof times};
    struct iovec there = {(void *)(uintptr_t)address, sizeof times};  // NOLINT: an address of another process
    if (address != 0 && process_vm_readv((pid_t)notice->pid, &here, 1, &there, 1, 0) != sizeof times) return EFAULT;
    return futimens(file, address != 0 ? times : NULL) < 0 ? errno : 0;
}

// Performs the call for the caller. Returns 0, its errno, or -1 if it is refused; then `about` describes its object.
static int perform(const struct notices *notices, const struct seccomp_notif *notice, char *about, size_t size) {
    const __u64 *arguments = notice->data.args;
    int call = notice->data.nr;
    // This form takes a path or flags.
    if (call == SYS_utimensat && (arguments[1] != 0 || arguments[3] != 0)) return -1;
    int copy = copy_descriptor((pid_t)notice->pid, (int)arguments[0]);
    if (copy == -EBADF) return EBADF;
    if (copy < 0) return -1;
    int code = -1;
    // Another process may have the pid by now.
    if (!is_still_there(notices, notice->id)) {
        code = EPERM;
    } else if (call == SYS_listen) {
        int domain = socket_option(copy, SO_DOMAIN);
        if (domain == AF_INET || domain == AF_INET6)
            snprintf(about, size, "%s SOCK_STREAM", name_of_family(domain));
        else
            code = listen(copy, (int)arguments[1]) < 0 ? errno : 0;
    } else if (is_changeable(notices->policy, copy, about, size)) {
        if (call == SYS_fchmod)
            code = fchmod(copy, (mode_t)arguments[1]) < 0 ? errno : 0;
        else if (call == SYS_fchown)
            code = fchown(copy, (uid_t)arguments[1], (gid_t)arguments[2]) < 0 ? errno : 0;
        else
            code = change_times(notice, copy);
    }
    close(copy);
    return code;
}

// Whether the call creates the socket of syslog(3). libdispatch calls that when it may not raise a thread's priority,
// so it is not the author's mistake.
static bool is_log(const struct seccomp_notif *notice) {
    return notice->data.nr == SYS_socket && notice->data.args[0] == AF_UNIX
        && notice->data.args[1] == (SOCK_DGRAM | SOCK_CLOEXEC);
}

// Reads, reports and answers one call. Returns false if no process can make a call any more.
static bool answer_call(struct notices *notices) {
    // The kernel's structures may be larger than those of the headers, but no larger than these
    // (SECCOMP_GET_NOTIF_SIZES).
    union {
        struct seccomp_notif notice;
        char bytes[512];
    } request;
    union {
        struct seccomp_notif_resp response;
        char bytes[512];
    } response;
    memset(&request, 0, sizeof request);
    memset(&response, 0, sizeof response);
    if (ioctl(notices->listener, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0) return errno == EINTR || errno == ENOENT;
    char about[PATH_MAX];
    about[0] = 0;
    bool is_at;
    const struct seccomp_notif *notice = &request.notice;
    const char *name = name_of_call(notice->data.nr);
    response.response.id = notice->id;
    if (is_path_lookup(notice->data.nr, &is_at)) {
        response.response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        bool writes = opens_for_writing(notice);
        if (notices->count < NOTICES && find_path(notice, is_at, about, sizeof about)
            && is_still_there(notices, notice->id) && !is_known(notices->policy, about, writes))
            tell(notices, notices->policy->has_namespaces ? "namespaces" : "landlock", name, writes, about);
    } else if (is_counted(notice->data.nr)) {
        // This call has no arguments in memory or behind a descriptor.
        if (notices->watches < WATCHES)
            response.response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        else
            response.response.error = -EMFILE;
        if (notices->watches < WATCHES) notices->watches++;
    } else if (is_connection(notice->data.nr)) {
        // Landlock decides.
        response.response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        if (notices->count < NOTICES && describe_connection(notice, about, sizeof about)
            && is_still_there(notices, notice->id))
            tell(notices, "landlock", name, false, about);
    } else {
        int code = is_performed(notice->data.nr) ? perform(notices, notice, about, sizeof about) : -1;
        response.response.error = code < 0 ? -EPERM : -code;
        if (code < 0 && notices->count < NOTICES && !is_log(notice)) {
            if (about[0] == 0) describe(notice, about, sizeof about);
            if (is_still_there(notices, notice->id)) tell(notices, "seccomp", name ? name : "?", false, about);
        }
    }
    ioctl(notices->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
    return true;
}

int wait_for_signal(struct notices *notices) {
    while (notices->listener >= 0 && notices->signals >= 0) {
        struct pollfd events[] = {{notices->signals, POLLIN, 0}, {notices->listener, POLLIN, 0}};
        if (poll(events, 2, -1) < 0) continue;
        if (events[0].revents & POLLIN) {
            struct signalfd_siginfo information;
            if (read(notices->signals, &information, sizeof information) == sizeof information)
                return (int)information.ssi_signo;
        }
        bool is_open = !(events[1].revents & POLLIN) || answer_call(notices);
        if (!is_open || (events[1].revents & (POLLHUP | POLLERR))) {
            close(notices->listener);
            notices->listener = -1;
        }
    }
    sigset_t all;
    sigfillset(&all);
    return sigwaitinfo(&all, NULL);
}
