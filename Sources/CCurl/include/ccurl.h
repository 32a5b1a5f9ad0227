// The part of libcurl that Wake uses; none of its types or options reaches Swift.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A function that does not keep its texts after the call, so Swift may pass a String.
#define CCURL_SAFE __attribute__((swift_attr("safe")))

/// A connection, reused for several requests; Swift manages its reference count.
struct __attribute__((swift_attr("import_reference")))
__attribute__((swift_attr("retain:ccurl_retain")))
__attribute__((swift_attr("release:ccurl_release"))) ccurl_connection;
typedef struct ccurl_connection ccurl_connection;

/// Returns null if out of memory, or if libcurl could not be initialised.
ccurl_connection *_Nullable ccurl_new(void) __attribute__((swift_attr("returns_retained")));
void ccurl_retain(ccurl_connection *connection);
void ccurl_release(ccurl_connection *connection);

/// Resets the last request and begins one. It uses no proxy and follows no redirects.
void ccurl_begin(ccurl_connection *connection, const char *method, const char *url,
                 int64_t connect_milliseconds, int64_t total_milliseconds) CCURL_SAFE;

/// Allows only http, or only https with TLS 1.2 or later.
void ccurl_use_plain(ccurl_connection *connection);
void ccurl_use_tls(ccurl_connection *connection);

/// Reads trusted certificates from a file instead of the system's store.
void ccurl_set_authorities(ccurl_connection *connection, const char *path) CCURL_SAFE;

/// Trusts only one key, `sha256//` with its Base64 digest, whatever its certificate says.
void ccurl_set_pin(ccurl_connection *connection, const char *pin) CCURL_SAFE;

/// Adds a header line: "name: value"; "name;" for an empty value; "name:" removes libcurl's own.
void ccurl_add_field(ccurl_connection *connection, const char *line) CCURL_SAFE;

/// Returns 0, or libcurl's code for the first option that failed since the request began.
int ccurl_fault(ccurl_connection *connection);

/// The result of a request.
enum __attribute__((enum_extensibility(closed))) ccurl_outcome {
    ccurl_outcome_answered,
    ccurl_outcome_cancelled,
    ccurl_outcome_timedOut,
    ccurl_outcome_wrongKey,
    ccurl_outcome_notTrusted,
    ccurl_outcome_handshakeFailed,
    /// The reply is not HTTP.
    ccurl_outcome_noHTTP,
    ccurl_outcome_unreachable,
};

/// Receives a piece of the body; returning false cancels the request.
typedef bool (*ccurl_body_taker)(void *context, const uint8_t *bytes, size_t count);
/// Receives a header line with its line end.
typedef void (*ccurl_line_taker)(void *context, const uint8_t *bytes, size_t count);
/// Called at least once a second; returning true cancels the request.
typedef bool (*ccurl_canceller)(void *context);

/// Sends the request with a body, and blocks until the reply is complete.
enum ccurl_outcome ccurl_perform(ccurl_connection *connection, const uint8_t *body, size_t count,
                                 void *context, ccurl_body_taker take_body,
                                 ccurl_line_taker take_line, ccurl_canceller is_cancelled);

/// The status code of the reply.
int64_t ccurl_status(ccurl_connection *connection);

/// The general message for the outcome, and a specific message if libcurl has one, else the general
/// one. Both are valid until the next request.
const char *ccurl_reason(ccurl_connection *connection);
const char *ccurl_explanation(ccurl_connection *connection);

#pragma clang assume_nonnull end
