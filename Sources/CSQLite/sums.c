// A VFS between SQLite and another one that keeps a checksum of each page of a database file.
//
// The sum is a CRC-32 (IEEE 802.3) over the number of the page and its content, in the last bytes
// of the page, which SQLite leaves free (sqlite.org/fileformat2.html, "reserved bytes"). For pages
// of 4 KiB it tells every change of one and two bits from each other, so that one flipped bit is
// found and put right (Koopman, "32-Bit Cyclic Redundancy Codes for Internet Applications", 2002:
// Hamming distance 4 up to 91,607 bits). A page with more wrong bits passes as it is, and is noted.
//
// The write-ahead log has sums of its own. Pages get theirs when a checkpoint writes them.

#include "csqlite.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { page_size = 4096, sum_size = 4, content_size = page_size - sum_size, noted_pages = 1024 };

/// The operations of xFileControl that only this VFS knows.
enum { control_faults = 0x57414b01, control_scan, control_forgive, control_kind };

typedef struct {
    uint32_t pages[noted_pages];
    int count;
} page_list;

typedef struct {
    page_list corrected, damaged;
} page_faults;

typedef struct {
    sqlite3_file base;
    /// Whether the pages of the file have sums; known once the file has a page.
    enum { unknown, without_sums, with_sums } kind;
    /// Whether a page that is written anew gets a right sum though it was damaged.
    bool forgives;
    page_faults faults;
} summed_file;

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((summed_file *)file + 1); }

static sqlite3_vfs *real_vfs(sqlite3_vfs *vfs) { return vfs->pAppData; }

/// The sum of a page, with the number in front: a page at a wrong place is wrong too.
static uint32_t sum(const uint8_t *page, uint32_t number) {
    uint8_t first[4] = {number >> 24, number >> 16, number >> 8, number};
    return (uint32_t)crc32(crc32(0, first, sizeof first), page, content_size);
}

static uint32_t stored_sum(const uint8_t *page) {
    const uint8_t *bytes = page + content_size;
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/// What a damaged page has instead of its sum: two wrong bits, which nothing puts right.
enum { damaged_mark = 3 };

static void store_sum(uint8_t *page, uint32_t number, uint32_t mark) {
    uint32_t value = sum(page, number) ^ mark;
    for (int i = 0; i < sum_size; i++) page[content_size + i] = (uint8_t)(value >> (24 - 8 * i));
}

/// Whether nothing was ever written there: SQLite leaves pages out of a file that grows.
static bool is_blank(const uint8_t *page) {
    return !page[0] && !memcmp(page, page + 1, page_size - 1);
}

/// Puts one flipped bit right; returns false if more is wrong.
///
/// A CRC is linear: the difference of the sums depends on the place of the bit alone.
static bool correct(uint8_t *page, uint32_t difference) {
    if (!(difference & (difference - 1))) {
        for (int i = 0; i < sum_size; i++) page[content_size + i] ^= (uint8_t)(difference >> (24 - 8 * i));
        return true;
    }
    const z_crc_t *table = get_crc_table();
    uint32_t differences[8];
    for (int bit = 0; bit < 8; bit++) differences[bit] = (uint32_t)table[1 << bit];
    for (int place = content_size - 1; place >= 0; place--) {
        for (int bit = 0; bit < 8; bit++) {
            if (differences[bit] == difference) {
                page[place] ^= (uint8_t)(1 << bit);
                return true;
            }
            differences[bit] = differences[bit] >> 8 ^ (uint32_t)table[differences[bit] & 255];
        }
    }
    return false;
}

static void note(page_list *list, uint32_t number) {
    for (int i = 0; i < list->count; i++)
        if (list->pages[i] == number) return;
    // Beyond the limit a page could not be told from one that was noted.
    if (list->count < noted_pages) list->pages[list->count++] = number;
}

typedef enum { sound, corrected, damaged } verdict;

static verdict check(uint8_t *page, uint32_t number) {
    uint32_t difference = sum(page, number) ^ stored_sum(page);
    if (!difference || is_blank(page)) return sound;
    return correct(page, difference) ? corrected : damaged;
}

static void check_and_note(summed_file *file, uint8_t *page, uint32_t number) {
    switch (check(page, number)) {
    case sound: break;
    case corrected: note(&file->faults.corrected, number); break;
    case damaged: note(&file->faults.damaged, number); break;
    }
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
    verdict found = check(page, 1);
    bool is_right = found != damaged && claims_sums(page);
    file->kind = claims || is_right ? with_sums : without_sums;
}

static int file_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int file_read(sqlite3_file *base, void *into, int count, sqlite3_int64 offset) {
    summed_file *file = (summed_file *)base;
    sqlite3_file *below = real(base);
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
    check_and_note(file, page, (uint32_t)(start / page_size + 1));
    if (page == part) memcpy(into, part + (offset - start), (size_t)count);
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
        store_sum(page, number, 0);
        code = below->pMethods->xWrite(below, page, page_size, offset);
    }
    return code;
}

static int file_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    summed_file *file = (summed_file *)base;
    sqlite3_file *below = real(base);
    recognise(file);
    if (offset == 0 && count == page_size) {
        bool is_new = file->kind == unknown;
        file->kind = claims_sums(bytes) ? with_sums : without_sums;
        if (is_new && file->kind == with_sums) {
            int code = add_sums(below);
            if (code != SQLITE_OK) return code;
        }
    }
    if (file->kind != with_sums || count != page_size || offset % page_size)
        return below->pMethods->xWrite(below, bytes, count, offset);
    uint8_t page[page_size];
    uint32_t number = (uint32_t)(offset / page_size + 1);
    bool was_damaged = !file->forgives
        && below->pMethods->xRead(below, page, page_size, offset) == SQLITE_OK
        && check(page, number) == damaged;
    memcpy(page, bytes, page_size);
    // What was read from a damaged page may be wrong: it stays marked until it is repaired.
    store_sum(page, number, was_damaged ? damaged_mark : 0);
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
        if (check(page, list->pages[i]) == corrected)
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
        if (check(found, number) != damaged) return SQLITE_OK;
    }
}

/// Reads every page of the file, and notes those that are wrong now.
static int scan(summed_file *file) {
    sqlite3_file *below = real((sqlite3_file *)file);
    sqlite3_int64 size = 0;
    int code = below->pMethods->xFileSize(below, &size);
    recognise(file);
    if (code != SQLITE_OK || file->kind != with_sums) return code;
    memset(&file->faults, 0, sizeof file->faults);
    for (uint32_t number = 1; number <= size / page_size; number++) {
        uint8_t page[page_size];
        code = read_settled(below, page, number);
        if (code != SQLITE_OK) return code;
        check_and_note(file, page, number);
    }
    return SQLITE_OK;
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    summed_file *file = (summed_file *)base;
    switch (operation) {
    case control_faults: *(page_faults **)argument = &file->faults; return SQLITE_OK;
    case control_scan: return scan(file);
    case control_forgive: file->forgives = true; return SQLITE_OK;
    case control_kind:
        recognise(file);
        *(int *)argument = file->kind == with_sums;
        return SQLITE_OK;
    case SQLITE_FCNTL_CKPT_DONE: write_corrected(file); break;
    default: break;
    }
    return real(base)->pMethods->xFileControl(real(base), operation, argument);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    return real(file)->pMethods->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
    return real(file)->pMethods->xSync(real(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
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
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
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

bool csqlite_has_sums(csqlite_connection *connection) {
    int has_sums = 0;
    sqlite3_file_control(database(connection), "main", control_kind, &has_sums);
    return has_sums;
}

void csqlite_forgive_damage(csqlite_connection *connection) {
    sqlite3_file_control(database(connection), "main", control_forgive, NULL);
}

int csqlite_scan_pages(csqlite_connection *connection) {
    return sqlite3_file_control(database(connection), "main", control_scan, NULL);
}

int csqlite_faulty_pages(csqlite_connection *connection, bool is_damaged, uint32_t *pages,
                         int limit) {
    page_faults *faults = NULL;
    if (sqlite3_file_control(database(connection), "main", control_faults, &faults) != SQLITE_OK)
        return 0;
    const page_list *list = is_damaged ? &faults->damaged : &faults->corrected;
    for (int i = 0; i < limit && i < list->count; i++) pages[i] = list->pages[i];
    return list->count;
}
