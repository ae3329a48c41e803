// host_mark: the note by which a program shows that it contains the kit of host applications.

#ifndef EXTHOST_HOST_MARK_H
#define EXTHOST_HOST_MARK_H

/// Where the note is in memory. Whoever refers to it keeps it in the program.
const void *_Nonnull exthost_host_mark(void);

#endif
