// bus: sends the same request by D-Bus, and notifications also by sockets. The bus is that of
// $DBUS_SESSION_BUS_ADDRESS.
//
//   bus serve NAME [once]              an echo service, for one call or for many
//   bus cold NAME PAYLOAD ROUNDS       activation: a call for which the bus starts the service, its answer, and the
//                                      service's exit
//   bus warm NAME PAYLOAD ROUNDS       calls of a running service
//   bus signal COUNT ROUNDS            one signal to COUNT subscribers: from the send until the first and the last
//                                      have it
//   bus direct COUNT ROUNDS            the same by a socket pair for each subscriber
//
// Samples are in microseconds.

#include "bench.h"

#include <sys/mman.h>
#include <systemd/sd-bus.h>

#define OBJECT "/org/exthost/bench"
#define INTERFACE "org.exthost.Bench"

static int check(int result, const char *what) {
    if (result >= 0) return result;
    fprintf(stderr, "%s: %s\n", what, strerror(-result));
    exit(71);
}

static sd_bus *connect_bus(void) {
    sd_bus *bus;
    check(sd_bus_open_user(&bus), "sd_bus_open_user");
    return bus;
}

static bool has_answered;

static int echo(sd_bus_message *message, void *data, sd_bus_error *error) {
    const void *bytes;
    size_t count;
    sd_bus_message *reply;
    (void)data, (void)error;
    check(sd_bus_message_read_array(message, 'y', &bytes, &count), "read");
    check(sd_bus_message_new_method_return(message, &reply), "reply");
    check(sd_bus_message_append_array(reply, 'y', bytes, count), "append");
    check(sd_bus_message_append(reply, "u", (uint32_t)getpid()), "append");
    int result = sd_bus_send(NULL, reply, NULL);
    sd_bus_message_unref(reply);
    has_answered = true;
    return result;
}

static int serve(const char *name, bool once) {
    static const sd_bus_vtable table[] = {SD_BUS_VTABLE_START(0),
        SD_BUS_METHOD("Echo", "ay", "ayu", echo, SD_BUS_VTABLE_UNPRIVILEGED), SD_BUS_VTABLE_END};
    sd_bus *bus = connect_bus();
    check(sd_bus_add_object_vtable(bus, NULL, OBJECT, INTERFACE, table, NULL), "vtable");
    check(sd_bus_request_name(bus, name, 0), "name");
    while (!once || !has_answered)
        if (check(sd_bus_process(bus, NULL), "process") == 0) sd_bus_wait(bus, UINT64_MAX);
    sd_bus_flush_close_unref(bus);
    return 0;
}

/// Returns the pid of the service that answered, or 0 if the call met one that was about to exit.
static uint32_t call(sd_bus *bus, const char *name, const void *bytes, size_t count) {
    sd_bus_message *message, *reply = NULL;
    sd_bus_error error = SD_BUS_ERROR_NULL;
    const void *echoed;
    size_t length;
    uint32_t pid;
    check(sd_bus_message_new_method_call(bus, &message, name, OBJECT, INTERFACE, "Echo"), "call");
    check(sd_bus_message_append_array(message, 'y', bytes, count), "append");
    int result = sd_bus_call(bus, message, 10000000, &error, &reply);
    sd_bus_message_unref(message);
    sd_bus_error_free(&error);
    if (result < 0) return 0;
    check(sd_bus_message_read_array(reply, 'y', &echoed, &length), "echo");
    check(sd_bus_message_read(reply, "u", &pid), "pid");
    sd_bus_message_unref(reply);
    return length == count ? pid : 0;
}

static bool has_owner(sd_bus *bus, const char *name) {
    sd_bus_message *reply;
    int owned = 0;
    check(sd_bus_call_method(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
              "NameHasOwner", NULL, &reply, "s", name),
        "NameHasOwner");
    sd_bus_message_read(reply, "b", &owned);
    sd_bus_message_unref(reply);
    return owned;
}

static void requests(bool cold, const char *name, const char *path, int rounds) {
    static char payload[MESSAGE];
    size_t length = read_file(path, payload, sizeof payload);
    struct samples results = {cold ? "result" : "warm", "us"}, gone = {"gone", "us"};
    sd_bus *bus = connect_bus();
    for (int round = cold ? -3 : -200; round < rounds; round++) {
        while (cold && has_owner(bus, name)) usleep(500);
        double begin = now();
        uint32_t pid = call(bus, name, payload, length);
        double answered = now();
        if (pid == 0) {
            round--;
            continue;
        }
        if (cold) {
            int descriptor = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
            struct pollfd entry = {descriptor, POLLIN, 0};
            if (descriptor >= 0) poll(&entry, 1, 5000);
            if (descriptor >= 0) close(descriptor);
        }
        if (round < 0) continue;
        add(&results, answered - begin);
        if (cold) add(&gone, now() - begin);
    }
    print(&results);
    if (cold) print(&gone);
}

/// The time at which each subscriber received the notification, in a page that all share.
static double *received;
static int subscriber, said;

static int has_signal(sd_bus_message *message, void *data, sd_bus_error *error) {
    char byte = 0;
    (void)message, (void)data, (void)error;
    received[subscriber] = now();
    return write(said, &byte, 1) == 1 ? 0 : -EPIPE;
}

static void subscribe(bool directly, int socket) {
    char bytes[MESSAGE], byte = 0;
    sd_bus *bus = NULL;
    if (!directly) {
        bus = connect_bus();
        check(sd_bus_match_signal(bus, NULL, NULL, OBJECT, INTERFACE, "Changed", has_signal, NULL), "match");
    }
    if (write(said, &byte, 1) != 1) _exit(1);
    for (;;) {
        if (directly) {
            if (recv(socket, bytes, sizeof bytes, 0) <= 0) _exit(0);
            has_signal(NULL, NULL, NULL);
        } else if (check(sd_bus_process(bus, NULL), "process") == 0) {
            sd_bus_wait(bus, UINT64_MAX);
        }
    }
}

static void await_all(int reader, int count) {
    char bytes[1024];
    while (count > 0) {
        ssize_t some = read(reader, bytes, count < 1024 ? (size_t)count : sizeof bytes);
        if (some <= 0) fail("pipe");
        count -= (int)some;
    }
}

static void notify(bool directly, int count, int rounds) {
    static char note[128];
    struct samples first = {"first", "us"}, last = {"last", "us"}, busy = {"busy", "us"};
    int heard[2], *sockets = calloc((size_t)count, sizeof(int));
    pid_t *children = calloc((size_t)count, sizeof(pid_t));
    if (pipe(heard) < 0) fail("pipe");
    said = heard[1];
    received = mmap(NULL, sizeof(double) * (size_t)count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    raise_descriptor_limit();
    for (subscriber = 0; subscriber < count; subscriber++) {
        int ends[2] = {-1, -1};
        if (directly) pair(ends);
        if ((children[subscriber] = fork()) == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            subscribe(directly, ends[1]);
        }
        close(ends[1]);
        sockets[subscriber] = ends[0];
    }
    await_all(heard[0], count);
    sd_bus *bus = directly ? NULL : connect_bus();
    memset(note, 'n', sizeof note);
    for (int round = -1; round < rounds; round++) {
        usleep(1000);
        double begin = now();
        for (int i = 0; directly && i < count; i++) transmit(sockets[i], note, sizeof note);
        if (!directly) {
            check(sd_bus_emit_signal(bus, OBJECT, INTERFACE, "Changed", "ts", (uint64_t)round, "org.example.notes"),
                "emit");
            check(sd_bus_flush(bus), "flush");
        }
        double sent = now();
        await_all(heard[0], count);
        double least = 1e18, most = 0;
        for (int i = 0; i < count; i++) {
            least = received[i] < least ? received[i] : least;
            most = received[i] > most ? received[i] : most;
        }
        if (round < 0) continue;
        add(&first, least - begin);
        add(&last, most - begin);
        add(&busy, sent - begin);
    }
    for (int i = 0; i < count; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    print(&first);
    print(&last);
    print(&busy);
}

int main(int count, char **arguments) {
    if (count < 3) return 64;
    const char *mode = arguments[1];
    if (strcmp(mode, "serve") == 0) return serve(arguments[2], count > 3);
    if (count < 4) return 64;
    if (strcmp(mode, "signal") == 0 || strcmp(mode, "direct") == 0)
        notify(*mode == 'd', atoi(arguments[2]), atoi(arguments[3]));
    else if (count > 4)
        requests(strcmp(mode, "cold") == 0, arguments[2], arguments[3], atoi(arguments[4]));
    return 0;
}
