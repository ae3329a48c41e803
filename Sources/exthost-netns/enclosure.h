// enclosure: the namespaces, what is mounted in them, and the rights of the programs that run in them.

#ifndef EXTHOST_NETNS_ENCLOSURE_H
#define EXTHOST_NETNS_ENCLOSURE_H

#include <stdbool.h>
#include <stddef.h>

/// Enters new namespaces, and maps the user and group to themselves. The next child is the first process of the new pid
/// namespace.
bool enter_namespaces(void);

/// Prepares the namespaces in their first process: mounts, loopback and /etc/resolv.conf.
bool furnish(void);

/// Replaces the contents of /etc/resolv.conf in the namespace.
bool write_resolver(const char *text, size_t length);

/// Gives up all capabilities, for this process and for what it executes. Runs in a child before its exec.
bool drop_capabilities(void);

#endif
