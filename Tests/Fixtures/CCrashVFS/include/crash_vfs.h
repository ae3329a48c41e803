// crash_vfs: a SQLite file system that kills its process at a chosen moment, after taking back what was not synced.

#ifndef CRASH_VFS_H
#define CRASH_VFS_H

/// Makes it the default file system. The process dies by SIGKILL at the given step, counted from 1: each write,
/// truncation, sync and removal has a step before it and one after it. With `loses` set, what was written to a file
/// since its last sync is taken back first, as a loss of power would. 0: it never dies. Returns an SQLite result code.
int crash_vfs_install(long step, int loses);

/// How many steps there have been.
long crash_vfs_steps(void);

#endif
