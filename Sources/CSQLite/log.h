// Damage in SQLite's write-ahead log; private to this module.
#pragma once
#include "pages.h"

#include <sqlite3.h>

/// The sizes in bytes of the log's header, of a frame's header, and of a frame.
enum { log_header_size = 32, frame_header_size = 24, frame_size = frame_header_size + page_size };

/// Looks for damage in all frames, and notes their pages. If it `repairs`, flipped bits are put right
/// in the file, and other damage gets a right sum, so that SQLite drops no frame that was committed.
///
/// `marks` says whether the pages of the database keep bytes free for the mark of a damaged page.
/// Repair a log only while no other connection uses it.
int examine_log(sqlite3_file *log, sqlite3_file *database, bool marks, bool repairs,
                page_faults *faults);

/// Checks a page that was read at an offset of the log: puts one flipped bit right, and notes the page
/// if anything was wrong.
int check_log_page(sqlite3_file *log, sqlite3_file *database, bool marks, uint8_t *page,
                   int64_t offset, page_faults *faults);

/// Whether the log has a newer content of a page.
bool log_has_page(sqlite3_file *log, sqlite3_file *database, uint32_t page);
