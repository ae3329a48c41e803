/* What Swift cannot say of libsystemd's interface by itself: vtables, which are made by macros; and sys/eventfd.h,
 * which the Glibc module leaves out. */
#pragma once
#include "bus_object.h"
#include <sys/eventfd.h>
