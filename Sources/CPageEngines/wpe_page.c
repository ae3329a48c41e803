// wpe_page: the view of a page, and the answers to its signals.

#include "wpe_engine.h"

#include <stdlib.h>
#include <string.h>

const char exthost_wpe_world[] = "exthost.ExtensionPreprocessing";

// Constants of WebKit's and GLib's interfaces.
enum { NAVIGATION = 0, NEW_WINDOW = 1 };
enum { LOAD_COMMITTED = 2, LOAD_FINISHED = 3 };
enum { MATCH_DATA = 1 << 4 };
enum { ACTIVITY_ALL = 7 };

// A page whose scripts begin new loads for ever is loaded when this many have failed after its DOM was complete.
enum { LOADS_AFTER_DOM = 100 };

static void release_page(void *data) {
    struct page *page = data;
    if (--page->references == 0) free(page);
}

static void release_closure(void *data, void *closure) {
    (void)closure;
    release_page(data);
}

static void connect(void *object, const char *signal, void *function, struct page *page) {
    page->references++;
    wpe.g_signal_connect_data(object, signal, function, page, release_closure, 0);
}

// The frames that WebKit draws: nobody looks at them.

static void drop_buffer(void *data, void *buffer) {
    struct page *page = data;
    wpe.wpe_view_backend_exportable_fdo_dispatch_release_buffer(page->exportable, buffer);
    wpe.wpe_view_backend_exportable_fdo_dispatch_frame_complete(page->exportable);
}

static void drop_shared_buffer(void *data, void *buffer) {
    struct page *page = data;
    wpe.wpe_view_backend_exportable_fdo_dispatch_release_shm_exported_buffer(page->exportable, buffer);
    wpe.wpe_view_backend_exportable_fdo_dispatch_frame_complete(page->exportable);
}

static const struct {
    void (*resource)(void *, void *);
    void (*dmabuf)(void *, void *);
    void (*shared)(void *, void *);
    void (*reserved[2])(void);
} drawing = {drop_buffer, NULL, drop_shared_buffer, {NULL, NULL}};

static void end_drawing(void *data) {
    struct page *page = data;
    wpe.wpe_view_backend_exportable_fdo_destroy(page->exportable);
    release_page(page);
}

// Signals of the view. The parameters are those of WebKit's documentation.

static void count_failed_load(struct exthost_wpe *engine, const char *url) {
    engine->failed_loads++;
    exthost_wpe_note_load(engine, url);
    if (engine->is_dom_complete && ++engine->loads_after_dom >= LOADS_AFTER_DOM) engine->is_loaded = true;
}

static bool has_prefix(const char *text, const char *prefix) { return !strncmp(text, prefix, strlen(prefix)); }

/// Whether the contents are a part of the URL or of the page, or there are none.
static bool is_local(const char *url) {
    return has_prefix(url, "data:") || has_prefix(url, "blob:") || has_prefix(url, "about:");
}

static void resource_failed(void *resource, Error *error, void *data) {
    (void)error;
    struct page *page = data;
    const char *url = wpe.webkit_web_resource_get_uri(resource);
    if (page->engine && !is_local(url)) count_failed_load(page->engine, url);
}

static void resource_started(void *view, void *resource, void *request, void *data) {
    (void)view, (void)request;
    connect(resource, "failed", resource_failed, data);
}

/// Whether a navigation changes only the fragment of the page's URL.
static bool is_fragment(void *view, const char *url) {
    const char *current = wpe.webkit_web_view_get_uri(view);
    size_t length = current ? strcspn(current, "#") : 0;
    return length && !strncmp(current, url, length) && url[length] == '#';
}

static Boolean use(void *decision) {
    wpe.webkit_policy_decision_use(decision);
    wpe.g_object_unref(decision);
    return false;
}

/// Shows the view, and then lets its page load.
///
/// WebKit draws the empty document of a visible view, and its next load waits for that drawing. The software renderer
/// compiles its shaders first, which takes 0.2 s of an idle processor. So the view is hidden until WebKit is about to
/// load. From then on WebKit draws nothing before the new document is there. If the decision comes late on a busy
/// machine, WebKit draws after all, and the load only takes longer.
static void show(struct page *page, void *decision) {
    wpe.wpe_view_backend_add_activity_state(
        wpe.wpe_view_backend_exportable_fdo_get_view_backend(page->exportable), ACTIVITY_ALL);
    // WebKit sends the new state from an older timer of the same priority. So it arrives before the decision, and
    // every script of the page finds the view visible.
    wpe.g_timeout_add(0, use, wpe.g_object_ref(decision));
}

/// Refuses every navigation but the one of exthost_wpe_load. WebKit does not report the frame that navigates.
static Boolean decide_policy(void *view, void *decision, int type, void *data) {
    struct page *page = data;
    struct exthost_wpe *engine = page->engine;
    if (type != NAVIGATION && type != NEW_WINDOW) return false;
    void *action = wpe.webkit_navigation_policy_decision_get_navigation_action(decision);
    const char *url = wpe.webkit_uri_request_get_uri(wpe.webkit_navigation_action_get_request(action));
    bool is_allowed = false;
    if (type == NAVIGATION && engine->is_own_load) {
        engine->is_own_load = false;
        show(page, decision);
        return true;
    }
    if (type == NAVIGATION) {
        // Frames have data: and about:srcdoc; WebKit refuses data: to a page. A refused frame stays at about:blank, as
        // it has to if that was its URL.
        is_allowed = is_fragment(view, url) || has_prefix(url, "data:") || has_prefix(url, "about:srcdoc");
        if (!is_allowed && !is_local(url)) count_failed_load(engine, url);
    }
    (is_allowed ? wpe.webkit_policy_decision_use : wpe.webkit_policy_decision_ignore)(decision);
    return true;
}

static void load_changed(void *view, int event, void *data) {
    (void)view;
    struct exthost_wpe *engine = ((struct page *)data)->engine;
    if (event == LOAD_FINISHED) engine->is_loaded = true;
    if (event == LOAD_COMMITTED && engine->is_committed) engine->fault = "the page left its document";
    if (event == LOAD_COMMITTED) engine->is_committed = true;
}

static Boolean load_failed(void *view, int event, const char *url, Error *error, void *data) {
    (void)view, (void)event, (void)url, (void)error, (void)data;
    return true;  // no page of WebKit's with the error
}

static Boolean answer_dialog(void *view, void *dialog, void *data) {
    (void)view, (void)dialog, (void)data;
    return true;  // it ends at once, not confirmed
}

static Boolean deny_permission(void *view, void *request, void *data) {
    (void)view, (void)data;
    wpe.webkit_permission_request_deny(request);
    return true;
}

static Boolean deny(void) { return true; }

static void web_process_ended(void *view, int reason, void *data) {
    (void)view;
    struct exthost_wpe *engine = ((struct page *)data)->engine;
    engine->fault = reason == 1 ? "the web process exceeded its memory" : "the web process ended";
}

static void message_received(void *content, void *value, void *data) {
    (void)content;
    struct exthost_wpe *engine = ((struct page *)data)->engine;
    void *bytes = wpe.jsc_value_to_string_as_bytes(wpe.webkit_javascript_result_get_js_value(value));
    size_t count;
    const void *text = wpe.g_bytes_get_data(bytes, &count);
    struct message *message = malloc(sizeof *message + count);
    if (!message) abort();
    message->next = NULL;
    message->count = count;
    memcpy(message->text, text, count);
    wpe.g_bytes_unref(bytes);
    *engine->last = message;
    engine->last = &message->next;
}

static void dom_completed(void *content, void *value, void *data) {
    (void)content, (void)value;
    struct exthost_wpe *engine = ((struct page *)data)->engine;
    engine->is_dom_complete = true;
}

static void drop_messages(struct exthost_wpe *engine) {
    for (struct message *message = engine->first; message; message = engine->first) {
        engine->first = message->next;
        free(message);
    }
    engine->last = &engine->first;
}

void exthost_wpe_open_page(struct exthost_wpe *engine, int width, int height) {
    struct page *page = calloc(1, sizeof *page);
    if (!page) abort();
    page->engine = engine;
    // One for the engine, and one for the drawing.
    page->references = 2;
    engine->page = page;

    engine->content = wpe.webkit_user_content_manager_new();
    wpe.webkit_user_content_manager_register_script_message_handler_in_world(
        engine->content, "exthostPost", exthost_wpe_world);
    wpe.webkit_user_content_manager_register_script_message_handler_in_world(
        engine->content, "exthostComplete", exthost_wpe_world);
    connect(engine->content, "script-message-received::exthostPost", message_received, page);
    connect(engine->content, "script-message-received::exthostComplete", dom_completed, page);

    if (engine->filter) wpe.webkit_user_content_manager_add_filter(engine->content, engine->filter);

    void *settings =
        wpe.g_object_new(wpe.webkit_settings_get_type(), "enable-developer-extras", false, "enable-dns-prefetching",
            false, "enable-media", false, "enable-page-cache", false, "enable-webaudio", false, "enable-webgl", false,
            "enable-html5-database", false, "enable-offline-web-application-cache", false, "enable-hyperlink-auditing",
            false, "javascript-can-open-windows-automatically", false, "enable-smooth-scrolling", false, NULL);
    page->exportable = wpe.wpe_view_backend_exportable_fdo_create(&drawing, page, (uint32_t)width, (uint32_t)height);
    void *backend = wpe.wpe_view_backend_exportable_fdo_get_view_backend(page->exportable);
    engine->view = wpe.g_object_new(wpe.webkit_web_view_get_type(), "backend",
        wpe.webkit_web_view_backend_new(backend, end_drawing, page), "web-context", engine->context,
        "user-content-manager", engine->content, "settings", settings, NULL);
    wpe.g_object_unref(settings);
    // A new view is visible, whatever the state of its backend is, and follows each change of it (show).
    wpe.wpe_view_backend_add_activity_state(backend, ACTIVITY_ALL);
    wpe.wpe_view_backend_remove_activity_state(backend, ACTIVITY_ALL);

    connect(engine->view, "decide-policy", decide_policy, page);
    connect(engine->view, "load-changed", load_changed, page);
    connect(engine->view, "load-failed", load_failed, page);
    connect(engine->view, "load-failed-with-tls-errors", deny, page);
    connect(engine->view, "resource-load-started", resource_started, page);
    connect(engine->view, "script-dialog", answer_dialog, page);
    connect(engine->view, "permission-request", deny_permission, page);
    connect(engine->view, "authenticate", deny, page);
    connect(engine->view, "run-file-chooser", deny, page);
    connect(engine->view, "web-process-terminated", web_process_ended, page);
}

void exthost_wpe_close_page(struct exthost_wpe *engine) {
    drop_messages(engine);
    if (!engine->view) return;
    void *const objects[] = {engine->view, engine->content};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        wpe.g_signal_handlers_disconnect_matched(objects[i], MATCH_DATA, 0, 0, NULL, NULL, engine->page);
    // By itself the process would first finish the frame that it draws, beside the load of the next page.
    wpe.webkit_web_view_terminate_web_process(engine->view);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) wpe.g_object_unref(objects[i]);
    engine->page->engine = NULL;
    release_page(engine->page);
    engine->view = NULL;
}
