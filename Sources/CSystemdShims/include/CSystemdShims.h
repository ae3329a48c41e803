/* CSystemdShims: the parts of libsystemd that Swift cannot use: vtables, which macros create. Also sys/eventfd.h,
 * which the Glibc module omits. */
#pragma once
#include "bus_object.h"
#include <sys/eventfd.h>
