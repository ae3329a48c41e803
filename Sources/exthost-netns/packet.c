// packet: the packets that the helper and its host exchange, and the helper's failure.

#define _GNU_SOURCE
#include "packet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
    const char *step, *message, *remedy;
    int code;
} failure = {"request", "unknown", "", EINVAL};

bool fail(const char *step, int code, const char *message, const char *remedy) {
    failure.step = step;
    failure.code = code;
    failure.message = message;
    failure.remedy = remedy;
    return false;
}

void format_number(char *text, unsigned long value) {
    char digits[21];
    int length = 0;
    do digits[length++] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    while (length > 0) *text++ = digits[--length];
    *text = 0;
}

bool parse_number(const char *text, unsigned long most, unsigned long *value) {
    char *end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    *value = strtoul(text, &end, 10);
    return errno == 0 && *end == 0 && *value <= most;
}

int split(char *bytes, size_t length, char **strings, int most) {
    int count = 0;
    for (size_t offset = 0; offset < length; count++) {
        char *end = memchr(bytes + offset, 0, length - offset);
        if (!end || count == most) return -1;
        strings[count] = bytes + offset;
        offset = (size_t)(end - bytes) + 1;
    }
    return count;
}

bool receive(int socket, struct packet *packet) {
    union {
        char bytes[CMSG_SPACE(sizeof packet->descriptors)];
        struct cmsghdr header;
    } control;
    struct iovec part = {packet->bytes, sizeof packet->bytes};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t length;
    while ((length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) continue;
    packet->count = packet->descriptor_count = 0;
    if (length <= 0) return false;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        packet->descriptor_count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(packet->descriptors, CMSG_DATA(header), (size_t)packet->descriptor_count * sizeof(int));
    }
    int count = split(packet->bytes, (size_t)length, packet->strings, PACKET_STRINGS);
    packet->is_damaged = count < 0 || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    packet->count = count < 0 ? 0 : count;
    return true;
}

void close_descriptors(struct packet *packet) {
    for (int i = 0; i < packet->descriptor_count; i++) close(packet->descriptors[i]);
    packet->descriptor_count = 0;
}

static void send_strings(int socket, const char **strings, int count, int descriptor) {
    struct iovec parts[8];
    for (int i = 0; i < count; i++) parts[i] = (struct iovec){(void *)strings[i], strlen(strings[i]) + 1};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr header;
    } control = {0};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)count};
    if (descriptor >= 0) {
        control.header =
            (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
    }
    // A host that is gone needs no answer: the next receipt finds the end.
    while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0 && errno == EINTR) continue;
}

void answer(int socket, const char *number, const char *text, int descriptor) {
    const char *strings[] = {number, "ok", text};
    send_strings(socket, strings, 3, descriptor);
}

void answer_exit(int socket, const char *number, int status) {
    char text[24];
    format_number(text, (unsigned long)(unsigned int)status);
    const char *strings[] = {number, "exited", text};
    send_strings(socket, strings, 3, -1);
}

void answer_failure(int socket, const char *number) {
    char code[24];
    format_number(code, (unsigned long)failure.code);
    const char *strings[] = {number, "error", failure.step, code, failure.message, failure.remedy};
    send_strings(socket, strings, 6, -1);
}
