// confine: confines PROGRAM: before its clone, between its clone and its exec, and while it runs.

#ifndef EXTHOST_CONFINE_H
#define EXTHOST_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

/// The step that failed. The report to the daemon is the step times 4096 plus the errno.
enum confine_step {
    CONFINE_POLICY = 1,
    CONFINE_NAMESPACES,
    CONFINE_PROC,
    CONFINE_DIRECTORY,
    CONFINE_LANDLOCK,
    CONFINE_PRIVILEGES,
    CONFINE_SECCOMP,
    CONFINE_GROUPS,  // the last four are for identity.h
    CONFINE_GROUP,
    CONFINE_USER,
    CONFINE_CAPABILITIES,
};

/// Reads the policy from the sealed memory `descriptor` and does the slow work: the view and the ruleset. If the policy
/// has a view, this process has left the host's root afterwards.
///
/// Returns 0, or a step and errno as above; then the caller must not execute anything.
int confine_prepare(int descriptor);

/// Drops every privilege and applies the layers. Runs in the child, between clone and exec, by raw system calls only.
/// Does nothing without `confine_prepare`. Returns 0, or a step and errno.
int confine_self(void);

/// Takes over the filter's listener, closes every descriptor but `report`, and drops the init's own privileges. Runs in
/// the parent, once PROGRAM runs.
void confine_started(int report);

/// Drops every capability from the bounding set that the process may drop, by raw system calls only. Returns 0 or a
/// positive errno.
int empty_bounding_set(void);

/// Waits for a signal and answers refused calls meanwhile. All signals must be blocked. Returns the signal's number, or
/// -1.
int confine_wait(void);

/// Tries what one layer refuses, for `exthost-init attempt LAYER…`. Returns 0 if it was refused, 1 if it was not, 64
/// for an unknown layer.
int confine_attempt(const char *layer);

#endif
