// CLinux: Linux calls that Swift cannot make itself (variadics, macros, code that runs between clone and exec). Each
// header holds one family of calls.

#ifndef CLINUX_H
#define CLINUX_H

#include "exthost_files.h"
#include "exthost_gnu.h"
#include "exthost_landlock.h"
#include "exthost_memfd.h"
#include "exthost_messages.h"
#include "exthost_openat2.h"
#include "exthost_pidfd.h"
#include "exthost_rest.h"
#include "exthost_shared.h"
#include "exthost_signals.h"
#include "exthost_spawn.h"
#include "exthost_streams.h"
#include "exthost_threads.h"

#endif
