#include "cyajl.h"

#include <stdlib.h>
#include <yajl/yajl_parse.h>

struct cyajl_parser {
    _Atomic long references;
    yajl_handle handle;
    void *context;
    cyajl_taker take;
};

static int hand(void *parser, enum cyajl_event event, const uint8_t *bytes, size_t count) {
    cyajl_parser *self = parser;
    return self->take(self->context, event, bytes, count);
}

static int on_null(void *parser) { return hand(parser, cyajl_event_null, NULL, 0); }

static int on_boolean(void *parser, int value) {
    return hand(parser, value ? cyajl_event_true : cyajl_event_false, NULL, 0);
}

static int on_number(void *parser, const char *text, size_t count) {
    return hand(parser, cyajl_event_number, (const uint8_t *)text, count);
}

static int on_string(void *parser, const unsigned char *text, size_t count) {
    return hand(parser, cyajl_event_string, text, count);
}

static int on_key(void *parser, const unsigned char *text, size_t count) {
    return hand(parser, cyajl_event_key, text, count);
}

static int on_start_object(void *parser) { return hand(parser, cyajl_event_startObject, NULL, 0); }

static int on_end_object(void *parser) { return hand(parser, cyajl_event_endObject, NULL, 0); }

static int on_start_array(void *parser) { return hand(parser, cyajl_event_startArray, NULL, 0); }

static int on_end_array(void *parser) { return hand(parser, cyajl_event_endArray, NULL, 0); }

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_start_object,
    .yajl_map_key = on_key,
    .yajl_end_map = on_end_object,
    .yajl_start_array = on_start_array,
    .yajl_end_array = on_end_array,
};

cyajl_parser *cyajl_new(void *context, cyajl_taker take) {
    cyajl_parser *parser = calloc(1, sizeof *parser);
    if (!parser) return NULL;
    *parser = (cyajl_parser){.references = 1, .context = context, .take = take};
    parser->handle = yajl_alloc(&callbacks, NULL, parser);
    if (parser->handle) return parser;
    cyajl_release(parser);
    return NULL;
}

void cyajl_retain(cyajl_parser *parser) { parser->references++; }

void cyajl_release(cyajl_parser *parser) {
    if (--parser->references) return;
    if (parser->handle) yajl_free(parser->handle);
    free(parser);
}

bool cyajl_parse(cyajl_parser *parser, const uint8_t *bytes, size_t count) {
    return yajl_parse(parser->handle, bytes, count) == yajl_status_ok;
}

bool cyajl_finish(cyajl_parser *parser) {
    return yajl_complete_parse(parser->handle) == yajl_status_ok;
}

size_t cyajl_consumed(cyajl_parser *parser) { return yajl_get_bytes_consumed(parser->handle); }
