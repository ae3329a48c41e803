// curl: libcurl's variadic functions with fixed types.

#include "CCurlShims.h"

CURLcode exthost_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode exthost_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode exthost_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode exthost_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode exthost_curl_set_callbacks(CURL *easy, const struct exthost_curl_callbacks *callbacks, bool is_upload) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callbacks->header);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_HEADERDATA, callbacks->context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callbacks->body);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, callbacks->context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, callbacks->progress);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_XFERINFODATA, callbacks->context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    if (code || !is_upload) return code;
    code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, callbacks->read);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_READDATA, callbacks->context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, callbacks->seek);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_SEEKDATA, callbacks->context);
    return code;
}

CURLcode exthost_curl_set_buffer(CURL *easy, void *tag, char *error) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PRIVATE, tag);
    return code ? code : curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error);
}

void *exthost_curl_tag(CURL *easy) {
    char *tag = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &tag);
    return tag;
}

long exthost_curl_status(CURL *easy) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

const char *exthost_curl_url(CURL *easy) {
    char *url = NULL;
    curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &url);
    return url;
}

CURLMcode exthost_curl_multi_set_callbacks(CURLM *multi, const struct exthost_curl_multi_callbacks *callbacks) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callbacks->socket);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, callbacks->context);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callbacks->timer);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, callbacks->context);
    return code;
}

CURLMcode exthost_curl_multi_set_connections(CURLM *multi, long most) {
    return curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, most);
}
