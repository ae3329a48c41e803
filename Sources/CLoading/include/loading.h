// The two ways of linking a program in which dlopen(3) does not do what its caller expects.

#ifndef EXTHOST_LOADING_H
#define EXTHOST_LOADING_H

#include <stdbool.h>

/// Whether the C library is linked into the program, so that it has no loader and dlopen(3) would end it.
bool exthost_is_fully_static(void);

/// Whether the Swift runtime is linked into the program (`-static-stdlib`). A Swift library that it loads brings
/// another runtime, in which the classes of the library stay unknown to the program.
bool exthost_has_own_swift_runtime(void);

/// Returns the path of the C library that the loader has found; NULL if it is not known. The text is the loader's.
const char *exthost_c_library(void);

#endif
