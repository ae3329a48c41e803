// limits: probes resource limits in short-lived children, applies limits of tasks, and removes control groups.

#ifndef EXTHOST_LIMITS_H
#define EXTHOST_LIMITS_H

/// Fills `bytes` bytes of memory. Returns 0 if all were available, else 75 (EX_TEMPFAIL).
int fill_memory(long bytes);

/// Starts one more process. Returns 0 if that was allowed, else 75 (EX_TEMPFAIL).
int start_task(void);

/// Limits the tasks of a pid namespace that root owns; call it before the process leaves the old /proc. The number
/// comes from RLIMIT_NPROC, which the kernel does not apply to root. From Linux 6.14 on the kernel limits the pids of a
/// pid namespace.
void limit_tasks(void);

/// Limits the tasks of a guardian; call it as the guardian's user. RLIMIT_NPROC counts all tasks of the user. If the
/// soft limit is below the hard one, it is a share: both limits become the share plus the user's current number of
/// tasks.
void share_tasks(void);

/// Waits until the other end of the pipe is closed, then removes control groups: each folder and its direct subfolders.
/// Returns 0, or 70 (EX_SOFTWARE) on failure.
int remove_groups(int descriptor, char *const *folders);

#endif
