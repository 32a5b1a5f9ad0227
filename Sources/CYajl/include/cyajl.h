// The calls that Wake needs of yajl, which reads JSON piece by piece.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A parser; Swift counts its references.
struct __attribute__((swift_attr("import_reference")))
__attribute__((swift_attr("retain:cyajl_retain")))
__attribute__((swift_attr("release:cyajl_release"))) cyajl_parser;
typedef struct cyajl_parser cyajl_parser;

/// What a document is made of.
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

/// Takes an event, with the bytes of a number, a string or a key; false ends the reading.
typedef bool (*cyajl_taker)(void *context, enum cyajl_event event, const uint8_t *_Nullable bytes,
                            size_t count);

/// Null without memory. The context must live as long as something is parsed.
cyajl_parser *_Nullable cyajl_new(void *context, cyajl_taker take)
    __attribute__((swift_attr("returns_retained")));
void cyajl_retain(cyajl_parser *parser);
void cyajl_release(cyajl_parser *parser);

/// Reads on; false at an error, and where the taker ended it.
bool cyajl_parse(cyajl_parser *parser, const uint8_t *bytes, size_t count);

/// Whether the document ended.
bool cyajl_finish(cyajl_parser *parser);

/// How many bytes of the last piece were read before the error.
size_t cyajl_consumed(cyajl_parser *parser);

#pragma clang assume_nonnull end
