// counted_heap: a counting allocator in front of the C library's, for each program that links it.

#ifndef COUNTED_HEAP_H
#define COUNTED_HEAP_H

/// Starts to count the allocations of this thread, including freed ones.
void counted_heap_begin(void);

/// Returns the number of allocations since the start of the count.
long counted_heap_end(void);

#endif
