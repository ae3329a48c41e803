// What the daemon asks of throw-away children when it tries limits, and how control groups are removed after its end.

#ifndef EXTHOST_LIMITS_H
#define EXTHOST_LIMITS_H

/// Fills so many bytes of memory; 0 when all of them were to be had.
int fill_memory(long bytes);

/// Starts one process more; 0 when that was allowed, else 75 (EX_TEMPFAIL).
int start_task(void);

/// Waits until nobody holds the other end of the pipe, then removes control groups: each folder with those directly in it.
int remove_groups(int descriptor, char *const *folders);

#endif
