// exthost_threads: wakes threads by eventfd(2) and names them by pthread_setname_np(3).

#ifndef EXTHOST_THREADS_H
#define EXTHOST_THREADS_H

/// Creates a close-on-exec, non-blocking eventfd. Returns a descriptor or a negative errno.
int exthost_eventfd(void);

/// Names the calling thread. Names over 15 bytes are cut.
void exthost_name_thread(const char *name);

#endif
