// exthost_signals: counts signals in an eventfd.

#include "exthost_signals.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

/// The eventfd of each signal, set before the handler is installed.
static volatile int descriptors[NSIG];
/// The process that installed the handlers. A forked child, before its exec, must not count its signals for its parent.
static volatile pid_t owner;

static void caught(int number) {
    if (getpid() != owner) return;
    const int before = errno;
    const uint64_t one = 1;
    // An eventfd is full only after 2^64 - 1 signals.
    (void)(write(descriptors[number], &one, sizeof one) < 0);
    errno = before;
}

int exthost_catch_signal(int number, int descriptor, int keeps_ignored) {
    if (number <= 0 || number >= NSIG) return -EINVAL;
    struct sigaction action;
    if (sigaction(number, 0, &action) != 0) return -errno;
    if (keeps_ignored && action.sa_handler == SIG_IGN) return 0;
    descriptors[number] = descriptor;
    owner = getpid();
    action.sa_handler = caught;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, 0) == 0 ? 1 : -errno;
}
