// What a hostile extension may try. Each attempt is a function in a process of its own; what it returns is the errno
// with which it was refused, or 0 when it had its way. Where having its way would harm, it stops at the first sign that
// it could: a call with arguments that only somebody with the right to make it is told to be wrong.

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

/// 0 for a call that did not fail, else errno.
int outcome(long result);
/// 0 also for a call that was only told that its arguments are wrong: it had the right to be made.
int outcome_of_probe(long result);

#endif
