// sockets: listening sockets of the namespace, for the host.

#ifndef EXTHOST_NETNS_SOCKETS_H
#define EXTHOST_NETNS_SOCKETS_H

#include <stdbool.h>

#include "packet.h"

/// Makes the socket of a `listen`. The caller closes it.
bool make_socket(struct packet *request, int *descriptor, unsigned int *port);

#endif
