// descendants: signals all processes below a guardian, excluding itself.

#ifndef EXTHOST_DESCENDANTS_H
#define EXTHOST_DESCENDANTS_H

#include <stdbool.h>

/// Sends a signal to every current descendant. Returns true if one of them could still run.
bool signal_descendants(int number);

/// Stops every descendant, including those created meanwhile: a stopped process creates no children.
void stop_descendants(void);

/// Kills and reaps descendants until none remains.
void end_descendants(void);

#endif
