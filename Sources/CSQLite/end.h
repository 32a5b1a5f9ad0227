// Where the write-ahead log ended after the last commit; private to this module.
#pragma once
#include "pages.h"

#include <sqlite3.h>

/// The end of a log: its salts, and its frames up to the last commit.
typedef struct {
    uint8_t salts[8];
    uint32_t frames;
} log_end;

/// A small file beside the database with the end of its log.
typedef struct {
    /// Null until it is read or written.
    sqlite3_file *file;
    const char *name;
} end_mark;

/// Reads the end; returns false if there is none, or a damaged one.
bool read_end(end_mark *mark, sqlite3_vfs *vfs, const char *log_name, log_end *end);

/// Writes the end, without waiting for the disk; errors are ignored, as the log itself is whole.
void write_end(end_mark *mark, sqlite3_vfs *vfs, const char *log_name, const log_end *end);

/// Invalidates an existing mark, and waits for the disk: after a power failure the mark must not be of an
/// older log than the one that is there.
int clear_end(end_mark *mark, sqlite3_vfs *vfs, const char *log_name);

/// Removes the mark of a log that is about to be removed, or of a database that was.
void remove_end(sqlite3_vfs *vfs, const char *log_name);

void close_end(end_mark *mark);
