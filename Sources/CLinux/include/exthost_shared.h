// exthost_shared: atomic words in memory that two processes share.

#ifndef EXTHOST_SHARED_H
#define EXTHOST_SHARED_H

#include <stdint.h>

/// Reads a word; what its writer wrote before it is then visible, too.
static inline uint64_t exthost_shared_load(const void *word) {
    return __atomic_load_n((const uint64_t *)word, __ATOMIC_ACQUIRE);
}

/// Writes a word, after everything that was written before.
static inline void exthost_shared_store(void *word, uint64_t value) {
    __atomic_store_n((uint64_t *)word, value, __ATOMIC_RELEASE);
}

/// Replaces a word, in one order for all threads of both processes; returns the former value.
static inline uint64_t exthost_shared_exchange(void *word, uint64_t value) {
    return __atomic_exchange_n((uint64_t *)word, value, __ATOMIC_SEQ_CST);
}

/// Orders all reads and writes before it before all that follow.
static inline void exthost_shared_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

#endif
