// The filter of system calls of a confined program (seccomp(2)).

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

/// Whether this processor has a filter here; elsewhere the layer cannot be had.
bool has_filter(void);

/// Writes the filter: what is refused is told to a listener, or is answered with EPERM by the kernel itself.
void make_filter(const struct policy *policy, bool tells, struct filter *filter);

/// The name of a call that the filter refuses or tells, NULL for others.
const char *name_of_call(int number);

/// Whether the listener makes the call in the caller's place, or refuses it.
bool is_performed(int number);

/// Whether the listener lets the call pass a number of times only.
bool is_counted(int number);

/// Whether the call takes up connections, and is let pass to Landlock: it is only told.
bool is_connection(int number);

/// Whether the call's first (or, for those "at" a folder, second) argument is a path that the filter lets pass: it is
/// only told.
bool is_path_lookup(int number, bool *is_at);

#endif
