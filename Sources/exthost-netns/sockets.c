// sockets: listening sockets of the namespace, for the host.

#define _GNU_SOURCE
#include "sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 128 };

bool make_socket(struct packet *request, int *descriptor, unsigned int *port) {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {0};
    bool is_stream = strcmp(request->strings[2], "tcp") == 0;
    unsigned long number;
    if (!is_stream && strcmp(request->strings[2], "udp") != 0)
        return fail("socket", EINVAL, "a socket is tcp or udp", "");
    if (!parse_number(request->strings[4], 65535, &number)) return fail("socket", EINVAL, "this is no port", "");
    socklen_t length = sizeof address.v4;
    if (inet_pton(AF_INET, request->strings[3], &address.v4.sin_addr) == 1) {
        address.any.sa_family = AF_INET;
        address.v4.sin_port = htons((unsigned short)number);
    } else if (inet_pton(AF_INET6, request->strings[3], &address.v6.sin6_addr) == 1) {
        address.any.sa_family = AF_INET6;
        address.v6.sin6_port = htons((unsigned short)number);
        length = sizeof address.v6;
    } else {
        return fail("socket", EINVAL, "this is no IP address", "");
    }
    int made = socket(address.any.sa_family, (is_stream ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int one = 1;
    if (made < 0 || setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) < 0
        || bind(made, &address.any, length) < 0 || (is_stream && listen(made, BACKLOG) < 0)
        || getsockname(made, &address.any, &length) < 0) {
        int code = errno;
        if (made >= 0) close(made);
        return fail("socket", code, "a socket of the namespace cannot be bound", "");
    }
    *descriptor = made;
    *port = ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
    return true;
}
