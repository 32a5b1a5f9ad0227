#define _GNU_SOURCE
#include "cprobe.h"

#include <fcntl.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_long statements, steps, commits, syncs, allocations;

// The program's own definitions come before those of the C library, for SQLite as well.
int fdatasync(int descriptor) {
    syncs++;
    return (int)syscall(SYS_fdatasync, descriptor);
}

int fsync(int descriptor) {
    syncs++;
    return (int)syscall(SYS_fsync, descriptor);
}

// Counts what the Swift runtime and SQLite allocate.
extern void *__libc_malloc(size_t count);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t count);

void *malloc(size_t count) {
    allocations++;
    return __libc_malloc(count);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t count) {
    allocations++;
    return __libc_realloc(memory, count);
}

static int note_statement(unsigned event, void *context, void *statement, void *detail) {
    if (event == SQLITE_TRACE_STMT) statements++;
    if (event == SQLITE_TRACE_PROFILE)
        steps += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
    return 0;
}

static int note_commit(void *context) {
    commits++;
    return 0;
}

static int watch(sqlite3 *database, const char **message, const void *api) {
    sqlite3_trace_v2(database, SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE, note_statement, NULL);
    sqlite3_commit_hook(database, note_commit, NULL);
    return SQLITE_OK;
}

void cprobe_watch(void) { sqlite3_auto_extension((void (*)(void))watch); }

cprobe_work cprobe_done(void) { return (cprobe_work){statements, steps, commits, syncs, allocations}; }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static long peak(pid_t process) {
    char text[4096];
    snprintf(text, sizeof text, "/proc/%d/status", process);
    FILE *file = fopen(text, "r");
    long kibibytes = 0;
    if (!file) return 0;
    while (fgets(text, sizeof text, file))
        if (sscanf(text, "VmHWM: %ld", &kibibytes) == 1) break;
    fclose(file);
    return kibibytes;
}

int cprobe_run(char *const argv[], double *seconds, long *peak_kibibytes) {
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t process;
    int status = -1;
    double start = now();
    int code = posix_spawn(&process, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0) return -1;
    if (peak_kibibytes) *peak_kibibytes = 0;
    // A run for its time alone is waited for at once, so that the watch costs it nothing.
    while (peak_kibibytes && waitpid(process, &status, WNOHANG) == 0) {
        long kibibytes = peak(process);
        if (kibibytes > *peak_kibibytes) *peak_kibibytes = kibibytes;
        usleep(2000);
    }
    if (!peak_kibibytes) waitpid(process, &status, 0);
    *seconds = now() - start;
    return status;
}

static const char create[] =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE thing (number INTEGER PRIMARY "
    "KEY, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9); BEGIN; WITH RECURSIVE n(i) AS (SELECT 1 UNION "
    "ALL SELECT i + 1 FROM n WHERE i < %ld) INSERT INTO thing SELECT i, 'Grey Heron', 'text of "
    "thirty bytes, like notes', 'boat', '#a0b1c2', 1, i, 12000, 42.5, 'm00042', 'kn' FROM n; "
    "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)";

static int prepare(sqlite3 *database, sqlite3_stmt *updates[10]) {
    for (int field = 0; field < 10; field++) {
        char sql[64];
        snprintf(sql, sizeof sql, "UPDATE thing SET f%d = ?1 WHERE number = ?2", field);
        if (sqlite3_prepare_v2(database, sql, -1, &updates[field], NULL)) return 1;
    }
    return 0;
}

static int update(sqlite3 *database, sqlite3_stmt *updates[10], long rows, long edits, long batch) {
    unsigned long random = 88172645463325252;
    for (long edit = 0; edit < edits; edit++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        char text[32];
        sqlite3_stmt *statement = updates[random % 10];
        if (edit % batch == 0) sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
        snprintf(text, sizeof text, "Grey Heron %lu", random % 1000000);
        sqlite3_bind_text(statement, 1, text, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int64(statement, 2, (sqlite3_int64)(random / 10 % (unsigned long)rows) + 1);
        if (sqlite3_step(statement) != SQLITE_DONE) return 1;
        sqlite3_reset(statement);
        if ((edit + 1) % batch == 0 || edit + 1 == edits)
            sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    }
    return 0;
}

double cprobe_updates(const char *path, long rows, long edits, long edits_per_commit) {
    sqlite3 *database = NULL;
    sqlite3_stmt *updates[10] = {0};
    char sql[1024];
    double seconds = -1;
    snprintf(sql, sizeof sql, create, rows);
    if (!sqlite3_open(path, &database) && !sqlite3_exec(database, sql, NULL, NULL, NULL) &&
        !prepare(database, updates)) {
        double start = now();
        if (!update(database, updates, rows, edits, edits_per_commit)) seconds = now() - start;
    }
    for (int field = 0; field < 10; field++) sqlite3_finalize(updates[field]);
    sqlite3_close(database);
    return seconds;
}

static int insert(sqlite3 *database, const long long *numbers, long count) {
    sqlite3_stmt *statement = NULL;
    int failed = sqlite3_prepare_v2(
        database, "INSERT INTO point VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)", -1,
        &statement, NULL);
    if (!failed) sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    for (long row = 0; row < count && !failed; row++) {
        for (int field = 0; field < 10; field++)
            sqlite3_bind_int64(statement, field + 1, numbers[10 * row + field]);
        failed = sqlite3_step(statement) != SQLITE_DONE;
        sqlite3_reset(statement);
    }
    if (!failed) failed = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    sqlite3_finalize(statement);
    return failed;
}

double cprobe_inserts(const char *path, const long long *numbers, long count) {
    static const char schema[] =
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE point (number INTEGER "
        "PRIMARY KEY, f1, f2, f3, f4, f5, f6, f7, f8, f9)";
    sqlite3 *database = NULL;
    double seconds = -1;
    if (!sqlite3_open(path, &database) && !sqlite3_exec(database, schema, NULL, NULL, NULL)) {
        double start = now();
        if (!insert(database, numbers, count)) seconds = now() - start;
    }
    sqlite3_close(database);
    return seconds;
}
