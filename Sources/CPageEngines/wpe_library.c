// wpe_library: the functions of wpe_library.h.

#include "wpe_library.h"

#include <dlfcn.h>
#include <string.h>

struct exthost_wpe_functions exthost_wpe_functions;
const char exthost_wpe_backend[] = "libWPEBackend-fdo-1.0.so.1";

// The libraries that are loaded, in this order. Each function is looked for in all of them.
static const char *const libraries[] = {
    "libglib-2.0.so.0",
    "libgobject-2.0.so.0",
    "libwpe-1.0.so.1",
    exthost_wpe_backend,
    "libWPEWebKit-1.1.so.0",
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

const char *exthost_wpe_find_functions(void) {
    void *handles[LIBRARIES];
    for (size_t i = 0; i < LIBRARIES; i++) {
        // WebKit is never unloaded: it has threads.
        handles[i] = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (!handles[i]) return libraries[i];
    }
    static const struct {
        const char *name;
        void *place;
    } functions[] = {
#define ENTRY(returned, name, parameters) {#name, &wpe.name},
        SYMBOLS(ENTRY)
#undef ENTRY
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = NULL;
        for (size_t library = 0; library < LIBRARIES && !function; library++)
            function = dlsym(handles[library], functions[i].name);
        if (!function) return functions[i].name;
        memcpy(functions[i].place, &function, sizeof function);
    }
    return NULL;
}
