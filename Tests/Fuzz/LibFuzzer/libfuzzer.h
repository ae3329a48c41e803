// What libFuzzer offers to a mutator of one's own; it ships no header for it.

#ifndef LIBFUZZER_H
#define LIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Changes `size` bytes in place, to at most `maximum`; returns how many there are now.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maximum);

#endif
