// exthost_streams: buffering of the C library's standard output, a global that Swift considers unsafe.

#ifndef EXTHOST_STREAMS_H
#define EXTHOST_STREAMS_H

/// Makes standard output line-buffered, also to a pipe (setvbuf(3)).
void exthost_line_buffer_output(void);

/// Flushes standard output (fflush(3)).
void exthost_flush_output(void);

#endif
