// exthost_messages: packets with descriptors over AF_UNIX sockets.

#define _GNU_SOURCE
#include "exthost_messages.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int exthost_send_packet(
    int socket, const struct iovec *parts, int part_count, const int *descriptors, int descriptor_count, bool wait) {
    union {
        char bytes[CMSG_SPACE(EXTHOST_MAXIMUM_DESCRIPTORS * sizeof(int))];
        struct cmsghdr alignment;
    } control;
    if (descriptor_count < 0 || descriptor_count > EXTHOST_MAXIMUM_DESCRIPTORS) return -EINVAL;

    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = (struct iovec *)parts;
    message.msg_iovlen = (size_t)part_count;
    if (descriptor_count > 0) {
        size_t length = sizeof(int) * (size_t)descriptor_count;
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(length);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(length);
        memcpy(CMSG_DATA(header), descriptors, length);
    }
    int flags = MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT);
    while (sendmsg(socket, &message, flags) < 0)
        if (errno != EINTR) return -errno;
    return 0;
}

int exthost_receive_packet(int socket, void *buffer, size_t capacity, bool wait, struct exthost_received *received) {
    union {
        char bytes[CMSG_SPACE(EXTHOST_MAXIMUM_DESCRIPTORS * sizeof(int))];
        struct cmsghdr alignment;
    } control;
    struct iovec part = {buffer, capacity};
    struct msghdr message;
    bool was_reset = false;
    for (;;) {
        memset(&message, 0, sizeof message);
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        received->count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
        if (received->count >= 0) break;
        if (errno == EINTR) continue;
        // A peer may close while its own queue has unread packets. Then recvmsg(2) once reports ECONNRESET, ahead of
        // the packets that the peer sent (sk_err; unix(7) does not document it). Further reads return those packets,
        // then the end of file.
        if (errno == ECONNRESET && !was_reset) {
            was_reset = true;
            continue;
        }
        return -errno;
    }

    received->truncated = (message.msg_flags & MSG_TRUNC) != 0;
    received->control_truncated = (message.msg_flags & MSG_CTRUNC) != 0;
    received->descriptor_count = 0;
    if (message.msg_controllen == 0) return 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        int count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        for (int i = 0; i < count; i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + sizeof(int) * (size_t)i, sizeof descriptor);
            // The control buffer holds at most the limit. The test protects the array if that ever changes.
            if (received->descriptor_count < EXTHOST_MAXIMUM_DESCRIPTORS)
                received->descriptors[received->descriptor_count++] = descriptor;
            else
                close(descriptor);
        }
    }
    if (received->truncated || received->control_truncated || received->count == 0) {
        for (int i = 0; i < received->descriptor_count; i++) close(received->descriptors[i]);
        received->descriptor_count = 0;
    }
    return 0;
}
