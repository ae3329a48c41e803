// exthost-netns: a network namespace for a host, with a TUN device, listening sockets and programs inside it.
//
//   exthost-netns SOCKET_FD
//
// SOCKET_FD is a packet socket (SOCK_SEQPACKET) whose other end the host has. The helper makes new user, network,
// mount, pid and ipc namespaces, which ordinary users may do, too. The network namespace has only its own loopback, and
// the TUN device once the host asks for it. Nothing else leads out, so no packet can leave it. The helper ends once
// nobody holds the other end of the socket, and the kernel then kills every process of the namespace. The helper's end
// comes after the last of theirs. Nothing outside changes.
//
// Each packet is a list of strings that end with a zero byte. A request is NUMBER VERB ARGUMENT…; the host chooses
// NUMBER, and requests are answered in their order. At most 64 KiB and 4,096 strings are one packet.
//
// | request                                | descriptors       | answer                                          |
// |----------------------------------------|-------------------|-------------------------------------------------|
// | N listen tcp|udp ADDRESS PORT          | –                 | N ok PORT, with the socket. PORT 0: any free one |
// | N tun NAME MTU                         | –                 | N ok NAME, with the device, which is up          |
// | N apply [KEY VALUE]…                   | –                 | N ok                                            |
// | N run FOLDER                           | strings, 0, 1, 2  | N ok PID, and later N exited STATUS             |
// | N signal PROGRAM SIGNAL                | –                 | N ok, also if the program has ended             |
//
// - `listen`: the socket listens if it is tcp, and does not block. ADDRESS is of IPv4 or IPv6.
// - `tun`: the device carries IP packets without a header (IFF_NO_PI), one in each read and write. It blocks, until the
//   host changes that. A second `tun` is an error. NAME may be empty for `tun0`.
// - `apply`: the new settings take the place of all earlier ones, and no pair clears them. A failure clears all, too.
//   The keys may come in any order and more than once: `mtu` BYTES, `address` ADDRESS/PREFIX, `route` ADDRESS/PREFIX
//   to the device, `exclude` ADDRESS/PREFIX, which is unreachable here, `nameserver` ADDRESS and `search` DOMAIN. The
//   last two need no device: they are the contents of /etc/resolv.conf, over which the helper has mounted a file.
// - `run`: the first descriptor is a file of at most 2 MiB with strings as in a packet: the number of arguments, the
//   arguments, and the environment. The other three are the program's standard descriptors. An argument 0 without
//   a slash is searched in the environment's PATH. The program runs in FOLDER as the host's user, without capabilities,
//   in the helper's process group. STATUS is its wait status (wait(2)). At most 64 programs run at a time.
// - `signal`: PROGRAM is the number of the `run`.
//
// The first packet of the helper has the number 0: `0 ok` once all is ready, or an error. The helper ends after that
// error. An error is N error STEP ERRNO MESSAGE REMEDY; REMEDY may be empty. STEP is one of `namespaces`, `ids`,
// `mounts`, `loopback`, `resolver`, `processes`, `device`, `settings`, `socket`, `program` and `request`.
//
// The program uses no stdio, to start fast and stay small.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enclosure.h"
#include "link.h"
#include "packet.h"
#include "program.h"
#include "sockets.h"

// The first process of the pid namespace, as its parent knows it.
static volatile sig_atomic_t namespace_init;

// Ends the namespace. The parent still waits for the last of its processes.
static void end_namespace(int number) {
    (void)number;
    kill(namespace_init, SIGKILL);
}

static void serve(int host, struct packet *request) {
    const char *verb = request->count > 1 ? request->strings[1] : "";
    int descriptor = -1;
    char text[64];
    bool is_done = false;
    if (strcmp(verb, "listen") == 0 && request->count == 5) {
        unsigned int port = 0;
        is_done = make_socket(request, &descriptor, &port);
        format_number(text, port);
    } else if (strcmp(verb, "tun") == 0 && request->count == 4) {
        is_done = make_device(request->strings[2], request->strings[3], &descriptor, text);
    } else if (strcmp(verb, "apply") == 0 && request->count % 2 == 0) {
        is_done = apply_settings(request->strings + 2, request->count - 2);
        text[0] = 0;
    } else if (strcmp(verb, "run") == 0 && request->count == 3 && request->descriptor_count == 4) {
        long pid = run_program(request);
        is_done = pid > 0;
        format_number(text, (unsigned long)pid);
    } else if (strcmp(verb, "signal") == 0 && request->count == 4) {
        is_done = signal_program(request->strings[2], request->strings[3]);
        text[0] = 0;
    } else {
        fail("request", EINVAL, "the helper does not know this request", "Use host and helper of the same version");
    }
    if (is_done) {
        answer(host, request->strings[0], text, descriptor);
    } else {
        answer_failure(host, request->strings[0]);
    }
    if (strcmp(verb, "listen") == 0 && descriptor >= 0) close(descriptor);
}

// The first process of the pid namespace. Returns at the end of the socket.
static int serve_all(int host, int signals) {
    static struct packet request;
    for (;;) {
        struct pollfd entries[] = {{.fd = host, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
        if (poll(entries, 2, -1) < 0 && errno != EINTR) return 70;
        if (entries[1].revents) {
            struct signalfd_siginfo info;
            (void)!read(signals, &info, sizeof info);
            reap_programs(host);
        }
        if (!entries[0].revents) continue;
        if (!receive(host, &request)) return 0;
        if (request.is_damaged || request.count < 2) {
            fail("request", EBADMSG, "the packet is no list of at most 4,096 strings", "");
            answer_failure(host, request.count > 0 ? request.strings[0] : "0");
        } else {
            serve(host, &request);
        }
        close_descriptors(&request);
    }
}

int main(int argc, char **argv) {
    char *end = NULL;
    long number = argc == 2 ? strtol(argv[1], &end, 10) : -1;
    if (number < 0 || number > 1 << 20 || *end != 0) {
        static const char usage[] = "usage: exthost-netns SOCKET_FD\n";
        (void)!write(2, usage, sizeof usage - 1);
        return 64;
    }
    int host = (int)number;
    if (fcntl(host, F_SETFD, FD_CLOEXEC) < 0) return 64;

    // Signals from a terminal are for the programs. SIGTERM ends the namespace, and the helper after the last program.
    // The hang-up ends the helper by its default action.
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGQUIT);
    sigaddset(&blocked, SIGCHLD);
    sigaddset(&blocked, SIGPIPE);
    sigprocmask(SIG_SETMASK, &blocked, NULL);

    if (!enter_namespaces()) {
        answer_failure(host, "0");
        return 71;
    }
    pid_t first = fork();
    if (first < 0) {
        fail("processes", errno, "no process can be started in the new namespace", "");
        answer_failure(host, "0");
        return 71;
    }
    if (first > 0) {
        // Only the child holds the socket, so its end is the host's to see.
        close(host);
        namespace_init = first;
        struct sigaction action = {.sa_handler = end_namespace};
        sigaction(SIGTERM, &action, NULL);
        int status = 0;
        while (waitpid(first, &status, 0) < 0 && errno == EINTR) continue;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 70;
    }
    // If the first process is killed, this one is, too, and the kernel kills all others of the namespace. A parent that
    // was killed before this call leaves the end to the socket.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return 70;
    int signals = signalfd(-1, &blocked, SFD_CLOEXEC);
    if (signals < 0 || !furnish()) {
        if (signals < 0) fail("processes", errno, "there is no descriptor for signals", "");
        answer_failure(host, "0");
        return 71;
    }
    answer(host, "0", "", -1);
    return serve_all(host, signals);
}
