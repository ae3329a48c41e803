// A process started with clone(CLONE_VM|CLONE_VFORK|CLONE_PIDFD): everything is prepared before, the child only makes
// calls.

#ifndef EXTHOST_SPAWN_H
#define EXTHOST_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Where a spawn failed. The order is the order in which the child goes.
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
    EXTHOST_SPAWN_IDENTITY,  // the parent's, after the child's last
};

struct exthost_placement {
    int source;  // a descriptor of the parent; -1 for /dev/null
    int target;  // its number in the child
    int staged;  // scratch of the child
};

struct exthost_limit {
    int resource;
    uint64_t soft, hard;
};

struct exthost_spawn {
    const char *path;
    char *const *arguments;  // with the program's name first and NULL last
    char *const *environment;  // NULL last
    const char *directory;  // NULL: stay
    struct exthost_placement *placements;  // in ascending order of target, no target twice
    int placement_count;
    const struct exthost_limit *limits;
    int limit_count;
    const int *groups;  // descriptors of cgroup.procs, open for writing: control groups that the child joins
    int group_count;
    int mask;  // umask(2), -1: keep
    int death_signal;  // PR_SET_PDEATHSIG, 0: none
    bool process_namespace;  // CLONE_NEWPID, with a /proc of its own
    bool user_namespace;  // CLONE_NEWUSER, our own uid and gid mapped to themselves
    // Other users' ids in that namespace, as the files of the same names take them: written by the parent, which may;
    // the init waits for that, and becomes that user. NULL: our own, written by the child.
    const char *uid_map, *gid_map;
    bool keeps_capabilities;  // for an init that makes a mount view with a /proc itself, also in a user namespace: what
                              // that takes outlasts the exec
    bool signals_stay_blocked;  // for an init that opens them itself

    pid_t pid;
    int pidfd;
    enum exthost_spawn_step failed;
    int code;  // errno of the step that failed
};

/// Starts the program and returns once it runs or has failed: true, with `pid` and `pidfd` (close-on-exec, the
/// caller's) set, or false with `failed` and `code` set and nothing left behind. The calling thread stands still
/// meanwhile; the parent-death signal, if asked for, fires when that *thread* ends (prctl(2)).
bool exthost_spawn(struct exthost_spawn *spawn);

#endif
