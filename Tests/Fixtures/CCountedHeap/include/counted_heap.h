// counted_heap: an allocator that counts, in front of the C library's; whatever program links it has it instead.

#ifndef COUNTED_HEAP_H
#define COUNTED_HEAP_H

/// Counts from now on what this thread allocates, freed again or not.
void counted_heap_begin(void);

/// How often there was something to allocate since.
long counted_heap_end(void);

#endif
