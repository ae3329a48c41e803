// bulk: passes a large value to another process, which adds up every byte: bulk BYTES ROUNDS
//
//   handed   an existing sealed memory: passed and mapped, not read
//   placed   the same, and read
//   fresh    ordinary memory: copied to a new sealed memory, passed, mapped and read
//   added    the bytes added up in place, in one process: the time of the read alone
//
// The times are microseconds, from the sender's first step until the receiver has answered.

#include "bench.h"

#include <sys/mman.h>

static size_t bytes;
static volatile uint64_t total;

static void add_up(const char *place) {
    const uint64_t *words = (const uint64_t *)(const void *)place;
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes / 8; i++) sum += words[i];
    total = sum;
}

static void pass(int socket, int memory, char what) {
    char control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {&what, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &memory, sizeof memory);
    if (sendmsg(socket, &message, 0) != 1) fail("sendmsg");
}

static void serve(int socket) {
    for (;;) {
        char what, control[CMSG_SPACE(sizeof(int))];
        struct iovec part = {&what, 1};
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
        int memory;
        if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1) _exit(0);
        memcpy(&memory, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof memory);
        char *place = mmap(NULL, bytes, PROT_READ, MAP_SHARED, memory, 0);
        if (place == MAP_FAILED) fail("mmap");
        if (what != 'h') add_up(place);
        munmap(place, bytes);
        close(memory);
        if (write(socket, &what, 1) != 1) _exit(1);
    }
}

static int sealed(const char *source) {
    int memory = memfd_create("value", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    for (size_t done = 0; done < bytes;) {
        ssize_t count = write(memory, source + done, bytes - done);
        if (count <= 0) fail("write");
        done += (size_t)count;
    }
    fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
    return memory;
}

int main(int count, char **arguments) {
    if (count < 3) return 64;
    bytes = (size_t)atoll(arguments[1]);
    int rounds = atoi(arguments[2]), ends[2];
    pair(ends);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        serve(ends[1]);
    }
    close(ends[1]);
    char *source = malloc(bytes), answer;
    memset(source, 1, bytes);
    int made = sealed(source);
    struct samples lines[] = {{"handed", "us"}, {"placed", "us"}, {"fresh", "us"}, {"added", "us"}};
    for (int round = -1; round < rounds; round++)
        for (int way = 0; way < 4; way++) {
            double begin = now();
            if (way == 3) {
                add_up(source);
            } else {
                int memory = way == 2 ? sealed(source) : made;
                pass(ends[0], memory, way == 0 ? 'h' : 'r');
                if (read(ends[0], &answer, 1) != 1) fail("read");
                if (way == 2) close(memory);
            }
            if (round >= 0) add(&lines[way], now() - begin);
        }
    for (int way = 0; way < 4; way++) print(&lines[way]);
    close(ends[0]);
    waitpid(pid, NULL, 0);
    return 0;
}
