// CImageConfinement: the system calls that remain for a process which decodes images of strangers.

#ifndef CIMAGECONFINEMENT_H
#define CIMAGECONFINEMENT_H

/// Leaves this process memory, reading of what is open by pread(2), and writing to `result` by pwrite(2). Any other
/// system call kills it. The process must have one thread.
///
/// Returns the name of the step that failed, or NULL.
const char *exthost_confine_images(int result);

/// Makes a system call that is not allowed: "open", "socket", "fork", "execute", "map" (memory to execute) or "write"
/// to a descriptor other than the result. Returns if the call was made or refused, so that the process was not killed.
void exthost_attempt(const char *call, int descriptor);

#endif
