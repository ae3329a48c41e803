// wpe_rules: WebKit's own compiler of content rule lists, and lists that are in force on pages.

#include <stdlib.h>
#include <string.h>

#include "wpe_engine.h"

struct compilation {
    bool is_done;
    void *filter;
    Error *error;
};

static void compiled(void *store, void *task, void *data) {
    struct compilation *compilation = data;
    compilation->filter = wpe.webkit_user_content_filter_store_save_finish(store, task, &compilation->error);
    compilation->is_done = true;
}

void exthost_wpe_compile(struct exthost_wpe *engine, const char *folder, const char *rules, size_t count,
    struct exthost_wpe_result *result) {
    *result = (struct exthost_wpe_result){EXTHOST_WPE_NOTHING, NULL, 0};
    void *store = wpe.webkit_user_content_filter_store_new(folder);
    void *bytes = wpe.g_bytes_new(rules, count);
    struct compilation compilation = {false, NULL, NULL};
    wpe.webkit_user_content_filter_store_save(store, "rules", bytes, NULL, compiled, &compilation);
    wpe.g_bytes_unref(bytes);
    while (!compilation.is_done) wpe.g_main_context_iteration(NULL, true);
    wpe.g_object_unref(store);
    if (engine->filter) wpe.webkit_user_content_filter_unref(engine->filter);
    engine->filter = compilation.filter;
    if (!compilation.error) return;
    exthost_wpe_finish(result, EXTHOST_WPE_DONE, compilation.error->message, strlen(compilation.error->message));
    wpe.g_error_free(compilation.error);
}

void exthost_wpe_loads(struct exthost_wpe *engine, struct exthost_wpe_result *result) {
    exthost_wpe_finish(result, EXTHOST_WPE_DONE, engine->loads ? engine->loads : "", engine->loads_count);
}

void exthost_wpe_note_load(struct exthost_wpe *engine, const char *url) {
    enum { LIMIT = 1 << 20 };
    size_t length = strlen(url);
    if (engine->loads_count + length + 1 > LIMIT) return;
    char *loads = realloc(engine->loads, engine->loads_count + length + 1);
    if (!loads) abort();
    memcpy(loads + engine->loads_count, url, length);
    loads[engine->loads_count + length] = '\n';
    engine->loads = loads;
    engine->loads_count += length + 1;
}
