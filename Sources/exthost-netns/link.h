// link: the network devices of the namespace, and their settings.

#ifndef EXTHOST_NETNS_LINK_H
#define EXTHOST_NETNS_LINK_H

#include <stdbool.h>

/// Brings up loopback.
bool start_links(void);

/// Makes the TUN device. `name` is empty for tun0; `made` gets the name, at most 16 bytes. The caller must not close
/// the descriptor: the device goes with its last holder.
bool make_device(const char *name, const char *mtu, int *descriptor, char *made);

/// Replaces all settings by pairs of keys and values.
bool apply_settings(char **pairs, int count);

#endif
