// A mark of where the write-ahead log ended after the last commit.
//
// If the end of the log is cut off, damaged or removed, SQLite silently recovers fewer commits. The mark
// shows the loss to the process that opens the database first. It is written after each commit that
// waited for the disk, and not synced: after a power failure it may be older than the log, and then no
// loss is reported.
//
// When SQLite removes the log, the mark is removed first. On a file system that does not keep this order,
// a power failure may leave the mark without the log, and the next process reports a loss that did not
// happen. A sync would prevent that, and cost each program one at its end.

#include "end.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { end_size = 16 };

/// The name of the mark, in the form that SQLite demands; null without memory.
static char *mark_name(const char *log_name) {
    static const char suffix[] = "end";
    size_t length = strlen(log_name);
    char *name = sqlite3_mprintf("%.*s%s", (int)(length - (sizeof suffix - 1)), log_name, suffix);
    if (!name) return NULL;
    char *made = (char *)sqlite3_create_filename(name, "", "", 0, NULL);
    sqlite3_free(name);
    return made;
}

/// Opens the mark as a journal: for the name with a hyphen SQLite takes the permissions of the database.
static bool open_end(end_mark *mark, sqlite3_vfs *vfs, const char *log_name, bool creates) {
    if (mark->file) return true;
    mark->name = mark_name(log_name);
    mark->file = calloc(1, (size_t)vfs->szOsFile);
    int flags = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_READWRITE, given = 0;
    if (creates) flags |= SQLITE_OPEN_CREATE;
    if (mark->name && mark->file
        && vfs->xOpen(vfs, mark->name, mark->file, flags, &given) == SQLITE_OK)
        return true;
    close_end(mark);
    return false;
}

void close_end(end_mark *mark) {
    if (mark->file && mark->file->pMethods) mark->file->pMethods->xClose(mark->file);
    free(mark->file);
    if (mark->name) sqlite3_free_filename(mark->name);
    *mark = (end_mark){0};
}

bool read_end(end_mark *mark, sqlite3_vfs *vfs, const char *log_name, log_end *end) {
    uint8_t bytes[end_size];
    if (!open_end(mark, vfs, log_name, false)) return false;
    if (mark->file->pMethods->xRead(mark->file, bytes, end_size, 0) != SQLITE_OK) return false;
    memcpy(end->salts, bytes, 8);
    end->frames = number_at(bytes + 8);
    return end->frames && number_at(bytes + 12) == crc32(0, bytes, 12);
}

void write_end(end_mark *mark, sqlite3_vfs *vfs, const char *log_name, const log_end *end) {
    uint8_t bytes[end_size];
    memcpy(bytes, end->salts, 8);
    put_number(bytes + 8, end->frames);
    put_number(bytes + 12, (uint32_t)crc32(0, bytes, 12));
    if (open_end(mark, vfs, log_name, true))
        mark->file->pMethods->xWrite(mark->file, bytes, end_size, 0);
}

int clear_end(end_mark *mark, sqlite3_vfs *vfs, const char *log_name) {
    uint8_t bytes[end_size] = {0};
    if (!open_end(mark, vfs, log_name, false)) return SQLITE_OK;
    int code = mark->file->pMethods->xWrite(mark->file, bytes, end_size, 0);
    return code == SQLITE_OK ? mark->file->pMethods->xSync(mark->file, SQLITE_SYNC_NORMAL) : code;
}

void remove_end(sqlite3_vfs *vfs, const char *log_name) {
    char *name = mark_name(log_name);
    if (!name) return;
    vfs->xDelete(vfs, name, 0);
    sqlite3_free_filename(name);
}
