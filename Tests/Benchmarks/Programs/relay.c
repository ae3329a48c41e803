// relay: measures the least cost of a daemon between hosts and extensions: relay PAYLOAD HOSTS ROUNDS -- CHILD …
//
// One process with an epoll loop forwards packets between hosts and as many children. One more process holds all hosts,
// each with one open request.
//
// Prints the time of each request in microseconds, and the requests per second. Also prints those of the slowest host,
// as a share of the mean.

#include "bench.h"

#include <sys/epoll.h>

static char bytes[MESSAGE];

static void watch(int set, int descriptor, int number) {
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)number};
    if (epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) < 0) fail("epoll_ctl");
}

static void pass_on(const int *others, int count) {
    int set = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event events[64];
    for (int number = 0; number < 2 * count; number++) watch(set, others[number], number);
    for (;;) {
        int ready = epoll_wait(set, events, 64, -1);
        for (int i = 0; i < ready; i++) {
            // Each end is beside its partner.
            int from = (int)events[i].data.u32;
            ssize_t length = recv(others[from], bytes, sizeof bytes, 0);
            if (length <= 0) _exit(0);
            transmit(others[from ^ 1], bytes, (size_t)length);
        }
    }
}

int main(int count, char **arguments) {
    if (count < 6) return 64;
    char **child = command(arguments), request[MESSAGE];
    size_t length = read_file(arguments[1], request, sizeof request);
    int hosts = atoi(arguments[2]), rounds = atoi(arguments[3]);
    raise_descriptor_limit();
    int *ours = calloc((size_t)hosts, sizeof(int)), *relayed = calloc(2 * (size_t)hosts, sizeof(int));
    pid_t *children = calloc((size_t)hosts, sizeof(pid_t));
    for (int i = 0; i < hosts; i++) {
        int ends[2];
        pair(ends);
        ours[i] = ends[0];
        relayed[2 * i] = ends[1];
        children[i] = start(child, &relayed[2 * i + 1]);
    }
    pid_t daemon = fork();
    if (daemon == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (int i = 0; i < hosts; i++) close(ours[i]);
        pass_on(relayed, hosts);
    }
    for (int i = 0; i < 2 * hosts; i++) close(relayed[i]);

    struct samples times = {"request", "us"}, rate = {"rate", "1/s"}, fewest = {"fewest", "share"};
    int set = epoll_create1(EPOLL_CLOEXEC), warming = hosts * 20;
    double *begun = calloc((size_t)hosts, sizeof(double)), first = 0;
    int *served = calloc((size_t)hosts, sizeof(int));
    struct epoll_event events[64];
    for (int i = 0; i < hosts; i++) {
        watch(set, ours[i], i);
        begun[i] = now();
        transmit(ours[i], request, length);
    }
    for (int done = 0; done < rounds + warming;) {
        int ready = epoll_wait(set, events, 64, -1);
        for (int i = 0; i < ready; i++) {
            int host = (int)events[i].data.u32;
            receive(ours[host], bytes);
            if (++done == warming) first = now();
            if (done > warming) {
                add(&times, now() - begun[host]);
                served[host]++;
            }
            begun[host] = now();
            transmit(ours[host], request, length);
        }
    }
    add(&rate, (double)times.count / ((now() - first) / 1e6));
    int least = served[0];
    for (int i = 1; i < hosts; i++) least = served[i] < least ? served[i] : least;
    add(&fewest, (double)least * hosts / (double)times.count);
    kill(daemon, SIGKILL);
    waitpid(daemon, NULL, 0);
    for (int i = 0; i < hosts; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    print(&times);
    print(&rate);
    print(&fewest);
    return 0;
}
