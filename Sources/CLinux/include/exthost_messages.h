// exthost_messages: packets with descriptors over AF_UNIX sockets, by sendmsg(2), recvmsg(2) and the macros of cmsg(3).

#ifndef EXTHOST_MESSAGES_H
#define EXTHOST_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

enum { EXTHOST_MAXIMUM_DESCRIPTORS = 16 };

struct exthost_received {
    ssize_t count;  // in bytes, 0 at the end of file
    int descriptor_count;
    // Close-on-exec descriptors, which the caller owns. The list is empty if a flag below is set.
    int descriptors[EXTHOST_MAXIMUM_DESCRIPTORS];
    bool truncated;  // MSG_TRUNC: the packet was longer than the buffer
    bool control_truncated;  // MSG_CTRUNC: the packet held more descriptors than the limit, or no number was free
};

/// Sends one packet. Returns 0 or a negative errno: -EAGAIN if it would block and `wait` is false.
int exthost_send_packet(
    int socket, const struct iovec *parts, int part_count, const int *descriptors, int descriptor_count, bool wait);

/// Receives one packet. Returns 0 or a negative errno: -EAGAIN if it would block and `wait` is false.
int exthost_receive_packet(int socket, void *buffer, size_t capacity, bool wait, struct exthost_received *received);

#endif
