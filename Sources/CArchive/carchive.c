#define _GNU_SOURCE
#include "carchive.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

struct carchive_reader {
    _Atomic long references;
    struct archive *archive;
    struct archive_entry *entry;
    const char *path;
    void *context;
    carchive_filler fill;
    carchive_seeker seek;
    /// The last input buffer, which libarchive may read until it asks for more.
    uint8_t *input;
    size_t input_count;
};

static la_ssize_t on_read(struct archive *archive, void *reader, const void **bytes) {
    carchive_reader *self = reader;
    self->input_count = 0;
    if (!self->fill(self->context)) return ARCHIVE_FATAL;
    *bytes = self->input;
    return (la_ssize_t)self->input_count;
}

static la_int64_t on_seek(struct archive *archive, void *reader, la_int64_t offset, int whence) {
    carchive_reader *self = reader;
    int64_t place = self->seek(self->context, offset, whence);
    return place < 0 ? ARCHIVE_FATAL : place;
}

carchive_reader *carchive_new(bool is_zip, void *context, carchive_filler fill,
                              carchive_seeker seek) {
    carchive_reader *reader = malloc(sizeof *reader);
    if (!reader) return NULL;
    *reader = (carchive_reader){
        .references = 1,
        .archive = archive_read_new(),
        .context = context,
        .fill = fill,
        .seek = seek,
    };
    if (!reader->archive) {
        carchive_release(reader);
        return NULL;
    }
    if (is_zip) {
        archive_read_support_format_zip(reader->archive);
    } else {
        archive_read_support_filter_gzip(reader->archive);
        archive_read_support_format_raw(reader->archive);
    }
    archive_read_set_callback_data(reader->archive, reader);
    archive_read_set_read_callback(reader->archive, on_read);
    if (seek) archive_read_set_seek_callback(reader->archive, on_seek);
    return reader;
}

void carchive_retain(carchive_reader *reader) { reader->references++; }

void carchive_release(carchive_reader *reader) {
    if (--reader->references) return;
    if (reader->archive) archive_read_free(reader->archive);
    free(reader->input);
    free(reader);
}

bool carchive_give(carchive_reader *reader, const uint8_t *bytes, size_t count) {
    uint8_t *input = realloc(reader->input, count ? count : 1);
    if (!input) return false;
    reader->input = input;
    reader->input_count = count;
    memcpy(input, bytes, count);
    return true;
}

bool carchive_open(carchive_reader *reader) {
    return archive_read_open1(reader->archive) == ARCHIVE_OK;
}

static int read_header(carchive_reader *reader) {
    reader->entry = NULL;
    int code = archive_read_next_header(reader->archive, &reader->entry);
    if (!reader->entry) return code;
    // The name as stored, in whatever encoding, or else as libarchive converts it to UTF-8.
    reader->path = archive_entry_pathname(reader->entry);
    if (!reader->path) reader->path = archive_entry_pathname_utf8(reader->entry);
    return code;
}

enum carchive_step carchive_next(carchive_reader *reader) {
    // libarchive converts names to the thread's locale, and fails for characters it lacks.
    locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = locale ? uselocale(locale) : (locale_t)0;
    int code = read_header(reader);
    if (before) uselocale(before);
    if (locale) freelocale(locale);
    switch (code) {
    // Warnings concern names or attributes that Wake does not need.
    case ARCHIVE_OK:
    case ARCHIVE_WARN: return reader->entry ? carchive_step_done : carchive_step_ended;
    case ARCHIVE_EOF: return carchive_step_ended;
    default: return carchive_step_failed;
    }
}

const char *carchive_path(carchive_reader *reader) { return reader->path; }

bool carchive_is_file(carchive_reader *reader) {
    __LA_MODE_T kind = archive_entry_filetype(reader->entry);
    return kind == AE_IFREG || kind == 0;
}

bool carchive_is_encrypted(carchive_reader *reader) {
    return archive_entry_is_data_encrypted(reader->entry) == 1;
}

ptrdiff_t carchive_read(carchive_reader *reader, void *into, size_t room) {
    return archive_read_data(reader->archive, into, room);
}

const char *carchive_reason(carchive_reader *reader) {
    return archive_error_string(reader->archive);
}
