// dlopen(3) and dlerror(3) of a program with the kit: an error in place of a crash, and a line in place of silence.
//
// Bundle.load() and its like call dlopen(3), too, so this is the one place that all loading calls pass.

#define _GNU_SOURCE
#include "loading.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

extern void *swift_retain(void *) __attribute__((weak));

typedef void *Open(const char *, int);
typedef char *Report(void);

bool exthost_is_fully_static(void) {
    // The loader gives the program's own headers even when it was started by its name (ld.so(8)).
    const ElfW(Phdr) *header = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    if (header == NULL) return false;
    for (unsigned long left = getauxval(AT_PHNUM); left > 0; left--, header++) {
        if (header->p_type == PT_INTERP) return false;
    }
    return true;
}

bool exthost_has_own_swift_runtime(void) {
    Dl_info runtime, own;
    return swift_retain != NULL && dladdr((void *)swift_retain, &runtime) != 0
        && dladdr((void *)exthost_is_fully_static, &own) != 0 && runtime.dli_fbase == own.dli_fbase;
}

const char *exthost_c_library(void) {
    Dl_info library;
    return dladdr((void *)getauxval, &library) != 0 ? library.dli_fname : NULL;
}

// The sanitizers have a dlopen(3) of their own, and link no program statically.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

static _Thread_local const char *refusal;
static Open *next_open;
static Report *next_report;

// Both are found before an error can be waiting, because dlsym(3) clears it.
__attribute__((constructor)) static void find_next(void) {
    if (exthost_is_fully_static()) return;
    next_open = (Open *)dlsym(RTLD_NEXT, "dlopen");
    next_report = (Report *)dlsym(RTLD_NEXT, "dlerror");
}

void *dlopen(const char *file, int mode) {
    if (exthost_is_fully_static()) {
        refusal = "notSimulated: a fully static program cannot load a library. Make the bundle with "
                  "exthostctl bundle --dynamic";
        return NULL;
    }
    // A library's own constructor may come here first.
    if (next_open == NULL) find_next();
    // A tail call: the loader finds the caller's run path by the address to which it returns.
    if (file == NULL || !exthost_has_own_swift_runtime()) {
        __attribute__((musttail)) return next_open(file, mode);
    }
    void *known = next_open(file, RTLD_LAZY | RTLD_NOLOAD);
    if (known != NULL) dlclose(known);
    void *library = next_open(file, mode);
    void *runtime = library == NULL || known != NULL ? NULL : dlsym(library, "swift_retain");
    if (runtime != NULL && runtime != (void *)swift_retain) {
        dprintf(STDERR_FILENO,
            "exthost: %s brings a second Swift runtime, because this program has its own (-static-stdlib): no "
            "Swift class of it is found. Make the bundle with exthostctl bundle --dynamic\n",
            file);
    }
    // A missing symbol is not the caller's error.
    if (library != NULL) next_report();
    return library;
}

char *dlerror(void) {
    if (refusal != NULL) {
        char *text = (char *)refusal;
        refusal = NULL;
        return text;
    }
    if (exthost_is_fully_static()) return NULL;
    if (next_report == NULL) find_next();
    __attribute__((musttail)) return next_report();
}

#endif
