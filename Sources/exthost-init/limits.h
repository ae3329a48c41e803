// What the daemon asks of throw-away children when it tries limits, and how control groups are removed after its end.

#ifndef EXTHOST_LIMITS_H
#define EXTHOST_LIMITS_H

/// Fills so many bytes of memory; 0 when all of them were to be had.
int fill_memory(long bytes);

/// Starts one process more; 0 when that was allowed, else 75 (EX_TEMPFAIL).
int start_task(void);

/// For the init of a pid namespace that is root's: the kernel does not bind root by RLIMIT_NPROC, and from Linux 6.14
/// on counts the tasks of a pid namespace. Takes the number from RLIMIT_NPROC. To be called before the old /proc is
/// left.
void limit_tasks(void);

/// For a guardian: RLIMIT_NPROC counts all tasks of its user. Takes the soft limit for a share where it is below the
/// hard one, and sets both limits to the share and the number of tasks that the user has now. To be called as that
/// user.
void share_tasks(void);

/// Waits until nobody holds the other end of the pipe, then removes control groups: each folder with those directly in
/// it.
int remove_groups(int descriptor, char *const *folders);

#endif
