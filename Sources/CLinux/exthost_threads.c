// exthost_threads: wakes threads by eventfd and names them.

#define _GNU_SOURCE
#include "exthost_threads.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>

int exthost_eventfd(void) {
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return descriptor < 0 ? -errno : descriptor;
}

void exthost_name_thread(const char *name) {
    char cut[16];
    snprintf(cut, sizeof cut, "%s", name);
    pthread_setname_np(pthread_self(), cut);
}
