// kernel: attempts on the kernel itself. Harmful ones pass wrong arguments: EPERM comes before the check of the
// arguments, EINVAL after it.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/reboot.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/klog.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attempts.h"

static int load_program(const char *argument) {
    (void)argument;
    uint64_t attributes[16] = {0};
    return outcome_of_probe(syscall(SYS_bpf, 0, attributes, sizeof attributes));
}
static int make_ring(const char *argument) {
    return (void)argument, outcome_of_probe(syscall(SYS_io_uring_setup, 1, NULL));
}
// The flag restricts it to faults of user code, which needs no right.
static int handle_faults(const char *argument) { return (void)argument, outcome(syscall(SYS_userfaultfd, 1)); }
static int find_keyring(const char *argument) { return (void)argument, outcome(syscall(SYS_keyctl, 0, -4, 0)); }
static int add_key(const char *argument) {
    return (void)argument, outcome(syscall(SYS_add_key, "user", "hostile", "x", 1, -2));
}
static int request_key(const char *argument) {
    (void)argument;
    int code = outcome(syscall(SYS_request_key, "user", "hostile-none", NULL, 0));
    return code == ENOKEY ? 0 : code;
}
static int load_module(const char *argument) {
    return (void)argument, outcome_of_probe(syscall(SYS_init_module, NULL, 0, ""));
}
static int load_kernel(const char *argument) {
    return (void)argument, outcome_of_probe(syscall(SYS_kexec_load, 0, 99, NULL, ~0UL));
}
static int restart_machine(const char *argument) {
    return (void)argument, outcome_of_probe(syscall(SYS_reboot, 0, 0, 0, NULL));
}
static int read_kernel_log(const char *argument) { return (void)argument, outcome(klogctl(10, NULL, 0)); }
static int read_clock_adjustment(const char *argument) {
    (void)argument;
    struct timex nothing = {0};
    return outcome(adjtimex(&nothing));
}
static int set_clock(const char *argument) {
    (void)argument;
    int64_t wrong[2] = {-1, -1};
    return outcome_of_probe(syscall(SYS_clock_settime, 0, wrong));
}
static int rename_machine(const char *argument) {
    return (void)argument, outcome_of_probe(syscall(SYS_sethostname, "x", -1));
}
static int swap_to(const char *path) { return outcome_of_probe(syscall(SYS_swapon, path, 0)); }
static int account(const char *path) {
    int code = outcome_of_probe(syscall(SYS_acct, path));
    return code == EISDIR ? 0 : code;  // the file is a folder: the call was permitted
}
static int change_personality(const char *argument) { return (void)argument, outcome(personality(PER_LINUX32)); }
static int unknown_call(const char *argument) {
    (void)argument;
    // The number stands for any later call, which nobody has examined.
    return outcome(syscall(1000));
}
static int other_processor(const char *argument) {
    (void)argument;
#if defined(__x86_64__)
    long result;
    // This is getpid of the 32-bit table.
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
    return result < 0 ? (int)-result : 0;
#else
    return ENOSYS;
#endif
}
static int watch_everything(const char *argument) {
    return (void)argument, outcome_of_probe(syscall(SYS_fanotify_init, 0x200, 0));
}

// Resources that the kernel counts for the whole machine, or for all of the user's processes.
static int take_events(const char *argument) {
    (void)argument;
    unsigned long context = 0;
    int code = outcome(syscall(SYS_io_setup, 8, &context));
    if (code == 0) syscall(SYS_io_destroy, context);
    return code;
}
static int grow_pipe(const char *argument) {
    (void)argument;
    int ends[2];
    return pipe(ends) < 0 ? errno : outcome(fcntl(ends[1], F_SETPIPE_SZ, 128 * 1024));
}
// Holds twenty instances, which exceed the limit of a program with its own namespace. It closes the others at once, so
// parallel tests have theirs.
static int take_watches(const char *argument) {
    (void)argument;
    for (int number = 0; number < 100; number++) {
        int watch = inotify_init1(IN_CLOEXEC);
        if (watch < 0) return errno;
        if (number >= 20) close(watch);
    }
    return 0;
}
static int queue_signals(const char *argument) {
    (void)argument;
    for (int number = 0; number < 2000; number++) {
        timer_t timer;
        struct sigevent none = {.sigev_notify = SIGEV_NONE};
        if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &none, &timer) < 0) return errno;
    }
    return 0;
}

const struct attempt kernel_attempts[] = {
    {"take-events", take_events},
    {"grow-pipe", grow_pipe},
    {"take-watches", take_watches},
    {"queue-signals", queue_signals},
    {"load-program", load_program},
    {"make-ring", make_ring},
    {"handle-faults", handle_faults},
    {"find-keyring", find_keyring},
    {"add-key", add_key},
    {"request-key", request_key},
    {"load-module", load_module},
    {"load-kernel", load_kernel},
    {"restart-machine", restart_machine},
    {"read-kernel-log", read_kernel_log},
    {"adjust-clock", read_clock_adjustment},
    {"set-clock", set_clock},
    {"rename-machine", rename_machine},
    {"swap-to", swap_to},
    {"account", account},
    {"change-personality", change_personality},
    {"unknown-call", unknown_call},
    {"other-processor", other_processor},
    {"watch-everything", watch_everything},
    {NULL, NULL},
};
