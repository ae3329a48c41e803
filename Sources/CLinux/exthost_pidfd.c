// exthost_pidfd: signals, reaps and identifies processes by descriptor.

#define _GNU_SOURCE
#include "exthost_pidfd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Debian 12's headers lack these. The numbers hold on every architecture that Swift supports.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef PIDFD_SIGNAL_PROCESS_GROUP
#define PIDFD_SIGNAL_PROCESS_GROUP (1U << 2)
#endif

// The first 64 bytes of the kernel's struct pidfd_info, the size of its first version (Linux 6.13).
struct process_information {
    uint64_t mask;
    uint64_t cgroup;
    uint32_t pid, tgid, ppid, ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
    int32_t exit_code;
};
_Static_assert(sizeof(struct process_information) == 64, "PIDFD_INFO_SIZE_VER0");
#define GET_INFORMATION _IOWR(0xFF, 11, struct process_information)
#define INFORMATION_EXIT (UINT64_C(1) << 3)  // Linux 6.15, and only after the process is reaped

int exthost_pidfd_open(pid_t pid) {
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    return pidfd < 0 ? -errno : pidfd;
}

int exthost_pidfd_signal(int pidfd, int signal) {
    return syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) < 0 ? -errno : 0;
}

int exthost_pidfd_signal_group(int pidfd, int signal) {
    return syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, PIDFD_SIGNAL_PROCESS_GROUP) < 0 ? -errno : 0;
}

static void forget(struct exthost_ended *result) {
    memset(result, 0, sizeof *result);
    result->peak_kilobytes = -1;
    result->cpu_microseconds = -1;
}

int exthost_reap(int pidfd, struct exthost_ended *result) {
    forget(result);
    siginfo_t information;
    struct rusage usage;
    memset(&information, 0, sizeof information);
    // The system call has a fifth argument that glibc's wrapper omits: the child's resource usage (waitid(2)).
    while (syscall(SYS_waitid, P_PIDFD, pidfd, &information, WEXITED | WNOHANG, &usage) < 0)
        if (errno != EINTR) return -errno;
    if (information.si_pid == 0) return 0;
    result->ended = true;
    result->status_known = true;
    if (information.si_code == CLD_EXITED)
        result->status = W_EXITCODE(information.si_status, 0);
    else
        result->status = information.si_status | (information.si_code == CLD_DUMPED ? WCOREFLAG : 0);
    result->peak_kilobytes = usage.ru_maxrss;
    result->cpu_microseconds = (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
        + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    return 0;
}

// Gets `PIDFD_GET_INFO`. EXTHOST_NO_PIDFD_INFO simulates an older kernel for tests.
static int get_information(int pidfd, struct process_information *information) {
    if (getenv("EXTHOST_NO_PIDFD_INFO")) return -1;
    return ioctl(pidfd, GET_INFORMATION, information);
}

int exthost_inspect(int pidfd, struct exthost_ended *result) {
    forget(result);
    struct pollfd event = {pidfd, POLLIN, 0};
    while (poll(&event, 1, 0) < 0)
        if (errno != EINTR) return -errno;
    if (event.revents & POLLNVAL) return -EBADF;
    if (event.revents == 0) return 0;
    struct process_information information;
    memset(&information, 0, sizeof information);
    information.mask = INFORMATION_EXIT;
    if (get_information(pidfd, &information) == 0) {
        if (information.mask & INFORMATION_EXIT) {
            result->status_known = true;
            result->status = information.exit_code;
        } else if (!(event.revents & POLLHUP)) {
            // The process is dead, but its parent has not fetched the status. The kernel reports the status at the
            // hang-up.
            return 0;
        }
    }
    result->ended = true;
    return 0;
}

pid_t exthost_pidfd_pid(int pidfd) {
    // fdinfo has had this line since the first pidfds (pidfd_open(2)); PIDFD_GET_INFO is newer.
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", pidfd);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return -errno;
    ssize_t count = read(descriptor, text, sizeof text - 1);
    int code = errno;
    close(descriptor);
    if (count < 0) return -code;
    text[count] = 0;
    const char *line = strstr(text, "\nPid:");
    int pid = 0;
    if (!line || sscanf(line + 5, "%d", &pid) != 1) return -EBADF;
    return pid > 0 ? pid : -ESRCH;
}

int exthost_peer_credentials(int socket, struct exthost_peer *peer) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0) return -errno;
    peer->pid = credentials.pid;
    peer->uid = credentials.uid;
    peer->gid = credentials.gid;
    return 0;
}

int exthost_peer_groups(int socket, gid_t *groups, int room) {
    socklen_t length = (socklen_t)room * sizeof *groups;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &length) < 0) return -errno;
    return (int)(length / sizeof *groups);
}

int exthost_peer_pidfd(int socket) {
    int pidfd = -1;
    socklen_t length = sizeof pidfd;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length) < 0) return -errno;
    return pidfd;
}

int exthost_pass_credentials(int socket) {
    int on = 1;
    return setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0 ? -errno : 0;
}

pid_t exthost_receive_starter(int socket, int *pidfd) {
    *pidfd = -1;
    char bytes[16];
    ssize_t count = recv(socket, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
    if (count < 0) return -errno;
    if (count != 1) return 0;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int))];
    struct iovec part = {bytes, sizeof bytes};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    if (recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0) return -errno;
    pid_t pid = -ENODATA;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET) continue;
        struct ucred credentials;
        if (header->cmsg_type == SCM_CREDENTIALS) {
            memcpy(&credentials, CMSG_DATA(header), sizeof credentials);
            pid = credentials.pid;
        }
        if (header->cmsg_type == SCM_RIGHTS) memcpy(pidfd, CMSG_DATA(header), sizeof *pidfd);
    }
    return pid;
}
