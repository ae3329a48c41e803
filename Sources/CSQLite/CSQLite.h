// CSQLite: the system's sqlite3.h, for Swift.

#include <sqlite3.h>
