// CCurl: the system's curl/curl.h, for Swift.

#include <curl/curl.h>
