// The part of libarchive, a streaming archive reader, that Wake uses.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// An archive being read; Swift manages its reference count.
struct __attribute__((swift_attr("import_reference")))
__attribute__((swift_attr("retain:carchive_retain")))
__attribute__((swift_attr("release:carchive_release"))) carchive_reader;
typedef struct carchive_reader carchive_reader;

/// Passes the next bytes to `carchive_give`; returns false on an error.
typedef bool (*carchive_filler)(void *context);

/// Seeks like lseek(2); returns the new position, or a negative number on an error.
typedef int64_t (*carchive_seeker)(void *context, int64_t offset, int whence);

/// Creates a reader for a zip archive, or for one gzip file. Returns null if out of memory. The
/// context must outlive all reads. Without a seeker the input is read sequentially.
carchive_reader *_Nullable carchive_new(bool is_zip, void *context, carchive_filler fill,
                                        carchive_seeker _Nullable seek)
    __attribute__((swift_attr("returns_retained")));
void carchive_retain(carchive_reader *reader);
void carchive_release(carchive_reader *reader);

/// Copies input bytes for the reader; zero bytes mean the end. Returns false if out of memory.
bool carchive_give(carchive_reader *reader, const uint8_t *bytes, size_t count);

/// The result of moving to the next entry.
enum __attribute__((enum_extensibility(closed))) carchive_step {
    carchive_step_done,
    carchive_step_ended,
    carchive_step_failed,
};

/// Reads the start of the archive; returns false on an error.
bool carchive_open(carchive_reader *reader);

/// Moves to the next entry.
enum carchive_step carchive_next(carchive_reader *reader);

/// The entry's path, in UTF-8 if it can be converted; valid until the next entry.
const char *_Nullable carchive_path(carchive_reader *reader);

/// Whether the entry is a regular file, or has no file type.
bool carchive_is_file(carchive_reader *reader);
bool carchive_is_encrypted(carchive_reader *reader);

/// Reads from the entry; returns the byte count, 0 at its end, or a negative number on an error.
ptrdiff_t carchive_read(carchive_reader *reader, void *_Nullable into, size_t room);

/// libarchive's message for the last error; valid until the next call.
const char *_Nullable carchive_reason(carchive_reader *reader);

#pragma clang assume_nonnull end
