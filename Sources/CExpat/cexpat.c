#include "cexpat.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(CEXPAT_FINISHED == XML_ERROR_FINISHED, "the code of expat");

struct cexpat_parser {
    _Atomic long references;
    XML_Parser handle;
    void *context;
    cexpat_starter start;
    cexpat_ender end;
    cexpat_writer text;
    cexpat_typer document_type;
    /// The buffer for the attributes of one tag.
    cexpat_attribute *attributes;
    size_t room;
};

/// Returns space for one more attribute, or null if out of memory.
static cexpat_attribute *attribute(cexpat_parser *self, size_t index) {
    if (index == self->room) {
        size_t room = self->room ? self->room * 2 : 16;
        cexpat_attribute *larger = realloc(self->attributes, room * sizeof *larger);
        if (!larger) return NULL;
        self->attributes = larger;
        self->room = room;
    }
    return self->attributes + index;
}

static void on_start(void *parser, const char *name, const char **values) {
    cexpat_parser *self = parser;
    size_t count = 0;
    for (; values[0]; values += 2, count++) {
        cexpat_attribute *next = attribute(self, count);
        if (!next) abort();
        *next = (cexpat_attribute){values[0], (const uint8_t *)values[1], strlen(values[1])};
    }
    self->start(self->context, name, self->attributes, count);
}

static void on_end(void *parser, const char *name) {
    cexpat_parser *self = parser;
    self->end(self->context, name);
}

static void on_text(void *parser, const char *text, int count) {
    cexpat_parser *self = parser;
    self->text(self->context, (const uint8_t *)text, (size_t)count);
}

static void on_document_type(void *parser, const char *name, const char *system,
                             const char *public, int has_subset) {
    cexpat_parser *self = parser;
    self->document_type(self->context);
}

cexpat_parser *cexpat_new(void *context, cexpat_starter start, cexpat_ender end,
                          cexpat_writer text, cexpat_typer document_type) {
    cexpat_parser *parser = malloc(sizeof *parser);
    if (!parser) return NULL;
    *parser = (cexpat_parser){
        .references = 1,
        .handle = XML_ParserCreate(NULL),
        .context = context,
        .start = start,
        .end = end,
        .text = text,
        .document_type = document_type,
    };
    if (!parser->handle) {
        cexpat_release(parser);
        return NULL;
    }
    XML_SetUserData(parser->handle, parser);
    XML_SetElementHandler(parser->handle, on_start, on_end);
    XML_SetCharacterDataHandler(parser->handle, on_text);
    XML_SetStartDoctypeDeclHandler(parser->handle, on_document_type);
    return parser;
}

void cexpat_retain(cexpat_parser *parser) { parser->references++; }

void cexpat_release(cexpat_parser *parser) {
    if (--parser->references) return;
    if (parser->handle) XML_ParserFree(parser->handle);
    free(parser->attributes);
    free(parser);
}

int cexpat_parse(cexpat_parser *parser, const uint8_t *bytes, size_t offset, size_t count,
                 bool is_final) {
    const char *start = bytes ? (const char *)bytes + offset : NULL;
    if (XML_Parse(parser->handle, start, (int)count, is_final) == XML_STATUS_OK) return 0;
    return XML_GetErrorCode(parser->handle);
}

void cexpat_stop(cexpat_parser *parser) { XML_StopParser(parser->handle, XML_FALSE); }

int64_t cexpat_offset(cexpat_parser *parser) { return XML_GetCurrentByteIndex(parser->handle); }

int64_t cexpat_line(cexpat_parser *parser) {
    return (int64_t)XML_GetCurrentLineNumber(parser->handle);
}

int64_t cexpat_column(cexpat_parser *parser) {
    return (int64_t)XML_GetCurrentColumnNumber(parser->handle);
}
