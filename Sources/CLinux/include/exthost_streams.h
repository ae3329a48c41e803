// The C library's streams, which Swift sees as unsafe globals.

#ifndef EXTHOST_STREAMS_H
#define EXTHOST_STREAMS_H

/// setvbuf(3): standard output is written at the end of each line, also to a pipe.
void exthost_line_buffer_output(void);

/// fflush(3) of standard output.
void exthost_flush_output(void);

#endif
