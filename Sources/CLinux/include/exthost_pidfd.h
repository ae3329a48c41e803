// exthost_pidfd: signals, reaps and identifies processes by descriptor.
//
// The calls are pidfd_open(2), pidfd_send_signal(2), waitid(2) with usage, PIDFD_GET_INFO and SO_PEERPIDFD.

#ifndef EXTHOST_PIDFD_H
#define EXTHOST_PIDFD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// Opens a close-on-exec pidfd. Returns a descriptor or a negative errno.
int exthost_pidfd_open(pid_t pid);

/// Sends a signal to a process. Returns 0 or a negative errno: -ESRCH if the process is gone.
int exthost_pidfd_signal(int pidfd, int signal);

/// Sends a signal to the process group that the process leads (Linux 6.9). Returns 0 or a negative errno: -EINVAL if
/// the kernel does not support it.
int exthost_pidfd_signal_group(int pidfd, int signal);

struct exthost_ended {
    bool ended;
    bool status_known;
    int status;  // in the format of wait(2), for WIFEXITED and the like
    int64_t peak_kilobytes;  // ru_maxrss, -1 if unknown
    int64_t cpu_microseconds;  // user and system time, -1 if unknown
};

/// Reaps a child that has ended, without waiting. Returns 0 or a negative errno: -ECHILD if the process is not our
/// child.
int exthost_reap(int pidfd, struct exthost_ended *result);

/// Gets the exit status of a process that is not our child, from PIDFD_GET_INFO, without waiting. Returns 0 or a
/// negative errno.
int exthost_inspect(int pidfd, struct exthost_ended *result);

/// Returns the pid of a pidfd in this process's pid namespace, or a negative errno: -ESRCH if the process is gone.
pid_t exthost_pidfd_pid(int pidfd);

struct exthost_peer {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

/// Gets the peer's credentials (SO_PEERCRED). Returns 0 or a negative errno.
int exthost_peer_credentials(int socket, struct exthost_peer *peer);

/// Gets the supplementary groups that the peer had when it connected (SO_PEERGROUPS), at most `room`. Returns their
/// number or a negative errno: -ERANGE if there are more.
int exthost_peer_groups(int socket, gid_t *groups, int room);

/// Makes received packets carry their sender's credentials (SO_PASSCRED). Returns 0 or a negative errno.
int exthost_pass_credentials(int socket);

/// Receives the one-byte packet that exthost-init's child sends before it executes the program, without waiting.
///
/// - Parameter pidfd: set to the sender's close-on-exec pidfd, which the caller owns; -1 if the packet has none.
/// - Returns: the sender's pid in this process's namespace, 0 if the next packet is another one, or a negative errno:
///   -EAGAIN if there is none.
pid_t exthost_receive_starter(int socket, int *pidfd);

/// Gets a pidfd of the peer (SO_PEERPIDFD, Linux 6.5). Returns a close-on-exec descriptor or a negative errno.
int exthost_peer_pidfd(int socket);

#endif
