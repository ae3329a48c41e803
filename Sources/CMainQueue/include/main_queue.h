// main_queue: libdispatch's interface for run loops, for a main thread that serves only the main queue.

#ifndef EXTHOST_MAIN_QUEUE_H
#define EXTHOST_MAIN_QUEUE_H

/// Returns libdispatch's own eventfd, which is readable while the main queue has work. The caller must not close it.
int exthost_main_queue_descriptor(void);

/// Runs the work on the main queue. Call it on the main thread only.
void exthost_main_queue_run(void);

#endif
