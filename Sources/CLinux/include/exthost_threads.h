// Waking and naming threads: eventfd(2), pthread_setname_np(3).

#ifndef EXTHOST_THREADS_H
#define EXTHOST_THREADS_H

/// A new eventfd, close-on-exec and non-blocking; a descriptor or a negative errno.
int exthost_eventfd(void);

/// Names the calling thread; names over 15 bytes are cut.
void exthost_name_thread(const char *name);

#endif
