// main_queue: what a run loop asks of libdispatch, for a main thread that serves the main queue and nothing else.

#ifndef EXTHOST_MAIN_QUEUE_H
#define EXTHOST_MAIN_QUEUE_H

/// An eventfd that is readable when the main queue has something to do; libdispatch's own, not to be closed.
int exthost_main_queue_descriptor(void);

/// Runs what is on the main queue. On the main thread only.
void exthost_main_queue_run(void);

#endif
