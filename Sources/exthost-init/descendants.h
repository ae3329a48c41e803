// What a guardian does to all processes below it, itself left out.

#ifndef EXTHOST_DESCENDANTS_H
#define EXTHOST_DESCENDANTS_H

#include <stdbool.h>

/// Sends a signal to every descendant there is now; true if there was one that could still run.
bool signal_descendants(int number);

/// Stops every descendant, those born meanwhile too: a stopped process has no more children.
void stop_descendants(void);

/// Kills and reaps until none is left.
void end_descendants(void);

#endif
