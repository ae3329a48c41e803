// filter: the system call filter of a confined program (seccomp(2)).

#ifndef EXTHOST_FILTER_H
#define EXTHOST_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>

#include "policy.h"

enum { FILTER_SIZE = 768 };

struct filter {
    struct sock_filter steps[FILTER_SIZE];
    struct sock_fprog program;
};

/// Whether this processor has a filter. On others the layer is not available.
bool has_filter(void);

/// Writes the filter. With `tells`, refused calls go to a listener; without it, the kernel answers them with EPERM.
void make_filter(const struct policy *policy, bool tells, struct filter *filter);

/// Returns the name of a call that the filter refuses or reports, NULL for others.
const char *name_of_call(int number);

/// Whether the listener performs the call for the caller, or refuses it.
bool is_performed(int number);

/// Whether the listener allows the call a limited number of times.
bool is_counted(int number);

/// Whether the call establishes connections. It continues to Landlock and is only reported.
bool is_connection(int number);

/// Whether the call takes a path that the filter allows; the call is only reported. `is_at` is set if the path is the
/// second argument, after a folder.
bool is_path_lookup(int number, bool *is_at);

#endif
