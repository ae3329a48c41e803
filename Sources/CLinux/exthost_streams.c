// exthost_streams: buffering of the C library's standard output.

#include "exthost_streams.h"
#include <stdio.h>

void exthost_line_buffer_output(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

void exthost_flush_output(void) { fflush(stdout); }
