#include "ccurl.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct ccurl_connection {
    _Atomic long references;
    CURL *handle;
    struct curl_slist *fields;
    char *method;
    /// The code of the first option that failed.
    CURLcode fault;
    CURLcode code;
    void *context;
    ccurl_body_taker take_body;
    ccurl_line_taker take_line;
    ccurl_canceller is_cancelled;
    char explanation[CURL_ERROR_SIZE];
};

static CURLcode set_up = CURLE_FAILED_INIT;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void set_up_library(void) { set_up = curl_global_init(CURL_GLOBAL_ALL); }

ccurl_connection *ccurl_new(void) {
    pthread_once(&once, set_up_library);
    if (set_up != CURLE_OK) return NULL;
    ccurl_connection *connection = calloc(1, sizeof *connection);
    if (!connection) return NULL;
    connection->references = 1;
    connection->handle = curl_easy_init();
    if (connection->handle) return connection;
    ccurl_release(connection);
    return NULL;
}

void ccurl_retain(ccurl_connection *connection) { connection->references++; }

void ccurl_release(ccurl_connection *connection) {
    if (--connection->references) return;
    if (connection->handle) curl_easy_cleanup(connection->handle);
    curl_slist_free_all(connection->fields);
    free(connection->method);
    free(connection);
}

static void note(ccurl_connection *connection, CURLcode code) {
    if (connection->fault == CURLE_OK) connection->fault = code;
}

/// A macro, because curl_easy_setopt takes values of any type and checks them at compile time.
#define SET(option, value) note(connection, curl_easy_setopt(connection->handle, option, value))

static size_t on_body(char *bytes, size_t size, size_t count, void *context) {
    ccurl_connection *self = context;
    return self->take_body(self->context, (const uint8_t *)bytes, size * count) ? size * count : 0;
}

static size_t on_line(char *bytes, size_t size, size_t count, void *context) {
    ccurl_connection *self = context;
    self->take_line(self->context, (const uint8_t *)bytes, size * count);
    return size * count;
}

static int on_progress(void *context, curl_off_t download, curl_off_t downloaded, curl_off_t upload,
                       curl_off_t uploaded) {
    ccurl_connection *self = context;
    return self->is_cancelled(self->context);
}

static void set_receivers(ccurl_connection *connection) {
    SET(CURLOPT_WRITEFUNCTION, on_body);
    SET(CURLOPT_WRITEDATA, connection);
    SET(CURLOPT_HEADERFUNCTION, on_line);
    SET(CURLOPT_HEADERDATA, connection);
    SET(CURLOPT_XFERINFOFUNCTION, on_progress);
    SET(CURLOPT_XFERINFODATA, connection);
    SET(CURLOPT_NOPROGRESS, 0L);
    SET(CURLOPT_ERRORBUFFER, connection->explanation);
}

void ccurl_begin(ccurl_connection *connection, const char *method, const char *url,
                 int64_t connect_milliseconds, int64_t total_milliseconds) {
    // This resets the options; the connection stays open.
    curl_easy_reset(connection->handle);
    curl_slist_free_all(connection->fields);
    connection->fields = NULL;
    free(connection->method);
    connection->method = strdup(method);
    connection->fault = connection->method ? CURLE_OK : CURLE_OUT_OF_MEMORY;
    connection->explanation[0] = 0;
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_PATH_AS_IS, 1L);
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)connect_milliseconds);
    SET(CURLOPT_TIMEOUT_MS, (long)total_milliseconds);
    // An empty name disables proxies, also those of the environment.
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_URL, url);
    set_receivers(connection);
}

void ccurl_use_plain(ccurl_connection *connection) { SET(CURLOPT_PROTOCOLS_STR, "http"); }

void ccurl_use_tls(ccurl_connection *connection) {
    SET(CURLOPT_PROTOCOLS_STR, "https");
    SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    // The excluded ciphers work without a certificate, so there would be no key to compare.
    SET(CURLOPT_SSL_CIPHER_LIST, "HIGH:!aNULL:!eNULL:!PSK:!SRP");
}

void ccurl_set_authorities(ccurl_connection *connection, const char *path) {
    SET(CURLOPT_CAINFO, path);
}

void ccurl_set_pin(ccurl_connection *connection, const char *pin) {
    SET(CURLOPT_PINNEDPUBLICKEY, pin);
    SET(CURLOPT_SSL_VERIFYPEER, 0L);
    SET(CURLOPT_SSL_VERIFYHOST, 0L);
}

void ccurl_add_field(ccurl_connection *connection, const char *line) {
    struct curl_slist *longer = curl_slist_append(connection->fields, line);
    if (longer) {
        connection->fields = longer;
    } else {
        note(connection, CURLE_OUT_OF_MEMORY);
    }
}

int ccurl_fault(ccurl_connection *connection) { return (int)connection->fault; }

/// `body` must outlive the transfer.
static void set_body(ccurl_connection *connection, const uint8_t *body, size_t count) {
    const char *method = connection->method;
    if (!strcmp(method, "HEAD")) {
        SET(CURLOPT_NOBODY, 1L);
    } else if (count || !strcmp(method, "POST") || !strcmp(method, "PUT")) {
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
        SET(CURLOPT_POSTFIELDS, (const void *)body);
    }
    SET(CURLOPT_CUSTOMREQUEST, method);
}

static enum ccurl_outcome outcome(CURLcode code) {
    switch (code) {
    case CURLE_OK: return ccurl_outcome_answered;
    case CURLE_ABORTED_BY_CALLBACK: return ccurl_outcome_cancelled;
    case CURLE_OPERATION_TIMEDOUT: return ccurl_outcome_timedOut;
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: return ccurl_outcome_wrongKey;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE: return ccurl_outcome_notTrusted;
    case CURLE_SSL_CONNECT_ERROR: return ccurl_outcome_handshakeFailed;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR: return ccurl_outcome_noHTTP;
    default: return ccurl_outcome_unreachable;
    }
}

enum ccurl_outcome ccurl_perform(ccurl_connection *connection, const uint8_t *body, size_t count,
                                 void *context, ccurl_body_taker take_body,
                                 ccurl_line_taker take_line, ccurl_canceller is_cancelled) {
    connection->context = context;
    connection->take_body = take_body;
    connection->take_line = take_line;
    connection->is_cancelled = is_cancelled;
    SET(CURLOPT_HTTPHEADER, connection->fields);
    set_body(connection, body, count);
    connection->code = connection->fault;
    if (connection->code == CURLE_OK) connection->code = curl_easy_perform(connection->handle);
    return outcome(connection->code);
}

int64_t ccurl_status(ccurl_connection *connection) {
    long status = 0;
    note(connection, curl_easy_getinfo(connection->handle, CURLINFO_RESPONSE_CODE, &status));
    return status;
}

const char *ccurl_reason(ccurl_connection *connection) {
    return curl_easy_strerror(connection->code);
}

const char *ccurl_explanation(ccurl_connection *connection) {
    return connection->explanation[0] ? connection->explanation : ccurl_reason(connection);
}
