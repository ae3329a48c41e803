// exthost_spawn: starts a process with clone(CLONE_VM|CLONE_VFORK|CLONE_PIDFD).
//
// The parent prepares everything; the child only makes system calls.

#ifndef EXTHOST_SPAWN_H
#define EXTHOST_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The step at which a spawn failed, in the order of execution.
enum exthost_spawn_step {
    EXTHOST_SPAWN_NONE,
    EXTHOST_SPAWN_STACK,
    EXTHOST_SPAWN_CLONE,
    EXTHOST_SPAWN_PARENT_DEATH_SIGNAL,
    EXTHOST_SPAWN_PARENT_GONE,
    EXTHOST_SPAWN_GROUPS,
    EXTHOST_SPAWN_USER_NAMESPACE,
    EXTHOST_SPAWN_PROC,
    EXTHOST_SPAWN_SESSION,
    EXTHOST_SPAWN_DESCRIPTORS,
    EXTHOST_SPAWN_CLOSE_RANGE,
    EXTHOST_SPAWN_DIRECTORY,
    EXTHOST_SPAWN_LIMITS,
    EXTHOST_SPAWN_SIGNALS,
    EXTHOST_SPAWN_EXECUTE,
    // The parent does this step, after the child's last one.
    EXTHOST_SPAWN_IDENTITY,
};

struct exthost_placement {
    int source;  // the parent's descriptor; -1 for /dev/null
    int target;  // its number in the child
    int staged;  // used by the child
};

struct exthost_limit {
    int resource;
    uint64_t soft, hard;
};

struct exthost_spawn {
    const char *path;
    char *const *arguments;  // the program's name first, NULL last
    char *const *environment;  // NULL last
    const char *directory;  // NULL: unchanged
    struct exthost_placement *placements;  // in ascending order of target, no target twice
    int placement_count;
    const struct exthost_limit *limits;
    int limit_count;
    // Descriptors of `cgroup.procs`, open for writing. The child joins these control groups.
    const int *groups;
    int group_count;
    int mask;  // umask(2), -1: unchanged
    int death_signal;  // PR_SET_PDEATHSIG, 0: none
    bool process_namespace;  // CLONE_NEWPID, with a /proc of its own
    bool user_namespace;  // CLONE_NEWUSER; our uid and gid are mapped to themselves
    // Maps of other users' ids in that namespace, in the format of the files of the same names. The parent writes them.
    // The init waits for that and becomes that user. If NULL, the child maps our own ids.
    const char *uid_map, *gid_map;
    // The capabilities for a mount view survive the exec, also in a user namespace. Such an init makes the view and its
    // /proc itself.
    bool keeps_capabilities;
    bool signals_stay_blocked;  // for an init that unblocks them itself

    pid_t pid;
    int pidfd;
    enum exthost_spawn_step failed;
    int code;  // the errno of the failed step
};

/// Starts the program and returns once it runs or has failed. Until then the calling thread is suspended. The
/// parent-death signal, if requested, fires when that *thread* ends (prctl(2)).
///
/// - Returns: true with `pid` and a close-on-exec `pidfd` set, which the caller owns. False with `failed` and `code`
///   set; then nothing is left behind.
bool exthost_spawn(struct exthost_spawn *spawn);

#endif
