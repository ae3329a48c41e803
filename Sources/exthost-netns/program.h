// program: the programs that run in the namespace.

#ifndef EXTHOST_NETNS_PROGRAM_H
#define EXTHOST_NETNS_PROGRAM_H

#include <stdbool.h>

#include "packet.h"

/// Starts the program of a `run`. Returns its pid in the namespace, or -1.
long run_program(struct packet *request);

/// Sends a signal to the program of an earlier `run`.
bool signal_program(const char *number, const char *signal);

/// Reaps all ended processes, and reports those of a `run`.
void reap_programs(int host);

#endif
