// The calls that Wake needs of libarchive, which reads an archive entry by entry.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// An archive that is read; Swift counts its references.
struct __attribute__((swift_attr("import_reference")))
__attribute__((swift_attr("retain:carchive_retain")))
__attribute__((swift_attr("release:carchive_release"))) carchive_reader;
typedef struct carchive_reader carchive_reader;

/// Hands the next bytes over with `carchive_give`; false where they cannot be had.
typedef bool (*carchive_filler)(void *context);

/// Goes to an offset, as lseek(2) does; returns the place, or less than 0.
typedef int64_t (*carchive_seeker)(void *context, int64_t offset, int whence);

/// A zip archive, or one file in gzip. Null without memory. The context must live as long as
/// something is read; without a seeker the bytes come in their order.
carchive_reader *_Nullable carchive_new(bool is_zip, void *context, carchive_filler fill,
                                        carchive_seeker _Nullable seek)
    __attribute__((swift_attr("returns_retained")));
void carchive_retain(carchive_reader *reader);
void carchive_release(carchive_reader *reader);

/// Copies bytes for the reader that asks for them; none at the end. False without memory.
bool carchive_give(carchive_reader *reader, const uint8_t *bytes, size_t count);

/// What an attempt to go on came to.
enum __attribute__((enum_extensibility(closed))) carchive_step {
    carchive_step_done,
    carchive_step_ended,
    carchive_step_failed,
};

/// Reads the archive's beginning; false where it fails.
bool carchive_open(carchive_reader *reader);

/// Goes to the next entry.
enum carchive_step carchive_next(carchive_reader *reader);

/// Name of the entry with its folders, in UTF-8 if it can be told so; lives until the next entry.
const char *_Nullable carchive_path(carchive_reader *reader);

/// Whether the entry is a file, or does not say what it is.
bool carchive_is_file(carchive_reader *reader);
bool carchive_is_encrypted(carchive_reader *reader);

/// Reads the entry on; returns the count, 0 at its end, less than 0 where it fails.
ptrdiff_t carchive_read(carchive_reader *reader, void *_Nullable into, size_t room);

/// What went wrong last, in the words of libarchive; lives until the next call.
const char *_Nullable carchive_reason(carchive_reader *reader);

#pragma clang assume_nonnull end
