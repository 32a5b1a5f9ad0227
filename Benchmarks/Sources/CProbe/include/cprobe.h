#ifndef CPROBE_H
#define CPROBE_H

/// What this process asked of SQLite and of the disk since it began.
typedef struct {
    /// Statements that began to run, transactions' own ones included.
    long statements;
    /// Instructions of SQLite's machine that they took: a scan shows here, and in no other count.
    long steps;
    /// Transactions that wrote.
    long commits;
    /// Calls of fsync and fdatasync, whoever made them.
    long syncs;
    /// Calls of malloc, calloc and realloc.
    long allocations;
} cprobe_work;

/// Begins to watch the connections that are opened from now on.
void cprobe_watch(void);

cprobe_work cprobe_done(void);

/// Runs a program to its end, its output thrown away; returns its wait status, or -1.
///
/// The most memory is read from the kernel every 2 ms, for what wait4 tells counts the parent's,
/// too; where `peak_kibibytes` is null nothing disturbs the run.
int cprobe_run(char *const argv[], double *seconds, long *peak_kibibytes);

/// Seconds for `edits` updates of one field each, by rowid, in a table of `rows` rows of ten
/// fields, with one prepared statement a field and SQLite's safest settings; below 0 on errors.
double cprobe_updates(const char *path, long rows, long edits, long edits_per_commit);

/// Seconds to insert `count` rows of ten integers each, the first of them the key, in one
/// transaction with one prepared statement; below 0 on errors.
double cprobe_inserts(const char *path, const long long *numbers, long count);

#endif
