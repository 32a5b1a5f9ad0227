// libcurl, with one typed function for each kind of option: curl_easy_setopt is variadic, which
// Swift cannot call.
#pragma once
#include <curl/curl.h>
#include <stdint.h>

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *handle, CURLoption option, int64_t value) {
    return curl_easy_setopt(handle, option, (curl_off_t)value);
}

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

/// For the body and for the lines of the head; a count other than `size * count` aborts.
static inline CURLcode ccurl_set_receiver(CURL *handle, CURLoption option,
                                          size_t (*receiver)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(handle, option, receiver);
}

/// Called at least once a second; anything but 0 aborts.
static inline CURLcode ccurl_set_progress(CURL *handle,
                                          int (*progress)(void *, curl_off_t, curl_off_t,
                                                          curl_off_t, curl_off_t)) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress);
}

static inline CURLcode ccurl_status(CURL *handle, long *status) {
    return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}
