// counted_heap: defines malloc(3) and its relatives. The linker prefers the program's functions to the library's, also
// for calls within the library.

#include "counted_heap.h"

#include <errno.h>
#include <stddef.h>

static __thread long count;
static __thread int counts;

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
    count += counts;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count += counts;
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count += counts;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count += counts;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    count += counts;
    *result = __libc_memalign(alignment, size);
    return *result == NULL ? ENOMEM : 0;
}

void counted_heap_begin(void) {
    count = 0;
    counts = 1;
}

long counted_heap_end(void) {
    counts = 0;
    return count;
}
