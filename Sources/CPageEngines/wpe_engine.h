// wpe_engine: what wpe.c and wpe_page.c share.

#ifndef WPE_ENGINE_H
#define WPE_ENGINE_H

#include "exthost_wpe.h"
#include "wpe_library.h"

/// The name of the extension's world.
extern const char exthost_wpe_world[];

struct message {
    struct message *next;
    size_t count;
    char text[];
};

/// The data of one page. WebKit's objects refer to it, and some of them may outlive the page.
struct page {
    struct exthost_wpe *engine;  // NULL once the page is closed
    void *exportable;
    int references;
};

struct exthost_wpe {
    struct page *page;
    void *context, *content, *view;
    struct message *first, **last;
    size_t failed_loads;
    char *loads;  // the URLs of these loads, each with a line feed
    size_t loads_count;
    void *filter;  // the rule list for the next pages, or NULL
    size_t loads_after_dom;
    bool is_own_load;  // the next navigation is the one of exthost_wpe_load
    bool is_committed;
    bool is_dom_complete;
    bool is_loaded;
    bool has_answer;
    const char *fault;  // the reason for which there is no page any more
    struct exthost_wpe_result *answer;
};

void exthost_wpe_finish(
    struct exthost_wpe_result *result, enum exthost_wpe_status status, const void *text, size_t count);

/// Counts the load of a URL as failed.
void exthost_wpe_note_load(struct exthost_wpe *engine, const char *url);

/// Makes a view with a process and a history of its own. Its first load shows it.
void exthost_wpe_open_page(struct exthost_wpe *engine, int width, int height);

/// Ends the view with its process, if there is one.
void exthost_wpe_close_page(struct exthost_wpe *engine);

#endif
