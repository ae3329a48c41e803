/* CCurlShims: the variadic functions of libcurl, which Swift cannot call. Also sys/epoll.h, which the
 * Glibc module omits. */
#pragma once
#include <curl/curl.h>
#include <stdbool.h>
#include <sys/epoll.h>

/* The callbacks of one transfer. Each receives `context`. Each callback but `sent` may end the transfer: see
 * curl_easy_setopt(3) of WRITEFUNCTION, HEADERFUNCTION, READFUNCTION, SEEKFUNCTION and XFERINFOFUNCTION. */
struct exthost_curl_callbacks {
    void *context;
    size_t (*header)(char *bytes, size_t size, size_t count, void *context);
    size_t (*body)(char *bytes, size_t size, size_t count, void *context);
    size_t (*read)(char *bytes, size_t size, size_t count, void *context);
    int (*seek)(void *context, curl_off_t offset, int origin);
    int (*progress)(void *context, curl_off_t total, curl_off_t now, curl_off_t upload_total, curl_off_t uploaded);
};

/* The callbacks of a multi handle: CURLMOPT_SOCKETFUNCTION and CURLMOPT_TIMERFUNCTION. */
struct exthost_curl_multi_callbacks {
    void *context;
    int (*socket)(CURL *easy, curl_socket_t socket, int what, void *context, void *socket_context);
    int (*timer)(CURLM *multi, long milliseconds, void *context);
};

/* Each function returns a CURLcode, or a CURLMcode. */
CURLcode exthost_curl_set_long(CURL *easy, CURLoption option, long value);
CURLcode exthost_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value);
CURLcode exthost_curl_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode exthost_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
/* `is_upload`: whether `read` and `seek` are used. */
CURLcode exthost_curl_set_callbacks(CURL *easy, const struct exthost_curl_callbacks *callbacks, bool is_upload);
/* Sets CURLOPT_PRIVATE and CURLOPT_ERRORBUFFER, which has CURL_ERROR_SIZE bytes. */
CURLcode exthost_curl_set_buffer(CURL *easy, void *tag, char *error);

void *exthost_curl_tag(CURL *easy);
long exthost_curl_status(CURL *easy);
/* The URL after all redirects; NULL if there is none. It is valid as long as the handle. */
const char *exthost_curl_url(CURL *easy);

CURLMcode exthost_curl_multi_set_callbacks(CURLM *multi, const struct exthost_curl_multi_callbacks *callbacks);
/* Closes idle connections beyond this number. */
CURLMcode exthost_curl_multi_set_connections(CURLM *multi, long most);
