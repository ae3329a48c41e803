// libfuzzer: libFuzzer's function for custom mutators; libFuzzer ships no header.

#ifndef LIBFUZZER_H
#define LIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Mutates `size` bytes in place, up to `maximum`. Returns the new size.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maximum);

#endif
