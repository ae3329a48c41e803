// Packets with descriptors over AF_UNIX sockets: sendmsg(2), recvmsg(2) and the CMSG macros of cmsg(3).

#ifndef EXTHOST_MESSAGES_H
#define EXTHOST_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

enum { EXTHOST_MAXIMUM_DESCRIPTORS = 16 };

struct exthost_received {
    ssize_t count;  // bytes, 0 at end of file
    int descriptor_count;
    int descriptors[EXTHOST_MAXIMUM_DESCRIPTORS];  // close-on-exec, now the caller's; none when a flag below is set
    bool truncated;  // MSG_TRUNC: the packet was longer than the buffer
    bool control_truncated;  // MSG_CTRUNC: it held more descriptors than the limit, or none were free
};

/// Sends one packet; 0, or a negative errno (-EAGAIN when it would block and `wait` is false).
int exthost_send_packet(
    int socket, const struct iovec *parts, int part_count, const int *descriptors, int descriptor_count, bool wait);

/// Receives one packet; 0, or a negative errno.
int exthost_receive_packet(int socket, void *buffer, size_t capacity, bool wait, struct exthost_received *received);

#endif
