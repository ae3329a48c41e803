// exthost_signals: counts signals in an eventfd, by a handler that writes to it (sigaction(2)).

#ifndef EXTHOST_SIGNALS_H
#define EXTHOST_SIGNALS_H

/// Installs a handler that adds one to an eventfd at each signal. Interrupted calls restart (SA_RESTART).
///
/// - Parameters:
///   - descriptor: a non-blocking eventfd, which must stay open for good.
///   - keeps_ignored: an ignored signal stays ignored.
/// - Returns: 1 if the handler is installed, 0 if the signal stays ignored, or a negative errno.
int exthost_catch_signal(int signal, int descriptor, int keeps_ignored);

#endif
