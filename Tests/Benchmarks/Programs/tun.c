// tun: measures the throughput of a tunnel whose other end sends each datagram back.
//
//   tun client MILLISECONDS SIZE WINDOW   sends datagrams of SIZE bytes to the other end, WINDOW of them under way, and
//                                         counts those that come back
//   tun peer MILLISECONDS SIZE WINDOW     the same in a network of its own: one process moves packets between the TUN
//                                         device and a socket pair, another at its other end exchanges their addresses
//
// Prints the packets and the bytes of data that come back in a second, of ten equal parts of the time, and the packets
// that did not come back.

#include "bench.h"

#include <arpa/inet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/route.h>
#include <netinet/in.h>
#include <sys/ioctl.h>

enum { PARTS = 10, LARGEST = 65535 };

static void write_line(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, text, strlen(text)) < 0) fail(path);
    close(file);
}

static void set_address(struct sockaddr *place, const char *text) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    inet_pton(AF_INET, text, &address.sin_addr);
    memcpy(place, &address, sizeof address);
}

/// Makes a network with a TUN device that has the addresses of the sample.
static int make_network(void) {
    char text[64];
    unsigned user = geteuid(), group = getegid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) fail("unshare");
    write_line("/proc/self/setgroups", "deny");
    snprintf(text, sizeof text, "%u %u 1", user, user);
    write_line("/proc/self/uid_map", text);
    snprintf(text, sizeof text, "%u %u 1", group, group);
    write_line("/proc/self/gid_map", text);
    int device = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
    struct ifreq wish = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    if (device < 0 || ioctl(device, TUNSETIFF, &wish) < 0) fail("/dev/net/tun");
    int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    set_address(&wish.ifr_addr, "10.9.0.2");
    if (ioctl(any, SIOCSIFADDR, &wish) < 0) fail("SIOCSIFADDR");
    set_address(&wish.ifr_netmask, "255.255.255.0");
    if (ioctl(any, SIOCSIFNETMASK, &wish) < 0) fail("SIOCSIFNETMASK");
    wish.ifr_mtu = 1400;
    if (ioctl(any, SIOCSIFMTU, &wish) < 0) fail("SIOCSIFMTU");
    wish.ifr_flags = IFF_UP | IFF_RUNNING;
    if (ioctl(any, SIOCSIFFLAGS, &wish) < 0) fail("SIOCSIFFLAGS");
    close(any);
    return device;
}

/// Moves packets between the device and a socket, each as it comes.
static void relay(int device, int socket) {
    static char packet[LARGEST];
    struct pollfd ends[2] = {{.fd = device, .events = POLLIN}, {.fd = socket, .events = POLLIN}};
    for (;;) {
        if (poll(ends, 2, -1) < 0) fail("poll");
        for (int i = 0; i < 2; i++) {
            if (!ends[i].revents) continue;
            ssize_t count = read(ends[i].fd, packet, sizeof packet);
            if (count <= 0 || write(ends[1 - i].fd, packet, (size_t)count) < 0) _exit(0);
        }
    }
}

/// Sends each packet of UDP back to its sender. The exchange leaves the checksums right.
static void answer(int socket) {
    static unsigned char packet[LARGEST];
    for (;;) {
        ssize_t count = recv(socket, packet, sizeof packet, 0);
        if (count <= 0) _exit(0);
        size_t start = (packet[0] & 15) * 4u;
        if (packet[0] >> 4 != 4 || packet[9] != IPPROTO_UDP || (size_t)count < start + 8) continue;
        unsigned char other[4];
        memcpy(other, packet + 12, 4);
        memcpy(packet + 12, packet + 16, 4);
        memcpy(packet + 16, other, 4);
        memcpy(other, packet + start, 2);
        memcpy(packet + start, packet + start + 2, 2);
        memcpy(packet + start + 2, other, 2);
        transmit(socket, (const char *)packet, (size_t)count);
    }
}

static pid_t start_process(void (*body)(int, int), int first, int second) {
    pid_t pid = fork();
    if (pid < 0) fail("fork");
    if (pid > 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    body(first, second);
    _exit(0);
}

static void answer_second(int unused, int socket) {
    close(unused);
    answer(socket);
}

static void run_client(int milliseconds, size_t size, int window) {
    static char bytes[LARGEST];
    struct samples packets = {"packets", "1/s"}, data = {"bytes", "1/s"}, lost = {"lost", "count"};
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(7)};
    inet_pton(AF_INET, "10.9.0.1", &place.sin_addr);
    int socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0 || connect(socket_, (struct sockaddr *)&place, sizeof place) < 0) fail("connect");
    struct timeval patience = {.tv_usec = 200000};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    int missing = 0, under_way = 0;
    double part = milliseconds * 1e3 / PARTS;
    // The first part warms up.
    for (int number = -1; number < PARTS; number++) {
        double begun = now();
        long count = 0;
        while (now() - begun < part) {
            for (; under_way < window; under_way++)
                if (send(socket_, bytes, size, 0) != (ssize_t)size) fail("send");
            ssize_t length = recv(socket_, bytes, sizeof bytes, 0);
            if (length == (ssize_t)size) {
                count++;
                under_way--;
            } else if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
                missing += under_way;
                under_way = 0;
            } else {
                fail("recv");
            }
        }
        if (number < 0) continue;
        double seconds = (now() - begun) / 1e6;
        add(&packets, (double)count / seconds);
        add(&data, (double)count * (double)size / seconds);
    }
    add(&lost, missing);
    print(&packets);
    print(&data);
    print(&lost);
}

int main(int count, char **arguments) {
    if (count < 5) return 64;
    int milliseconds = atoi(arguments[2]), size = atoi(arguments[3]), window = atoi(arguments[4]);
    if (milliseconds <= 0 || size <= 0 || size > 1372 || window <= 0) return 64;
    if (strcmp(arguments[1], "peer") == 0) {
        int device = make_network(), ends[2];
        pair(ends);
        pid_t provider = start_process(answer_second, ends[0], ends[1]);
        close(ends[1]);
        pid_t host = start_process(relay, device, ends[0]);
        run_client(milliseconds, (size_t)size, window);
        pid_t both[] = {host, provider};
        for (int i = 0; i < 2; i++) {
            kill(both[i], SIGKILL);
            waitpid(both[i], NULL, 0);
        }
        return 0;
    }
    run_client(milliseconds, (size_t)size, window);
    return 0;
}
