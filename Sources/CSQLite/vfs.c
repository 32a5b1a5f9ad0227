// A VFS between SQLite and another one that keeps a checksum of each page of a database file (pages.c).
//
// One flipped bit is put right when its page is read. A page with more wrong bits passes as it is, and
// is noted. The write-ahead log has sums of its own (log.c); pages get theirs when a checkpoint writes
// them.

#include "csqlite.h"
#include "log.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/// The operations of xFileControl that only this VFS knows.
enum { control_file = 0x57414b01, control_scan, control_kind, control_early };

typedef struct summed_file summed_file;

struct summed_file {
    sqlite3_file base;
    /// Whether the pages of the file have sums; known once the file has a page.
    enum { unknown, without_sums, with_sums } kind;
    /// Whether a commit does not wait for the disk.
    bool commits_early;
    /// What was wrong in the file, and in its write-ahead log.
    page_faults faults, log_faults;
    /// Of a database: its log, once that is open. Of a log: the database.
    summed_file *log, *database;
    /// Of a log: the header of a frame that was written last and its offset, and the first page that was
    /// written again without its header: up to the commit, the sums from there on are not right.
    uint8_t header[frame_header_size];
    int64_t last_header, unsettled;
    /// The name of the log.
    const char *log_name;
    sqlite3_vfs *vfs;
    /// Of a log: the mark of its end, and the end to mark once the disk has the log.
    end_mark mark;
    log_end new_end;
    bool has_new_end;
    /// Of a log: whether SQLite has asked for the size. Recovery does so first.
    bool was_measured;
};

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((summed_file *)file + 1); }

static sqlite3_vfs *real_vfs(sqlite3_vfs *vfs) { return vfs->pAppData; }

/// Checks a page that goes to SQLite, and notes it if it is wrong.
static void check_and_note(summed_file *file, uint8_t *page, uint32_t number) {
    page_verdict verdict = check_page(page, number);
    if (verdict == page_corrected) note(&file->faults.corrected, number);
    if (verdict == page_damaged) note(&file->faults.damaged, number);
    mark_in_copy(page, verdict == page_damaged);
}

/// Whether a first page says that pages of this size keep bytes free for a sum.
static bool claims_sums(const uint8_t *page) {
    return page[16] == page_size >> 8 && page[17] == (page_size & 255) && page[20] == sum_size;
}

/// Looks whether an existing file has sums; one flipped bit of its first page does not hide it.
static void recognise(summed_file *file) {
    uint8_t page[page_size];
    if (file->kind != unknown) return;
    sqlite3_file *below = real((sqlite3_file *)file);
    if (below->pMethods->xRead(below, page, page_size, 0) != SQLITE_OK || is_blank(page)) return;
    bool claims = claims_sums(page);
    bool is_right = check_page(page, 1) != page_damaged && claims_sums(page);
    file->kind = claims || is_right ? with_sums : without_sums;
}

static int file_close(sqlite3_file *base) {
    summed_file *file = (summed_file *)base;
    close_end(&file->mark);
    if (file->database) file->database->log = NULL;
    if (file->log) file->log->database = NULL;
    return real(base)->pMethods->xClose(real(base));
}

/// Whether an open log has a mark: its commits wait for the disk.
static bool is_marked_log(const summed_file *log) {
    return log && log->database && !log->database->commits_early;
}

static bool marked_end(summed_file *log, log_end *end) {
    return is_marked_log(log) && read_end(&log->mark, log->vfs, log->log_name, end);
}

/// Invalidates the mark before the log is emptied or gets another header.
static int begin_anew(summed_file *file) {
    if (!is_marked_log(file)) return SQLITE_OK;
    return clear_end(&file->mark, file->vfs, file->log_name);
}

/// Examines a log that was left behind.
static int examine(summed_file *file) {
    summed_file *database = file->database;
    int flags = log_repairs | (database->kind == with_sums ? log_marks : 0)
        | (database->commits_early ? 0 : log_is_durable);
    log_end end;
    bool has_end = marked_end(file, &end);
    return examine_log(real((sqlite3_file *)file), real((sqlite3_file *)database), flags,
                       has_end ? &end : NULL, &database->log_faults);
}

/// Reads from the write-ahead log, and checks the frames: all of them when SQLite reads the log's
/// header, which it does after a crash alone, before others may use the log; later the one of a page.
static int log_read(summed_file *file, void *into, int count, sqlite3_int64 offset) {
    sqlite3_file *below = real((sqlite3_file *)file), *database = real((sqlite3_file *)file->database);
    page_faults *faults = &file->database->log_faults;
    recognise(file->database);
    bool marks = file->database->kind == with_sums;
    if (offset == 0 && count == log_header_size) {
        int code = examine(file);
        if (code != SQLITE_OK) return code;
    }
    int code = below->pMethods->xRead(below, into, count, offset);
    if (code == SQLITE_OK && count == frame_size && faults->is_unwritten)
        return check_log_frame(below, database, into, offset);
    if (code != SQLITE_OK || count != page_size) return code;
    if (file->unsettled && offset >= file->unsettled) return code;
    return check_log_page(below, database, marks, into, offset, faults);
}

static int log_write(summed_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    sqlite3_file *below = real((sqlite3_file *)file);
    bool is_page = count == page_size && offset == file->last_header + frame_header_size;
    if (count == frame_header_size) {
        file->last_header = offset;
        memcpy(file->header, bytes, frame_header_size);
        if (offset < file->unsettled) file->unsettled = 0;
    } else if (count == page_size && !is_page) {
        if (!file->unsettled || offset < file->unsettled) file->unsettled = offset;
    }
    int code = offset == 0 ? begin_anew(file) : SQLITE_OK;
    if (code == SQLITE_OK) code = below->pMethods->xWrite(below, bytes, count, offset);
    // What could not be written is no commit, and a later sync must not mark it.
    if (code != SQLITE_OK) file->has_new_end = false;
    if (code != SQLITE_OK || !is_page || !is_commit(file->header)) return code;
    file->new_end = end_of(file->header, file->last_header);
    file->has_new_end = true;
    return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *into, int count, sqlite3_int64 offset) {
    summed_file *file = (summed_file *)base;
    sqlite3_file *below = real(base);
    if (file->database) return log_read(file, into, count, offset);
    recognise(file);
    int64_t start = offset / page_size * page_size;
    if (file->kind != with_sums || offset + count > start + page_size)
        return below->pMethods->xRead(below, into, count, offset);
    uint8_t part[page_size];
    uint8_t *page = count == page_size ? into : part;
    int code = below->pMethods->xRead(below, page, page_size, start);
    if (code != SQLITE_OK) {
        return count == page_size ? code : below->pMethods->xRead(below, into, count, offset);
    }
    uint32_t number = (uint32_t)(start / page_size + 1);
    if (page == into) {
        check_and_note(file, page, number);
    } else {
        // SQLite reads the header of the database before it knows whether the log has a newer one.
        check_page(page, number);
        memcpy(into, part + (offset - start), (size_t)count);
    }
    return SQLITE_OK;
}

/// Gives the pages their sums that SQLite wrote to a new file before its first page.
static int add_sums(sqlite3_file *below) {
    sqlite3_int64 size = 0;
    int code = below->pMethods->xFileSize(below, &size);
    for (uint32_t number = 2; code == SQLITE_OK && number <= size / page_size; number++) {
        uint8_t page[page_size];
        int64_t offset = ((int64_t)number - 1) * page_size;
        code = below->pMethods->xRead(below, page, page_size, offset);
        if (code != SQLITE_OK || is_blank(page)) continue;
        store_sum(page, number);
        code = below->pMethods->xWrite(below, page, page_size, offset);
    }
    return code;
}

static int file_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    summed_file *file = (summed_file *)base;
    sqlite3_file *below = real(base);
    if (file->database) return log_write(file, bytes, count, offset);
    recognise(file);
    if (offset == 0 && count == page_size) {
        bool is_new = file->kind == unknown;
        file->kind = claims_sums(bytes) ? with_sums : without_sums;
        // A mark that is there is of a database that was removed.
        if (is_new && file->log_name) remove_end(file->vfs, file->log_name);
        if (is_new && file->kind == with_sums) {
            int code = add_sums(below);
            if (code != SQLITE_OK) return code;
        }
    }
    if (file->kind != with_sums || count != page_size || offset % page_size)
        return below->pMethods->xWrite(below, bytes, count, offset);
    uint8_t page[page_size];
    uint32_t number = (uint32_t)(offset / page_size + 1);
    memcpy(page, bytes, page_size);
    store_sum(page, number);
    return below->pMethods->xWrite(below, page, page_size, offset);
}

/// Writes pages that were put right when they were read.
///
/// At the end of a checkpoint: its lock keeps every other process from writing to the file.
static void write_corrected(summed_file *file) {
    sqlite3_file *below = real((sqlite3_file *)file);
    page_list *list = &file->faults.corrected;
    for (int i = 0; i < list->count; i++) {
        uint8_t page[page_size];
        int64_t offset = ((int64_t)list->pages[i] - 1) * page_size;
        if (below->pMethods->xRead(below, page, page_size, offset) != SQLITE_OK) continue;
        if (check_page(page, list->pages[i]) == page_corrected)
            below->pMethods->xWrite(below, page, page_size, offset);
    }
}

/// Reads a page that another process may just be writing.
static int read_settled(sqlite3_file *below, uint8_t *page, uint32_t number) {
    for (int tries = 0;; tries++) {
        uint8_t found[page_size];
        int code = below->pMethods->xRead(below, page, page_size, ((int64_t)number - 1) * page_size);
        if (code != SQLITE_OK || tries == 3) return code;
        memcpy(found, page, page_size);
        if (check_page(found, number) != page_damaged) return SQLITE_OK;
    }
}

/// Reads every page of the file and of its log, and notes those that are wrong now.
///
/// A page with newer content in the log does not count: a checkpoint that a power failure stopped may
/// have written half of it.
static int scan(summed_file *file) {
    sqlite3_file *below = real((sqlite3_file *)file);
    sqlite3_file *log = file->log ? real((sqlite3_file *)file->log) : NULL;
    sqlite3_int64 size = 0;
    int code = below->pMethods->xFileSize(below, &size);
    recognise(file);
    if (code != SQLITE_OK || file->kind != with_sums) return code;
    memset(&file->faults, 0, sizeof file->faults);
    for (uint32_t number = 1; number <= size / page_size; number++) {
        uint8_t page[page_size], found[page_size];
        code = read_settled(below, page, number);
        if (code != SQLITE_OK) return code;
        memcpy(found, page, page_size);
        bool is_stale = check_page(found, number) == page_damaged && log
            && log_has_page(log, below, number);
        if (!is_stale) check_and_note(file, page, number);
    }
    return log ? examine_log(log, below, log_marks, NULL, &file->log_faults) : SQLITE_OK;
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    summed_file *file = (summed_file *)base;
    switch (operation) {
    case control_file: *(summed_file **)argument = file; return SQLITE_OK;
    case control_scan: return scan(file);
    case control_early: file->commits_early = true; return SQLITE_OK;
    case control_kind:
        recognise(file);
        *(int *)argument = file->kind == with_sums;
        return SQLITE_OK;
    case SQLITE_FCNTL_CKPT_DONE: write_corrected(file); break;
    default: break;
    }
    return real(base)->pMethods->xFileControl(real(base), operation, argument);
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    summed_file *file = (summed_file *)base;
    int code = size == 0 ? begin_anew(file) : SQLITE_OK;
    if (code != SQLITE_OK) return code;
    return real(base)->pMethods->xTruncate(real(base), size);
}

static int file_sync(sqlite3_file *base, int flags) {
    summed_file *file = (summed_file *)base;
    int code = real(base)->pMethods->xSync(real(base), flags);
    if (code == SQLITE_OK && file->has_new_end && is_marked_log(file))
        write_end(&file->mark, file->vfs, file->log_name, &file->new_end);
    file->has_new_end = false;
    return code;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    summed_file *file = (summed_file *)base;
    // SQLite reads nothing of a log that is empty or missing.
    log_end end, again;
    bool has_end = !file->was_measured && marked_end(file, &end);
    int code = real(base)->pMethods->xFileSize(real(base), size);
    file->was_measured = true;
    // Another process may just have made the log empty.
    if (code == SQLITE_OK && has_end && *size <= log_header_size && marked_end(file, &again))
        file->database->log_faults.has_lost_commits |= !memcmp(&end, &again, sizeof end);
    return code;
}

static int file_lock(sqlite3_file *file, int level) {
    return real(file)->pMethods->xLock(real(file), level);
}

static int file_unlock(sqlite3_file *file, int level) {
    return real(file)->pMethods->xUnlock(real(file), level);
}

static int file_check_reserved(sqlite3_file *file, int *is_reserved) {
    return real(file)->pMethods->xCheckReservedLock(real(file), is_reserved);
}

static int file_sector_size(sqlite3_file *file) {
    return real(file)->pMethods->xSectorSize(real(file));
}

static int file_characteristics(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int shm_map(sqlite3_file *file, int index, int size, int extends, void volatile **region) {
    return real(file)->pMethods->xShmMap(real(file), index, size, extends, region);
}

static int shm_lock(sqlite3_file *file, int first, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), first, count, flags);
}

static void shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int shm_unmap(sqlite3_file *file, int deletes) {
    return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

/// Version 2, so that SQLite maps no file into memory, where nothing would be checked.
static const sqlite3_io_methods summed_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags,
                    int *out_flags) {
    summed_file *file = (summed_file *)base;
    memset(file, 0, sizeof *file);
    if (!(flags & SQLITE_OPEN_MAIN_DB)) file->kind = without_sums;
    int code = real_vfs(vfs)->xOpen(real_vfs(vfs), name, real(base), flags, out_flags);
    if (real(base)->pMethods) file->base.pMethods = &summed_methods;
    file->vfs = real_vfs(vfs);
    if (flags & SQLITE_OPEN_MAIN_DB && name) file->log_name = sqlite3_filename_wal(name);
    if (code == SQLITE_OK && flags & SQLITE_OPEN_WAL) {
        file->log_name = name;
        file->database = (summed_file *)sqlite3_database_file_object(name);
        file->database->log = file;
    }
    return code;
}

static bool is_log(const char *name) {
    size_t length = strlen(name);
    return length > 4 && !strcmp(name + length - 4, "-wal");
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    if (is_log(name)) remove_end(real_vfs(vfs), name);
    return real_vfs(vfs)->xDelete(real_vfs(vfs), name, syncs);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    return real_vfs(vfs)->xAccess(real_vfs(vfs), name, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int count, char *full) {
    return real_vfs(vfs)->xFullPathname(real_vfs(vfs), name, count, full);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    return real_vfs(vfs)->xRandomness(real_vfs(vfs), count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    return real_vfs(vfs)->xSleep(real_vfs(vfs), microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    return real_vfs(vfs)->xCurrentTimeInt64(real_vfs(vfs), milliseconds);
}

static int vfs_last_error(sqlite3_vfs *vfs, int count, char *text) {
    sqlite3_vfs *below = real_vfs(vfs);
    return below->xGetLastError ? below->xGetLastError(below, count, text) : 0;
}

/// A VFS and its name, in one piece of memory.
typedef struct {
    sqlite3_vfs vfs;
    char name[];
} summed_vfs;

static summed_vfs *make(sqlite3_vfs *below, const char *name) {
    summed_vfs *made = calloc(1, sizeof *made + strlen(name) + 1);
    if (!made) return NULL;
    strcpy(made->name, name);
    made->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)sizeof(summed_file) + below->szOsFile,
        .mxPathname = below->mxPathname,
        .zName = made->name,
        .pAppData = below,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xGetLastError = vfs_last_error,
        .xCurrentTimeInt64 = vfs_time,
    };
    return made;
}

enum { name_limit = 128 };

static void name_of(const sqlite3_vfs *below, char *name) {
    sqlite3_snprintf(name_limit, name, "%s with sums", below->zName);
}

const char *csqlite_summed(const char *vfs) {
    if (sqlite3_initialize() != SQLITE_OK) return NULL;
    sqlite3_vfs *below = sqlite3_vfs_find(vfs);
    if (!below) return NULL;
    char name[name_limit];
    name_of(below, name);
    sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
    sqlite3_mutex_enter(mutex);
    sqlite3_vfs *known = sqlite3_vfs_find(name);
    if (!known) {
        summed_vfs *made = make(below, name);
        if (made && sqlite3_vfs_register(&made->vfs, 0) == SQLITE_OK) known = &made->vfs;
    }
    sqlite3_mutex_leave(mutex);
    return known ? known->zName : NULL;
}

void csqlite_forget_summed(const char *vfs) {
    sqlite3_vfs *below = sqlite3_vfs_find(vfs);
    if (!below) return;
    char name[name_limit];
    name_of(below, name);
    sqlite3_vfs *known = sqlite3_vfs_find(name);
    if (!known) return;
    sqlite3_vfs_unregister(known);
    free(known);
}

static sqlite3 *database(csqlite_connection *connection) { return (sqlite3 *)connection; }

void csqlite_reserve_sums(csqlite_connection *connection) {
    int count = sum_size;
    sqlite3_file_control(database(connection), "main", SQLITE_FCNTL_RESERVE_BYTES, &count);
}

bool csqlite_lost_commits(csqlite_connection *connection) {
    summed_file *file = NULL;
    int code = sqlite3_file_control(database(connection), "main", control_file, &file);
    return code == SQLITE_OK && file->log_faults.has_lost_commits;
}

void csqlite_commits_early(csqlite_connection *connection) {
    sqlite3_file_control(database(connection), "main", control_early, NULL);
}

bool csqlite_has_sums(csqlite_connection *connection) {
    int has_sums = 0;
    sqlite3_file_control(database(connection), "main", control_kind, &has_sums);
    return has_sums;
}

int csqlite_scan_pages(csqlite_connection *connection) {
    return sqlite3_file_control(database(connection), "main", control_scan, NULL);
}

int csqlite_faulty_pages(csqlite_connection *connection, bool is_damaged,
                         uint32_t *_Nullable pages, int limit) {
    summed_file *file = NULL;
    if (sqlite3_file_control(database(connection), "main", control_file, &file) != SQLITE_OK)
        return 0;
    page_faults *faults = &file->faults, *more_faults = &file->log_faults;
    const page_list *found = is_damaged ? &faults->damaged : &faults->corrected;
    const page_list *more = is_damaged ? &more_faults->damaged : &more_faults->corrected;
    if (found->count + more->count == 0) return 0;
    page_list list = *found;
    for (int i = 0; i < more->count; i++) note(&list, more->pages[i]);
    for (int i = 0; i < limit && i < list.count; i++) pages[i] = list.pages[i];
    return list.count;
}
