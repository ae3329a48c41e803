// The file system as a confined program sees it: a new root with nothing in it but what the policy names.

#ifndef EXTHOST_VIEW_H
#define EXTHOST_VIEW_H

#include "policy.h"

/// Leaves the namespaces of the host and enters the view. Only as the first process of a pid namespace with
/// CAP_SYS_ADMIN over it. 0, or a positive errno with `*in_proc` telling whether it was the new /proc that could not be
/// had; then nothing may be executed.
int enter_view(struct policy *policy, bool *in_proc);

#endif
