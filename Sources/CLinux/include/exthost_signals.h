// Signals counted by a descriptor: sigaction(2) with a handler that writes.

#ifndef EXTHOST_SIGNALS_H
#define EXTHOST_SIGNALS_H

/// From now on each `signal` adds one to the eventfd `descriptor`, which must not block and stays open for good; a call
/// that it interrupts begins anew (SA_RESTART). One that is ignored stays so if `keeps_ignored`. 1: it is caught, 0: it
/// stays ignored, else -errno.
int exthost_catch_signal(int signal, int descriptor, int keeps_ignored);

#endif
