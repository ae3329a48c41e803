// crash_vfs: a SQLite file system that kills its process at a chosen step, after it has undone unsynced writes.

#ifndef CRASH_VFS_H
#define CRASH_VFS_H

/// Installs the shim as the default file system. Returns an SQLite result code.
///
/// The process dies by SIGKILL at the given step, counted from 1; 0 means never. Each write, truncation, sync and
/// removal has a step before and one after it. With `loses`, the shim first undoes the writes since each file's last
/// sync, like a power loss.
int crash_vfs_install(long step, int loses);

/// Returns the number of steps so far.
long crash_vfs_steps(void);

#endif
