// The part of SQLite (sqlite.org/c3ref) that Wake uses; none of its types reaches Swift.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Swift does not count references to these handles: one class owns each and closes it.
#define CSQLITE_HANDLE \
    __attribute__((swift_attr("import_reference"))) \
    __attribute__((swift_attr("retain:immortal"))) \
    __attribute__((swift_attr("release:immortal")))

/// A function that does not keep its pointers after the call, so Swift may pass a String or a
/// variable.
#define CSQLITE_SAFE __attribute__((swift_attr("safe")))

/// A connection to one file; used by one thread at a time.
struct CSQLITE_HANDLE csqlite_connection;
typedef struct csqlite_connection csqlite_connection;

/// A prepared statement of a connection.
struct CSQLITE_HANDLE csqlite_statement;
typedef struct csqlite_statement csqlite_statement;

// Result codes (sqlite.org/rescode.html). SQLite computes the last three with expressions, which
// Swift cannot import.
#define CSQLITE_OK 0
#define CSQLITE_IOERR 10
#define CSQLITE_CORRUPT 11
#define CSQLITE_FULL 13
#define CSQLITE_CANTOPEN 14
#define CSQLITE_MISUSE 21
#define CSQLITE_ROW 100
#define CSQLITE_DONE 101
#define CSQLITE_IOERR_FSYNC 1034
#define CSQLITE_IOERR_DIR_FSYNC 1290
#define CSQLITE_IOERR_SHMSIZE 4874

/// Disables SQLite's memory statistics, which take a global lock for every allocation. Call before
/// any other function.
int csqlite_count_no_memory(void);

/// Opens or creates a file, or opens a URI read-only. `vfs` is null for the default one.
///
/// If the code is not 0, the connection only provides the error message and must be closed. Returns
/// null if out of memory.
csqlite_connection *_Nullable csqlite_open(const char *path, bool is_uri, const char *_Nullable vfs,
                                           int *code) CSQLITE_SAFE;
/// The name of a VFS that keeps a checksum of each page on top of another one; null for the default
/// one. Null if there is no such VFS, or no memory.
const char *_Nullable csqlite_summed(const char *_Nullable vfs) CSQLITE_SAFE;
/// Unregisters and frees the VFS that csqlite_summed made. Call it before the VFS below is removed.
void csqlite_forget_summed(const char *vfs) CSQLITE_SAFE;
/// Keeps bytes free for the sums in a file that has no page yet.
void csqlite_reserve_sums(csqlite_connection *connection);
/// Whether this connection found that commits are missing: the log that was left behind is damaged, shorter
/// than its mark says, or gone.
bool csqlite_lost_commits(csqlite_connection *connection);
/// Says that commits of this file do not wait for the disk. Call it before the first statement: what a
/// power failure left of the write-ahead log is not taken for damage then.
void csqlite_commits_early(csqlite_connection *connection);
/// Whether the pages of the file have sums; a file that another program made has none.
bool csqlite_has_sums(csqlite_connection *connection);
/// Reads all pages of the file, and notes those with a wrong sum; earlier notes are dropped.
int csqlite_scan_pages(csqlite_connection *connection);
/// Returns how many pages were read with a wrong sum, up to 1,024, and the numbers of the first ones:
/// either those in which one flipped bit was put right, or those with more damage.
int csqlite_faulty_pages(csqlite_connection *connection, bool is_damaged, uint32_t *_Nullable pages,
                         int limit);
/// Puts one flipped bit of a page of a file with sums right; returns false if more is wrong.
bool csqlite_correct_page(uint8_t *page, uint32_t number);

/// Closes a connection, once its last statement is finalised.
void csqlite_close(csqlite_connection *_Nullable connection);

/// The last error: a message, valid until the next call, and an errno.
const char *csqlite_message(csqlite_connection *connection);
int csqlite_system_error(csqlite_connection *connection);

/// Sets whether closing the connection skips the checkpoint and keeps the write-ahead log.
void csqlite_keep_log(csqlite_connection *connection, bool keeps);

/// Calls `wait` with the number of tries while the file is locked; it returns 0 to give up.
void csqlite_on_busy(csqlite_connection *connection, int (*wait)(void *context, int tries),
                     void *context);
void csqlite_sleep(int milliseconds);

/// Runs statements without parameters.
int csqlite_execute(csqlite_connection *connection, const char *sql) CSQLITE_SAFE;
int csqlite_changes(csqlite_connection *connection);
/// The number of rows that all statements of the connection have changed.
int64_t csqlite_total_changes(csqlite_connection *connection);
bool csqlite_is_in_transaction(csqlite_connection *connection);
int64_t csqlite_last_row(csqlite_connection *connection);

/// Prepares a statement for frequent use; returns null with a code on an error.
csqlite_statement *_Nullable csqlite_prepare(csqlite_connection *connection, const char *sql,
                                             int *code) CSQLITE_SAFE;
void csqlite_finalize(csqlite_statement *statement);

int csqlite_bind_null(csqlite_statement *statement, int index);
int csqlite_bind_integer(csqlite_statement *statement, int index, int64_t number);
int csqlite_bind_real(csqlite_statement *statement, int index, double number);
/// Text is UTF-8; text and blobs are copied.
int csqlite_bind_text(csqlite_statement *statement, int index, const uint8_t *text, size_t count);
int csqlite_bind_blob(csqlite_statement *statement, int index, const uint8_t *bytes, size_t count);

int csqlite_step(csqlite_statement *statement);
/// Resets a statement for its next use, and clears its parameters.
void csqlite_reset(csqlite_statement *statement);

bool csqlite_is_null(csqlite_statement *statement, int column);
int64_t csqlite_integer(csqlite_statement *statement, int column);
double csqlite_real(csqlite_statement *statement, int column);
/// Pointers are valid until the next step or reset, and null for NULL or an empty blob.
const uint8_t *_Nullable csqlite_text(csqlite_statement *statement, int column, size_t *count);
const uint8_t *_Nullable csqlite_blob(csqlite_statement *statement, int column, size_t *count);

#pragma clang assume_nonnull end
