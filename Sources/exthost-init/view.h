// view: the file system of a confined program: a new root with only the files of the policy.

#ifndef EXTHOST_VIEW_H
#define EXTHOST_VIEW_H

#include "policy.h"

/// Leaves the host's namespaces and enters the view. The caller must be the first process of a pid namespace, with
/// CAP_SYS_ADMIN over it.
///
/// Returns 0 or a positive errno; then the caller must not execute anything. `*in_proc` is true if the mount of the new
/// /proc failed.
int enter_view(struct policy *policy, bool *in_proc);

#endif
