// Processes by descriptor: pidfd_open(2), pidfd_send_signal(2), waitid(2) with usage, PIDFD_GET_INFO, SO_PEERPIDFD.

#ifndef EXTHOST_PIDFD_H
#define EXTHOST_PIDFD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// A close-on-exec pidfd, or a negative errno.
int exthost_pidfd_open(pid_t pid);

/// 0 or a negative errno; -ESRCH when the process is gone.
int exthost_pidfd_signal(int pidfd, int signal);

/// Signals the process group whose leader is the process (Linux 6.9); -EINVAL where the kernel cannot.
int exthost_pidfd_signal_group(int pidfd, int signal);

struct exthost_ended {
    bool ended;
    bool status_known;
    int status;  // as wait(2) gives it: WIFEXITED and the like apply
    int64_t peak_kilobytes;  // ru_maxrss, -1 when not known
    int64_t cpu_microseconds;  // user and system, -1 when not known
};

/// Reaps a child that has ended; never waits. 0, or a negative errno: -ECHILD when the process is not our child.
int exthost_reap(int pidfd, struct exthost_ended *result);

/// The same for a process that is not our child, from PIDFD_GET_INFO. 0 or a negative errno.
int exthost_inspect(int pidfd, struct exthost_ended *result);

/// The pid behind a pidfd as this process's namespace numbers it; a negative errno otherwise, -ESRCH when it is gone.
pid_t exthost_pidfd_pid(int pidfd);

struct exthost_peer {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

/// SO_PEERCRED; 0 or a negative errno.
int exthost_peer_credentials(int socket, struct exthost_peer *peer);

/// SO_PEERGROUPS: the supplementary groups of the peer as it connected, at most `room` of them; how many it has, or a
/// negative errno, -ERANGE where they are more.
int exthost_peer_groups(int socket, gid_t *groups, int room);

/// Lets packets that this socket receives bring their sender's credentials (SO_PASSCRED); 0 or a negative errno.
int exthost_pass_credentials(int socket);

/// Takes the one-byte packet that exthost-init's child sends before it executes the program; the sender's pid as this
/// process's namespace numbers it, 0 when the next packet is another, or a negative errno: -EAGAIN when there is none.
/// Never waits. `pidfd` is that of the sender, close-on-exec and the caller's, where the sender has put one in, else
/// -1.
pid_t exthost_receive_starter(int socket, int *pidfd);

/// SO_PEERPIDFD (Linux 6.5): a close-on-exec pidfd, or a negative errno.
int exthost_peer_pidfd(int socket);

#endif
