// main_queue: libdispatch exports these for run loops; CoreFoundation stands on them on every system (CFRunLoop.c
// there).

#include "main_queue.h"

#include <stddef.h>

int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);

int exthost_main_queue_descriptor(void) { return _dispatch_get_main_queue_handle_4CF(); }

void exthost_main_queue_run(void) { _dispatch_main_queue_callback_4CF(NULL); }
