#include "system_call_filter.h"
