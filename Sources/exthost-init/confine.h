// The confinement of PROGRAM: what is done before its clone, between its clone and its exec, and while it runs.

#ifndef EXTHOST_CONFINE_H
#define EXTHOST_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

/// What failed, in the report to the daemon: its number times 4096 is added to the errno.
enum confine_step {
    CONFINE_POLICY = 1,
    CONFINE_NAMESPACES,
    CONFINE_PROC,
    CONFINE_DIRECTORY,
    CONFINE_LANDLOCK,
    CONFINE_PRIVILEGES,
    CONFINE_SECCOMP,
    CONFINE_GROUPS,  // the last four: identity.h
    CONFINE_GROUP,
    CONFINE_USER,
    CONFINE_CAPABILITIES,
};

/// Reads the policy from the sealed memory `descriptor` and does what takes long: the view, the ruleset. 0, or a step
/// and errno as above: then nothing may be executed. The process itself has left the host's root behind where the
/// policy has a view.
int confine_prepare(int descriptor);

/// In the child, between clone and exec, by bare system calls: gives up every privilege and puts on the layers. 0, or a
/// step and errno. Without `confine_prepare` it does nothing.
int confine_self(void);

/// In the parent, once PROGRAM runs: takes over what is told of refused calls, closes every descriptor but `report`,
/// and gives up its own privileges.
void confine_started(int report);

/// Takes every capability out of the bounding set, as far as the process may. 0 or a positive errno. By bare system
/// calls.
int empty_bounding_set(void);

/// Waits for a signal, all of which are blocked, and deals with refused calls meanwhile. Its number, or -1.
int confine_wait(void);

/// As `exthost-init attempt LAYER…`: does what the layer refuses. 0 when it was refused, 1 when it was not, 64 for an
/// unknown layer.
int confine_attempt(const char *layer);

#endif
