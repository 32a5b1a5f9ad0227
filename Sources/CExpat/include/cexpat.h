// The calls that Wake needs of expat, which reads XML piece by piece.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A parser; Swift counts its references.
struct __attribute__((swift_attr("import_reference")))
__attribute__((swift_attr("retain:cexpat_retain")))
__attribute__((swift_attr("release:cexpat_release"))) cexpat_parser;
typedef struct cexpat_parser cexpat_parser;

/// One attribute of a start tag; the value is UTF-8 as the name is, and not ended by 0.
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

/// A parser that tells of tags, of the text between them, and of a document type.
///
/// Null without memory. The context must live as long as something is parsed.
cexpat_parser *_Nullable cexpat_new(void *context, cexpat_starter start, cexpat_ender end,
                                    cexpat_writer text, cexpat_typer document_type)
    __attribute__((swift_attr("returns_retained")));
void cexpat_retain(cexpat_parser *parser);
void cexpat_release(cexpat_parser *parser);

/// Reads on, from an offset of bytes: 0, or the code of an error.
int cexpat_parse(cexpat_parser *parser, const uint8_t *_Nullable bytes, size_t offset, size_t count,
                 bool is_final);

/// The code where something is parsed after a document was read to its end.
#define CEXPAT_FINISHED 36

/// Ends the reading; one more tag may still be told of.
void cexpat_stop(cexpat_parser *parser);

/// Where the reading is: bytes since the start of the document, line from 1, column from 0.
int64_t cexpat_offset(cexpat_parser *parser);
int64_t cexpat_line(cexpat_parser *parser);
int64_t cexpat_column(cexpat_parser *parser);

#pragma clang assume_nonnull end
