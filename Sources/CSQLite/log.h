// Damage in SQLite's write-ahead log; private to this module.
#pragma once
#include "end.h"

#include <sqlite3.h>

/// The sizes in bytes of the log's header, of a frame's header, and of a frame.
enum { log_header_size = 32, frame_header_size = 24, frame_size = frame_header_size + page_size };

enum {
    /// The pages of the database keep bytes free for the mark of a damaged page.
    log_marks = 1,
    /// Flipped bits are put right in the file, or get a right sum, so that SQLite does not drop what
    /// follows. Only while no other connection uses the log.
    log_repairs = 2,
    /// Each commit waited for the disk.
    log_is_durable = 4,
};

/// Looks for damage in all frames, and notes their pages, and whether SQLite drops commits.
///
/// `end` is where the log ended after the last commit, or null if that is unknown.
int examine_log(sqlite3_file *log, sqlite3_file *database, int flags, const log_end *end,
                page_faults *faults);

/// Whether a frame is the last one of a commit.
bool is_commit(const uint8_t *frame);

/// The end of a log whose last frame has this header, at this offset.
log_end end_of(const uint8_t *header, int64_t offset);

/// Checks a page that was read at an offset of the log: puts one flipped bit right, and notes the page
/// if anything was wrong.
int check_log_page(sqlite3_file *log, sqlite3_file *database, bool marks, uint8_t *page,
                   int64_t offset, page_faults *faults);

/// Whether the log has a newer content of a page.
bool log_has_page(sqlite3_file *log, sqlite3_file *database, uint32_t page);

/// Puts one flipped bit of a frame right that was read while SQLite takes over a log that was left behind:
/// where the folder is not writable, nobody else did.
int check_log_frame(sqlite3_file *log, sqlite3_file *database, uint8_t *frame, int64_t offset);
