// The part of expat, a streaming XML parser, that Wake uses.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A parser; Swift manages its reference count.
struct __attribute__((swift_attr("import_reference")))
__attribute__((swift_attr("retain:cexpat_retain")))
__attribute__((swift_attr("release:cexpat_release"))) cexpat_parser;
typedef struct cexpat_parser cexpat_parser;

/// One attribute of a start tag. Name and value are UTF-8; the value has `count` bytes.
typedef struct {
    const char *name;
    const uint8_t *value;
    size_t count;
} cexpat_attribute;

typedef void (*cexpat_starter)(void *context, const char *name,
                               const cexpat_attribute *_Nullable attributes, size_t count);
typedef void (*cexpat_ender)(void *context, const char *name);
typedef void (*cexpat_writer)(void *context, const uint8_t *bytes, size_t count);
typedef void (*cexpat_typer)(void *context);

/// Creates a parser that reports tags, the text between them, and a document type.
///
/// Returns null if out of memory. The context must outlive all parsing.
cexpat_parser *_Nullable cexpat_new(void *context, cexpat_starter start, cexpat_ender end,
                                    cexpat_writer text, cexpat_typer document_type)
    __attribute__((swift_attr("returns_retained")));
void cexpat_retain(cexpat_parser *parser);
void cexpat_release(cexpat_parser *parser);

/// Parses `count` bytes from `offset` on; returns 0 or an error code.
int cexpat_parse(cexpat_parser *parser, const uint8_t *_Nullable bytes, size_t offset, size_t count,
                 bool is_final);

/// The error code for input after the end of the document.
#define CEXPAT_FINISHED 36

/// Stops parsing; one more tag may still be reported.
void cexpat_stop(cexpat_parser *parser);

/// The current position: byte offset from 0, line from 1, column from 0.
int64_t cexpat_offset(cexpat_parser *parser);
int64_t cexpat_line(cexpat_parser *parser);
int64_t cexpat_column(cexpat_parser *parser);

#pragma clang assume_nonnull end
