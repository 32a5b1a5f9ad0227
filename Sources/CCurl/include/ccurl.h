// The calls that Wake needs of libcurl, so that none of its types or options reaches Swift.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A function that uses its texts during the call alone: Swift may give it a String.
#define CCURL_SAFE __attribute__((swift_attr("safe")))

/// A connection that is kept from one request to the next; Swift counts its references.
struct __attribute__((swift_attr("import_reference")))
__attribute__((swift_attr("retain:ccurl_retain")))
__attribute__((swift_attr("release:ccurl_release"))) ccurl_connection;
typedef struct ccurl_connection ccurl_connection;

/// Null without memory, and where libcurl could not be set up.
ccurl_connection *_Nullable ccurl_new(void) __attribute__((swift_attr("returns_retained")));
void ccurl_retain(ccurl_connection *connection);
void ccurl_release(ccurl_connection *connection);

/// Forgets the last request, and begins one with a method that goes neither over a proxy nor on to
/// where the answer leads.
void ccurl_begin(ccurl_connection *connection, const char *method, const char *url,
                 int64_t connect_milliseconds, int64_t total_milliseconds) CCURL_SAFE;

/// Allows http alone, or https alone from TLS 1.2 on.
void ccurl_use_plain(ccurl_connection *connection);
void ccurl_use_tls(ccurl_connection *connection);

/// Reads the certificates of authorities from a file instead of where the system has them.
void ccurl_set_authorities(ccurl_connection *connection, const char *path) CCURL_SAFE;

/// Trusts one key, `sha256//` and its digest in Base64, whatever its certificate says.
void ccurl_set_pin(ccurl_connection *connection, const char *pin) CCURL_SAFE;

/// Adds a line to the head: "name: value", "name;" without a value, "name:" for none of libcurl's.
void ccurl_add_field(ccurl_connection *connection, const char *line) CCURL_SAFE;

/// 0, or libcurl's code where it lacked an option or memory since the request began.
int ccurl_fault(ccurl_connection *connection);

/// What a request came to.
enum __attribute__((enum_extensibility(closed))) ccurl_outcome {
    ccurl_outcome_answered,
    ccurl_outcome_cancelled,
    ccurl_outcome_timedOut,
    ccurl_outcome_wrongKey,
    ccurl_outcome_notTrusted,
    ccurl_outcome_handshakeFailed,
    /// Something came, and it is no HTTP.
    ccurl_outcome_noHTTP,
    ccurl_outcome_unreachable,
};

/// Takes a piece of the body; false cancels.
typedef bool (*ccurl_body_taker)(void *context, const uint8_t *bytes, size_t count);
/// Takes a line of the head, with its line end.
typedef void (*ccurl_line_taker)(void *context, const uint8_t *bytes, size_t count);
/// Asked at least once a second; true cancels.
typedef bool (*ccurl_canceller)(void *context);

/// Sends the request with a body, and waits for the answer on this thread.
enum ccurl_outcome ccurl_perform(ccurl_connection *connection, const uint8_t *body, size_t count,
                                 void *context, ccurl_body_taker take_body,
                                 ccurl_line_taker take_line, ccurl_canceller is_cancelled);

/// The status of the answer.
int64_t ccurl_status(ccurl_connection *connection);

/// What the outcome is called, and what is said of it in this case or else what it is called; both
/// live until the next request.
const char *ccurl_reason(ccurl_connection *connection);
const char *ccurl_explanation(ccurl_connection *connection);

#pragma clang assume_nonnull end
