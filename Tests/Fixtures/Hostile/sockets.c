// sockets: attempts on sockets: other programs' by path and by abstract name, and every kind of network.

#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "attempts.h"

static socklen_t name(struct sockaddr_un *address, const char *text, int is_abstract) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    strncpy(address->sun_path + is_abstract, text, sizeof address->sun_path - 2);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)is_abstract + strlen(text));
}
static int connect_to(const char *text, int is_abstract, int type) {
    struct sockaddr_un address;
    socklen_t length = name(&address, text, is_abstract);
    int end = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    return end < 0 ? errno : outcome(connect(end, (struct sockaddr *)&address, length));
}
static int connect_path(const char *path) { return connect_to(path, 0, SOCK_STREAM); }
static int connect_abstract(const char *text) { return connect_to(text, 1, SOCK_STREAM); }
static int send_to_path(const char *path) {
    struct sockaddr_un address;
    socklen_t length = name(&address, path, 0);
    int end = socket(AF_UNIX, SOCK_DGRAM, 0);
    return end < 0 ? errno : outcome(sendto(end, "x", 1, 0, (struct sockaddr *)&address, length));
}
// One end of a pair can send to another address without a connect.
static int send_from_pair(const char *path) {
    struct sockaddr_un address;
    socklen_t length = name(&address, path, 0);
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) < 0) return errno;
    return outcome(sendto(ends[0], "x", 1, 0, (struct sockaddr *)&address, length));
}
static struct sockaddr_in port(const char *number) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(number)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}
static int connect_tcp(const char *number) {
    struct sockaddr_in address = port(number);
    int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return end < 0 ? errno : outcome(connect(end, (struct sockaddr *)&address, sizeof address));
}
static int listen_tcp(const char *number) {
    struct sockaddr_in address = port(number);
    int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (end < 0) return errno;
    return bind(end, (struct sockaddr *)&address, sizeof address) < 0 ? errno : outcome(listen(end, 1));
}
static int send_udp(const char *number) {
    struct sockaddr_in address = port(number);
    int end = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (end < 0 || connect(end, (struct sockaddr *)&address, sizeof address) < 0 || send(end, "x", 1, 0) < 0)
        return errno;
    // The second send fails if no receiver took the first.
    return outcome(send(end, "x", 1, 0));
}
static int connect_tcp6(const char *number) {
    struct sockaddr_in6 address = {
        .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)atoi(number)), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int end = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (end < 0) return errno;
    int code = outcome(connect(end, (struct sockaddr *)&address, sizeof address));
    // The connection attempt reached the other side, where no process listens.
    return code == ECONNREFUSED ? 0 : code;
}
// Landlock checks bind(2), and this socket gets its port from listen(2).
static int listen_unbound(const char *argument) {
    (void)argument;
    int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return end < 0 ? errno : outcome(listen(end, 1));
}
// Connects by a send (TCP Fast Open), by each of the calls that take flags.
static int send_fast_open(const char *number) {
    struct sockaddr_in address = port(number);
    int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return end < 0 ? errno : outcome(sendto(end, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&address, sizeof address));
}
static int send_messages_fast_open(const char *number) {
    struct sockaddr_in address = port(number);
    struct iovec part = {"x", 1};
    struct mmsghdr message = {
        .msg_hdr = {.msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &part, .msg_iovlen = 1}};
    int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (end < 0 || sendmsg(end, &message.msg_hdr, MSG_FASTOPEN) >= 0) return end < 0 ? errno : 0;
    return outcome(sendmmsg(end, &message, 1, MSG_FASTOPEN));
}
static int connect_fast_open(const char *number) {
    struct sockaddr_in address = port(number);
    int one = 1, end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (end < 0 || setsockopt(end, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &one, sizeof one) < 0) return errno;
    if (connect(end, (struct sockaddr *)&address, sizeof address) < 0) return errno;
    return outcome(send(end, "x", 1, MSG_NOSIGNAL));
}
// These protocols reach the same ports as TCP, and Landlock does not check them.
static int connect_as(int protocol, const char *number) {
    struct sockaddr_in address = port(number);
    int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, protocol);
    return end < 0 ? errno : outcome(connect(end, (struct sockaddr *)&address, sizeof address));
}
static int connect_multipath(const char *number) { return connect_as(IPPROTO_MPTCP, number); }
static int connect_shared(const char *number) { return connect_as(256 /* IPPROTO_SMC */, number); }
static int connect_stream_control(const char *number) { return connect_as(IPPROTO_SCTP, number); }
static int listen_multipath(const char *argument) {
    (void)argument;
    int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_MPTCP);
    return end < 0 ? errno : outcome(listen(end, 1));
}
// Turns a TCP socket into another kind, below Landlock. ENOENT means that the kernel lacks that kind but would permit
// it.
static int replace_protocol(const char *argument) {
    (void)argument;
    int end = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int code = end < 0 ? errno : outcome(setsockopt(end, IPPROTO_TCP, TCP_ULP, "smc", 3));
    return code == ENOENT ? 0 : code;
}
static int make(int family, int type, int protocol) { return outcome(socket(family, type | SOCK_CLOEXEC, protocol)); }
static int raw_socket(const char *argument) { return (void)argument, make(AF_INET, SOCK_RAW, IPPROTO_ICMP); }
static int ping_socket(const char *argument) { return (void)argument, make(AF_INET, SOCK_DGRAM, IPPROTO_ICMP); }
static int packet_socket(const char *argument) { return (void)argument, make(AF_PACKET, SOCK_RAW, 0); }
static int netlink_socket(const char *argument) { return (void)argument, make(AF_NETLINK, SOCK_RAW, 0); }
static int event_socket(const char *argument) { return (void)argument, make(AF_NETLINK, SOCK_RAW, 15); }
static int machine_socket(const char *argument) { return (void)argument, make(AF_VSOCK, SOCK_STREAM, 0); }
static int cipher_socket(const char *argument) { return (void)argument, make(AF_ALG, SOCK_SEQPACKET, 0); }

const struct attempt socket_attempts[] = {
    {"listen-unbound", listen_unbound},
    {"send-fast-open", send_fast_open},
    {"send-messages-fast-open", send_messages_fast_open},
    {"connect-fast-open", connect_fast_open},
    {"connect-multipath", connect_multipath},
    {"connect-shared", connect_shared},
    {"connect-stream-control", connect_stream_control},
    {"listen-multipath", listen_multipath},
    {"replace-protocol", replace_protocol},
    {"connect-path", connect_path},
    {"connect-abstract", connect_abstract},
    {"send-to-path", send_to_path},
    {"send-from-pair", send_from_pair},
    {"connect-tcp", connect_tcp},
    {"connect-tcp6", connect_tcp6},
    {"listen-tcp", listen_tcp},
    {"send-udp", send_udp},
    {"raw-socket", raw_socket},
    {"ping-socket", ping_socket},
    {"packet-socket", packet_socket},
    {"netlink-socket", netlink_socket},
    {"event-socket", event_socket},
    {"machine-socket", machine_socket},
    {"cipher-socket", cipher_socket},
    {NULL, NULL},
};
