// exthost_jsc: JavaScriptCore's C interface, from a library that is loaded at run time.

#ifndef EXTHOST_JSC_H
#define EXTHOST_JSC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Loads the library.
///
/// Returns NULL, or the name of the symbol that it lacks; "" if it cannot be loaded (dlerror(3) has the reason).
/// Later calls return the first result. Call it, and all other functions, on one thread.
const char *exthost_jsc_load(const char *library);

/// A context with its own global object. Free it with exthost_jsc_free.
void *exthost_jsc_context(void);
void exthost_jsc_free(void *context);

/// Evaluates a script. Returns its value, or NULL with the exception. Values stay alive as long as their context.
void *exthost_jsc_evaluate(void *context, const uint16_t *text, size_t count, const char *name, void **exception);

/// Calls a function.
void *exthost_jsc_call(void *context, void *function, void *const *arguments, size_t count, void **exception);

/// Returns a member of an object; NULL for an exception, and for a value that is no object.
void *exthost_jsc_member(void *context, void *value, const char *name);

void *exthost_jsc_number(void *context, double number);
void *exthost_jsc_text(void *context, const uint16_t *text, size_t count);

/// The number of a value; NaN for another value.
double exthost_jsc_number_of(void *context, void *value);
bool exthost_jsc_is_true(void *context, void *value);
bool exthost_jsc_is_text(void *context, void *value);

/// Returns a value as text, which the caller frees with free(3); NULL if it has none, or memory is short.
uint16_t *exthost_jsc_text_of(void *context, void *value, size_t *count);

/// Lets a value be collected; it must not be used afterwards.
void exthost_jsc_drop(void *context, void *value);

/// Refuses this process, with all its threads, to open files, to make sockets, and to start programs and processes.
/// Such calls fail with EPERM. Returns 0, or the error number.
int exthost_refuse_system_calls(void);

#endif
