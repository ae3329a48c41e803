// wpe: the functions of exthost_wpe.h, on WPE WebKit 2.38 (API 1.1) with its shared-memory backend.

#define _GNU_SOURCE
#include "exthost_wpe.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wpe_engine.h"

// Constants of WebKit's interface.
enum { AT_DOCUMENT_START = 0, ALL_FRAMES = 0, TOP_FRAME = 1 };
enum { PROXY_CUSTOM = 2 };
enum { ALL_DATA = (1 << 13) - 1 };

void exthost_wpe_finish(
    struct exthost_wpe_result *result, enum exthost_wpe_status status, const void *text, size_t count) {
    result->status = status;
    result->count = count;
    result->text = malloc(count + 1);
    if (!result->text) abort();
    memcpy(result->text, text, count);
    result->text[count] = 0;
}

static void fail(struct exthost_wpe_result *result, enum exthost_wpe_status status, const char *text) {
    exthost_wpe_finish(result, status, text, strlen(text));
}

void exthost_wpe_free(struct exthost_wpe_result *result) {
    free(result->text);
    result->text = NULL;
}

static void cancel_download(void *context, void *download, void *data) {
    (void)context, (void)data;
    wpe.webkit_download_cancel(download);
}

struct exthost_wpe *exthost_wpe_open(struct exthost_wpe_result *result) {
    static bool is_used;
    *result = (struct exthost_wpe_result){EXTHOST_WPE_DONE, NULL, 0};
    const char *missing = exthost_wpe_find_functions();
    if (missing) {
        fail(result, EXTHOST_WPE_MISSING, missing);
        return NULL;
    }
    if (is_used) {
        // WebKit's events of processes that were killed would reach objects that are gone.
        fail(result, EXTHOST_WPE_ENGINE, "a process has one engine of WebKit");
        return NULL;
    }
    is_used = true;
    if (!wpe.wpe_loader_init(exthost_wpe_backend) || !wpe.wpe_fdo_initialize_shm()) {
        fail(result, EXTHOST_WPE_ENGINE, "the shared-memory backend of WPE does not start");
        return NULL;
    }
    struct exthost_wpe *engine = calloc(1, sizeof *engine);
    if (!engine) abort();
    engine->last = &engine->first;
    engine->context = wpe.webkit_web_context_new_ephemeral();
    // Each load ends at a proxy that is not there, so that it fails also where there is a network.
    void *proxy = wpe.webkit_network_proxy_settings_new("http://127.0.0.1:1", NULL);
    wpe.webkit_website_data_manager_set_network_proxy_settings(
        wpe.webkit_web_context_get_website_data_manager(engine->context), PROXY_CUSTOM, proxy);
    wpe.webkit_network_proxy_settings_free(proxy);
    wpe.g_signal_connect_data(engine->context, "download-started", cancel_download, NULL, NULL, 0);
    return engine;
}

/// Kills WebKit's processes, which this thread has started, and waits for their end. GLib reaps them.
static void end_processes(void) {
    char path[64], name[256];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)syscall(SYS_gettid));
    FILE *list = fopen(path, "re");
    int pid;
    while (list && fscanf(list, "%d", &pid) == 1) {
        int descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
        if (descriptor < 0) continue;
        snprintf(path, sizeof path, "/proc/%d/exe", pid);
        ssize_t length = readlink(path, name, sizeof name - 1);
        name[length > 0 ? length : 0] = 0;
        if (strstr(name, "/WPE")) {
            syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, NULL, 0);
            struct pollfd entry = {descriptor, POLLIN, 0};
            while (poll(&entry, 1, -1) < 0) {
            }
        }
        close(descriptor);
    }
    if (list) fclose(list);
}

static void data_cleared(void *manager, void *task, void *data) {
    wpe.webkit_website_data_manager_clear_finish(manager, task, NULL);
    *(bool *)data = true;
}

/// Removes all that pages have stored.
static void clear_storage(struct exthost_wpe *engine) {
    bool is_clear = false;
    wpe.webkit_website_data_manager_clear(
        wpe.webkit_web_context_get_website_data_manager(engine->context), ALL_DATA, 0, NULL, data_cleared, &is_clear);
    while (!is_clear) wpe.g_main_context_iteration(NULL, true);
}

/// Runs WebKit's loop until a condition holds. Returns false, with the reason, when the web process has ended.
static bool run(struct exthost_wpe *engine, const bool *condition, struct exthost_wpe_result *result) {
    while (!*condition && !engine->fault) wpe.g_main_context_iteration(NULL, true);
    if (*condition) return true;
    fail(result, EXTHOST_WPE_ENGINE, engine->fault);
    return false;
}

static void add_script(struct exthost_wpe *engine, void *script) {
    wpe.webkit_user_content_manager_add_script(engine->content, script);
    wpe.webkit_user_script_unref(script);
}

void exthost_wpe_load(struct exthost_wpe *engine, const char *html, size_t count, const char *url, int width,
    int height, const struct exthost_wpe_preludes *preludes, struct exthost_wpe_result *result) {
    *result = (struct exthost_wpe_result){EXTHOST_WPE_DONE, NULL, 0};
    if (engine->view) {
        exthost_wpe_close_page(engine);
        clear_storage(engine);
    }
    engine->failed_loads = engine->loads_count = engine->loads_after_dom = 0;
    engine->is_committed = engine->is_dom_complete = engine->is_loaded = false;
    engine->fault = NULL;
    exthost_wpe_open_page(engine, width, height);
    add_script(engine, wpe.webkit_user_script_new(preludes->both, ALL_FRAMES, AT_DOCUMENT_START, NULL, NULL));
    add_script(engine,
        wpe.webkit_user_script_new_for_world(
            preludes->both, ALL_FRAMES, AT_DOCUMENT_START, exthost_wpe_world, NULL, NULL));
    add_script(engine,
        wpe.webkit_user_script_new_for_world(
            preludes->extension, TOP_FRAME, AT_DOCUMENT_START, exthost_wpe_world, NULL, NULL));
    engine->is_own_load = true;
    void *bytes = wpe.g_bytes_new(html, count);
    wpe.webkit_web_view_load_bytes(engine->view, bytes, "text/html", "UTF-8", url);
    wpe.g_bytes_unref(bytes);
    run(engine, &engine->is_loaded, result);
}

static void evaluated(void *view, void *task, void *data, bool in_world) {
    struct exthost_wpe *engine = data;
    Error *error = NULL;
    void *value = in_world ? wpe.webkit_web_view_run_javascript_in_world_finish(view, task, &error)
                           : wpe.webkit_web_view_run_javascript_finish(view, task, &error);
    engine->has_answer = true;
    if (value) {
        void *object = wpe.webkit_javascript_result_get_js_value(value);
        if (wpe.jsc_value_is_string(object)) {
            void *bytes = wpe.jsc_value_to_string_as_bytes(object);
            size_t count;
            const void *text = wpe.g_bytes_get_data(bytes, &count);
            exthost_wpe_finish(engine->answer, EXTHOST_WPE_DONE, text, count);
            wpe.g_bytes_unref(bytes);
        } else {
            engine->answer->status = EXTHOST_WPE_NOTHING;
        }
        wpe.webkit_javascript_result_unref(value);
        return;
    }
    bool is_script = error->domain == wpe.webkit_javascript_error_quark();
    if (is_script && !error->message[0])
        engine->answer->status = EXTHOST_WPE_NOTHING;  // a value that cannot leave the web process
    else
        fail(engine->answer, is_script ? EXTHOST_WPE_SCRIPT : EXTHOST_WPE_ENGINE, error->message);
    wpe.g_error_free(error);
}

static void evaluated_in_world(void *view, void *task, void *data) { evaluated(view, task, data, true); }
static void evaluated_in_page(void *view, void *task, void *data) { evaluated(view, task, data, false); }

void exthost_wpe_evaluate(
    struct exthost_wpe *engine, const char *script, bool in_extension, struct exthost_wpe_result *result) {
    *result = (struct exthost_wpe_result){EXTHOST_WPE_DONE, NULL, 0};
    engine->has_answer = false;
    engine->answer = result;
    if (!engine->view) return fail(result, EXTHOST_WPE_ENGINE, "there is no page");
    if (engine->fault) return fail(result, EXTHOST_WPE_ENGINE, engine->fault);
    if (in_extension)
        wpe.webkit_web_view_run_javascript_in_world(
            engine->view, script, exthost_wpe_world, NULL, evaluated_in_world, engine);
    else
        wpe.webkit_web_view_run_javascript(engine->view, script, NULL, evaluated_in_page, engine);
    // After the end of the web process, the answer is an error of WebKit's.
    while (!engine->has_answer) wpe.g_main_context_iteration(NULL, true);
    if (engine->fault) {
        exthost_wpe_free(result);
        fail(result, EXTHOST_WPE_ENGINE, engine->fault);
    }
}

static Boolean time_is_over(void *data) {
    *(bool *)data = true;
    return false;
}

void exthost_wpe_message(struct exthost_wpe *engine, int64_t milliseconds, struct exthost_wpe_result *result) {
    *result = (struct exthost_wpe_result){EXTHOST_WPE_NOTHING, NULL, 0};
    // Only messages that have arrived already: a page may send without end.
    for (int i = 0; i < 1000 && !engine->first && !engine->fault && wpe.g_main_context_iteration(NULL, false); i++) {
    }
    if (milliseconds > 0) {
        bool is_over = false;
        unsigned wait = milliseconds < UINT32_MAX ? (unsigned)milliseconds : UINT32_MAX;
        unsigned timer = wpe.g_timeout_add(wait, time_is_over, &is_over);
        while (!engine->first && !is_over && !engine->fault) wpe.g_main_context_iteration(NULL, true);
        if (!is_over) wpe.g_source_remove(timer);
    }
    struct message *message = engine->first;
    if (message) {
        exthost_wpe_finish(result, EXTHOST_WPE_DONE, message->text, message->count);
        engine->first = message->next;
        if (!engine->first) engine->last = &engine->first;
        free(message);
    } else if (engine->fault) {
        fail(result, EXTHOST_WPE_ENGINE, engine->fault);
    }
}

size_t exthost_wpe_failed_loads(struct exthost_wpe *engine) { return engine->failed_loads; }

void exthost_wpe_version(struct exthost_wpe *engine, unsigned numbers[3]) {
    (void)engine;
    numbers[0] = wpe.webkit_get_major_version();
    numbers[1] = wpe.webkit_get_minor_version();
    numbers[2] = wpe.webkit_get_micro_version();
}

void exthost_wpe_close(struct exthost_wpe *engine) {
    end_processes();
    exthost_wpe_close_page(engine);
    wpe.g_object_unref(engine->context);
    if (engine->filter) wpe.webkit_user_content_filter_unref(engine->filter);
    free(engine->loads);
    free(engine);
}
