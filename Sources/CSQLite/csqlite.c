#include "csqlite.h"

#include <sqlite3.h>

_Static_assert(CSQLITE_OK == SQLITE_OK && CSQLITE_ROW == SQLITE_ROW && CSQLITE_DONE == SQLITE_DONE,
               "the codes of SQLite");
_Static_assert(CSQLITE_IOERR == SQLITE_IOERR && CSQLITE_CORRUPT == SQLITE_CORRUPT
                   && CSQLITE_FULL == SQLITE_FULL && CSQLITE_MISUSE == SQLITE_MISUSE,
               "the codes of SQLite");
_Static_assert(CSQLITE_IOERR_FSYNC == SQLITE_IOERR_FSYNC
                   && CSQLITE_IOERR_DIR_FSYNC == SQLITE_IOERR_DIR_FSYNC
                   && CSQLITE_IOERR_SHMSIZE == SQLITE_IOERR_SHMSIZE,
               "the codes of SQLite");

static sqlite3 *database(csqlite_connection *connection) { return (sqlite3 *)connection; }

static sqlite3_stmt *prepared(csqlite_statement *statement) { return (sqlite3_stmt *)statement; }

int csqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

csqlite_connection *csqlite_open(const char *path, bool is_uri, const char *vfs, int *code) {
    int access = is_uri ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                        : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    sqlite3 *connection = NULL;
    *code = sqlite3_open_v2(path, &connection, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                            vfs);
    return (csqlite_connection *)connection;
}

void csqlite_close(csqlite_connection *connection) { sqlite3_close_v2(database(connection)); }

const char *csqlite_message(csqlite_connection *connection) {
    return sqlite3_errmsg(database(connection));
}

int csqlite_system_error(csqlite_connection *connection) {
    return sqlite3_system_errno(database(connection));
}

void csqlite_keep_log(csqlite_connection *connection, bool keeps) {
    sqlite3_db_config(database(connection), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, (int)keeps, (int *)0);
}

void csqlite_on_busy(csqlite_connection *connection, int (*wait)(void *context, int tries),
                     void *context) {
    sqlite3_busy_handler(database(connection), wait, context);
}

void csqlite_sleep(int milliseconds) { sqlite3_sleep(milliseconds); }

int csqlite_execute(csqlite_connection *connection, const char *sql) {
    return sqlite3_exec(database(connection), sql, NULL, NULL, NULL);
}

int csqlite_changes(csqlite_connection *connection) { return sqlite3_changes(database(connection)); }

int64_t csqlite_total_changes(csqlite_connection *connection) {
    return sqlite3_total_changes64(database(connection));
}

bool csqlite_is_in_transaction(csqlite_connection *connection) {
    return !sqlite3_get_autocommit(database(connection));
}

int64_t csqlite_last_row(csqlite_connection *connection) {
    return sqlite3_last_insert_rowid(database(connection));
}

csqlite_statement *csqlite_prepare(csqlite_connection *connection, const char *sql, int *code) {
    sqlite3_stmt *statement = NULL;
    *code = sqlite3_prepare_v3(database(connection), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                               NULL);
    return (csqlite_statement *)statement;
}

void csqlite_finalize(csqlite_statement *statement) { sqlite3_finalize(prepared(statement)); }

int csqlite_bind_null(csqlite_statement *statement, int index) {
    return sqlite3_bind_null(prepared(statement), index);
}

int csqlite_bind_integer(csqlite_statement *statement, int index, int64_t number) {
    return sqlite3_bind_int64(prepared(statement), index, number);
}

int csqlite_bind_real(csqlite_statement *statement, int index, double number) {
    return sqlite3_bind_double(prepared(statement), index, number);
}

int csqlite_bind_text(csqlite_statement *statement, int index, const uint8_t *text, size_t count) {
    const char *start = count ? (const char *)text : "";
    return sqlite3_bind_text64(prepared(statement), index, start, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

int csqlite_bind_blob(csqlite_statement *statement, int index, const uint8_t *bytes, size_t count) {
    // A null pointer would bind NULL, not an empty blob.
    if (!count) return sqlite3_bind_zeroblob(prepared(statement), index, 0);
    return sqlite3_bind_blob64(prepared(statement), index, bytes, count, SQLITE_TRANSIENT);
}

int csqlite_step(csqlite_statement *statement) { return sqlite3_step(prepared(statement)); }

void csqlite_reset(csqlite_statement *statement) {
    sqlite3_reset(prepared(statement));
    sqlite3_clear_bindings(prepared(statement));
}

bool csqlite_is_null(csqlite_statement *statement, int column) {
    return sqlite3_column_type(prepared(statement), column) == SQLITE_NULL;
}

int64_t csqlite_integer(csqlite_statement *statement, int column) {
    return sqlite3_column_int64(prepared(statement), column);
}

double csqlite_real(csqlite_statement *statement, int column) {
    return sqlite3_column_double(prepared(statement), column);
}

const uint8_t *csqlite_text(csqlite_statement *statement, int column, size_t *count) {
    const uint8_t *text = sqlite3_column_text(prepared(statement), column);
    *count = (size_t)sqlite3_column_bytes(prepared(statement), column);
    return text;
}

const uint8_t *csqlite_blob(csqlite_statement *statement, int column, size_t *count) {
    const uint8_t *bytes = sqlite3_column_blob(prepared(statement), column);
    *count = (size_t)sqlite3_column_bytes(prepared(statement), column);
    return bytes;
}
