// host_mark: the ELF note of a program that contains the kit for host applications.

#ifndef EXTHOST_HOST_MARK_H
#define EXTHOST_HOST_MARK_H

/// Returns the address of the note. A reference to this function links the note into the program.
const void *_Nonnull exthost_host_mark(void);

#endif
