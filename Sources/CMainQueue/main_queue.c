// main_queue: calls the functions that libdispatch exports for run loops. CoreFoundation uses them on every system
// (CFRunLoop.c).

#include "main_queue.h"

#include <stddef.h>

int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);

int exthost_main_queue_descriptor(void) { return _dispatch_get_main_queue_handle_4CF(); }

void exthost_main_queue_run(void) { _dispatch_main_queue_callback_4CF(NULL); }
