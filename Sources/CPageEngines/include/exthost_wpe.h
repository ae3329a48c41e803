// exthost_wpe: a page in WPE WebKit, whose libraries are found at run time.
//
// No header of the libraries is needed to build this. WebKit belongs to the thread that opened it first: all functions
// are called on that thread, and a process has one engine in its life.

#ifndef EXTHOST_WPE_H
#define EXTHOST_WPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exthost_wpe_status {
    EXTHOST_WPE_DONE,
    EXTHOST_WPE_NOTHING,  // no string, or no message before the deadline
    EXTHOST_WPE_MISSING,  // `text` is the library or the symbol
    EXTHOST_WPE_SCRIPT,  // `text` is WebKit's "FILE:LINE:COLUMN: MESSAGE"
    EXTHOST_WPE_ENGINE,  // `text` has the words of WebKit
};

/// The result of a call. The caller frees `text` with `exthost_wpe_free`; it is UTF-8 and may have NUL bytes.
struct exthost_wpe_result {
    enum exthost_wpe_status status;
    char *text;
    size_t count;
};

/// The scripts that run before those of the page.
struct exthost_wpe_preludes {
    const char *both;  // in all frames and both worlds
    const char *extension;  // in the extension's world of the page itself
};

struct exthost_wpe;

/// Loads the libraries and starts WebKit. Returns NULL with a result other than `DONE` on failure.
struct exthost_wpe *exthost_wpe_open(struct exthost_wpe_result *result);

/// Ends the web processes, and waits for their end.
void exthost_wpe_close(struct exthost_wpe *engine);

/// Writes the version of WebKit, such as 2.38.6.
void exthost_wpe_version(struct exthost_wpe *engine, unsigned numbers[3]);

/// Shows a page, and returns when it is loaded. `html` has `count` bytes.
void exthost_wpe_load(struct exthost_wpe *engine, const char *html, size_t count, const char *url, int width,
    int height, const struct exthost_wpe_preludes *preludes, struct exthost_wpe_result *result);

/// Evaluates a script in the page's world, or in the one of the extension.
void exthost_wpe_evaluate(
    struct exthost_wpe *engine, const char *script, bool in_extension, struct exthost_wpe_result *result);

/// Runs the page until a text was posted. `milliseconds` is the time to wait at most.
void exthost_wpe_message(struct exthost_wpe *engine, int64_t milliseconds, struct exthost_wpe_result *result);

/// Compiles a content rule list, a text of JSON, and puts it in force for the pages that are loaded after.
///
/// The result is `NOTHING` if the list is valid, else `text` has WebKit's words. `folder` is a folder for the compiled
/// list, which must outlast the pages.
void exthost_wpe_compile(
    struct exthost_wpe *engine, const char *folder, const char *rules, size_t count, struct exthost_wpe_result *result);

/// The URLs of the loads that failed, each with a line feed, up to 1 MiB. Loads that a rule blocked are not among them.
void exthost_wpe_loads(struct exthost_wpe *engine, struct exthost_wpe_result *result);

/// The loads beside the page that failed.
size_t exthost_wpe_failed_loads(struct exthost_wpe *engine);

void exthost_wpe_free(struct exthost_wpe_result *result);

#endif
