// attempts: the interface of a hostile extension's attempts.
//
// Each attempt is a function in a process of its own. It returns the errno of its refusal, or 0 if it succeeded. A
// harmful attempt stops at the first sign of success: it passes arguments that only a permitted caller learns to be
// wrong.

#ifndef HOSTILE_ATTEMPTS_H
#define HOSTILE_ATTEMPTS_H

struct attempt {
    const char *name;
    int (*run)(const char *argument);
};

extern const struct attempt file_attempts[];
extern const struct attempt socket_attempts[];
extern const struct attempt process_attempts[];
extern const struct attempt kernel_attempts[];
extern const struct attempt allowances[];

/// Returns 0 if a call succeeded, else errno.
int outcome(long result);
/// Also returns 0 if the call failed only because of wrong arguments: then the caller was permitted.
int outcome_of_probe(long result);

#endif
