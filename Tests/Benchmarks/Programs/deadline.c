// deadline: measures how late a deadline of the kernel is, and how long a kill takes: deadline ROUNDS -- CHILD …
//
// `late` is the delay of a timer descriptor's event. `reaped` is the time from SIGKILL by a pidfd until the child is
// reaped. The unit is microseconds.

#include "bench.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

int main(int count, char **arguments) {
    if (count < 4) return 64;
    char **child = command(arguments), ready[MESSAGE];
    int rounds = atoi(arguments[1]);
    struct samples late = {"late", "us"}, reaped = {"reaped", "us"};
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), set = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(set, EPOLL_CTL_ADD, timer, &event);
    for (int round = 0; round < rounds; round++) {
        double due = now() + 20000;
        struct itimerspec moment = {
            .it_value = {(time_t)(due / 1e6), (long)((due - (double)(time_t)(due / 1e6) * 1e6) * 1e3)}};
        timerfd_settime(timer, TFD_TIMER_ABSTIME, &moment, NULL);
        epoll_wait(set, &event, 1, -1);
        add(&late, now() - due);
        uint64_t expirations;
        if (read(timer, &expirations, sizeof expirations) != sizeof expirations) fail("timerfd");
    }
    for (int round = 0; round < rounds; round++) {
        int end;
        pid_t pid = start(child, &end);
        receive(end, ready);
        usleep(1000);
        int descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
        siginfo_t information;
        double begin = now();
        if (syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, NULL, 0) < 0) fail("pidfd_send_signal");
        if (waitid(P_PIDFD, (id_t)descriptor, &information, WEXITED) < 0) fail("waitid");
        add(&reaped, now() - begin);
        close(descriptor);
        close(end);
    }
    print(&late);
    print(&reaped);
    return 0;
}
