// exthost_gnu: calls that Swift's Glibc module lacks.

#define _GNU_SOURCE
#include "exthost_gnu.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

const int exthost_open_path_only = O_PATH;

int exthost_accept(int socket) {
    int descriptor = accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return descriptor < 0 ? -errno : descriptor;
}

ssize_t exthost_random(void *buffer, size_t count) {
    ssize_t got = getrandom(buffer, count, 0);
    return got < 0 ? -errno : got;
}
