// The calls that Wake needs of SQLite (sqlite.org/c3ref), so that none of its types reaches Swift.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Swift counts no references to these: the one class that holds each of them closes it.
#define CSQLITE_HANDLE \
    __attribute__((swift_attr("import_reference"))) \
    __attribute__((swift_attr("retain:immortal"))) \
    __attribute__((swift_attr("release:immortal")))

/// A function that uses its pointers during the call alone, as texts and results that end by
/// themselves: Swift may give it a String, or a variable to write to.
#define CSQLITE_SAFE __attribute__((swift_attr("safe")))

/// One connection to one file, for one thread at a time.
struct CSQLITE_HANDLE csqlite_connection;
typedef struct csqlite_connection csqlite_connection;

/// One prepared statement of a connection.
struct CSQLITE_HANDLE csqlite_statement;
typedef struct csqlite_statement csqlite_statement;

// Result codes (sqlite.org/rescode.html). The last three are sums, which Swift cannot import.
#define CSQLITE_OK 0
#define CSQLITE_IOERR 10
#define CSQLITE_CORRUPT 11
#define CSQLITE_FULL 13
#define CSQLITE_ROW 100
#define CSQLITE_DONE 101
#define CSQLITE_IOERR_FSYNC 1034
#define CSQLITE_IOERR_DIR_FSYNC 1290
#define CSQLITE_IOERR_SHMSIZE 4874

/// Every allocation would take one lock of the process to count what nobody reads; before any other
/// call.
int csqlite_count_no_memory(void);

/// Opens a file, or creates it, or reads what a URI names; `vfs` is null for the system's disks.
///
/// With a code that is not 0 the connection tells only why, and is to be closed. Null without
/// memory.
csqlite_connection *_Nullable csqlite_open(const char *path, bool is_uri, const char *_Nullable vfs,
                                           int *code) CSQLITE_SAFE;
/// Closes a connection, once its last statement is gone.
void csqlite_close(csqlite_connection *_Nullable connection);

/// What went wrong last, in words that live until the next call, and as an errno.
const char *csqlite_message(csqlite_connection *connection);
int csqlite_system_error(csqlite_connection *connection);

/// Whether the log stays as it is when the connection is closed.
void csqlite_keep_log(csqlite_connection *connection, bool keeps);

/// Called with the number of tries while another connection has a lock; 0 ends the waiting.
void csqlite_on_busy(csqlite_connection *connection, int (*wait)(void *context, int tries),
                     void *context);
void csqlite_sleep(int milliseconds);

/// Runs statements that take no values.
int csqlite_execute(csqlite_connection *connection, const char *sql) CSQLITE_SAFE;
int csqlite_changes(csqlite_connection *connection);
bool csqlite_is_in_transaction(csqlite_connection *connection);
int64_t csqlite_last_row(csqlite_connection *connection);

/// A statement that will be used often; null with a code.
csqlite_statement *_Nullable csqlite_prepare(csqlite_connection *connection, const char *sql,
                                             int *code) CSQLITE_SAFE;
void csqlite_finalize(csqlite_statement *statement);

int csqlite_bind_null(csqlite_statement *statement, int index);
int csqlite_bind_integer(csqlite_statement *statement, int index, int64_t number);
int csqlite_bind_real(csqlite_statement *statement, int index, double number);
/// UTF-8 and bytes are copied.
int csqlite_bind_text(csqlite_statement *statement, int index, const char *text, size_t count);
int csqlite_bind_blob(csqlite_statement *statement, int index, const uint8_t *bytes, size_t count);

int csqlite_step(csqlite_statement *statement);
/// Makes a statement ready for its next use, without values.
void csqlite_reset(csqlite_statement *statement);

bool csqlite_is_null(csqlite_statement *statement, int column);
int64_t csqlite_integer(csqlite_statement *statement, int column);
double csqlite_real(csqlite_statement *statement, int column);
/// The bytes until the next step or reset; null where there are none.
const uint8_t *_Nullable csqlite_text(csqlite_statement *statement, int column, size_t *count);
const uint8_t *_Nullable csqlite_blob(csqlite_statement *statement, int column, size_t *count);

#pragma clang assume_nonnull end
