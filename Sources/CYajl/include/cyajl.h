// The part of yajl, a streaming JSON parser, that Wake uses.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A parser; Swift manages its reference count.
struct __attribute__((swift_attr("import_reference")))
__attribute__((swift_attr("retain:cyajl_retain")))
__attribute__((swift_attr("release:cyajl_release"))) cyajl_parser;
typedef struct cyajl_parser cyajl_parser;

/// An element of a document.
enum __attribute__((enum_extensibility(closed))) cyajl_event {
    cyajl_event_null,
    cyajl_event_false,
    cyajl_event_true,
    cyajl_event_number,
    cyajl_event_string,
    cyajl_event_startObject,
    cyajl_event_key,
    cyajl_event_endObject,
    cyajl_event_startArray,
    cyajl_event_endArray,
};

/// Receives an event with the bytes of a number, string or key; returning false stops the parser.
typedef bool (*cyajl_taker)(void *context, enum cyajl_event event, const uint8_t *_Nullable bytes,
                            size_t count);

/// Returns null if out of memory. The context must outlive all parsing.
cyajl_parser *_Nullable cyajl_new(void *context, cyajl_taker take)
    __attribute__((swift_attr("returns_retained")));
void cyajl_retain(cyajl_parser *parser);
void cyajl_release(cyajl_parser *parser);

/// Parses more bytes; returns false on an error or if the callback stopped the parser.
bool cyajl_parse(cyajl_parser *parser, const uint8_t *bytes, size_t count);

/// Ends the input; returns whether the document is complete.
bool cyajl_finish(cyajl_parser *parser);

/// The bytes of the last input that were parsed before the error.
size_t cyajl_consumed(cyajl_parser *parser);

#pragma clang assume_nonnull end
