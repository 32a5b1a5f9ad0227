#include "disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t disk_random(cdisk *disk) {
    uint64_t mixed = disk->random += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

node *disk_find(const cdisk *disk, const char *name) {
    for (int i = 0; i < file_limit; i++) {
        node *file = disk->files[i];
        if (file && file->exists && !file->is_temporary && !strcmp(file->name, name)) return file;
    }
    return 0;
}

node *disk_make(cdisk *disk, const char *name) {
    for (int i = 0; i < file_limit; i++) {
        if (disk->files[i]) continue;
        node *file = disk->files[i] = calloc(1, sizeof *file);
        file->exists = true;
        file->is_temporary = !name;
        if (name) strncpy(file->name, name, name_limit - 1);
        return file;
    }
    return 0;
}

static void forget_undo(cdisk *disk, const node *file) {
    int64_t kept = 0;
    for (int64_t i = 0; i < disk->log_count; i++) {
        if (disk->log[i].file == file) free(disk->log[i].old);
        else disk->log[kept++] = disk->log[i];
    }
    disk->log_count = kept;
}

void disk_forget(cdisk *disk, node *file) {
    if (file->exists && !file->is_temporary) disk->used -= file->size;
    file->exists = false;
    forget_undo(disk, file);
    if (file->open_count) return;
    for (int i = 0; i < file_limit; i++) {
        if (disk->files[i] == file) disk->files[i] = 0;
    }
    for (int i = 0; i < file->region_count; i++) free(file->regions[i]);
    free(file->regions);
    free(file->bytes);
    free(file);
}

/// Counts a storage call; an error where it does not take place. `is_last` for one that the
/// machine does not survive.
static int begin(cdisk *disk, int failure, bool *is_last) {
    *is_last = false;
    if (disk->is_off) return failure;
    int64_t number = disk->calls++;
    if (number == disk->fail_at) return failure;
    *is_last = number == disk->off_at;
    return SQLITE_OK;
}

static undo *note(cdisk *disk, node *file) {
    if (disk->log_count == disk->log_room) {
        disk->log_room = disk->log_room ? disk->log_room * 2 : 64;
        disk->log = realloc(disk->log, (size_t)disk->log_room * sizeof *disk->log);
    }
    undo *entry = &disk->log[disk->log_count++];
    *entry = (undo){.file = file, .size_before = file->size};
    return entry;
}

static void keep_old(undo *entry, int64_t from, int64_t to) {
    if (to <= from) return;
    entry->old_count = to - from;
    entry->old = malloc((size_t)entry->old_count);
    memcpy(entry->old, entry->file->bytes + from, (size_t)entry->old_count);
}

/// What is new up to `zeroed` is zero; the rest is written next.
static void grow(cdisk *disk, node *file, int64_t size, int64_t zeroed) {
    if (size > file->room) {
        file->room = size > 2 * file->room ? size : 2 * file->room;
        file->bytes = realloc(file->bytes, (size_t)file->room);
    }
    if (zeroed > file->size) memset(file->bytes + file->size, 0, (size_t)(zeroed - file->size));
    if (!file->is_temporary) disk->used += size - file->size;
    file->size = size;
}

static void resize(cdisk *disk, node *file, int64_t size) { grow(disk, file, size, size); }

static void put(
    cdisk *disk, node *file, const uint8_t *bytes, int64_t count, int64_t offset
) {
    if (count <= 0) return;
    if (!file->is_temporary) {
        undo *entry = note(disk, file);
        entry->offset = offset;
        entry->count = count;
        int64_t end = offset + count;
        keep_old(entry, offset, end < file->size ? end : file->size);
    }
    if (offset + count > file->size) grow(disk, file, offset + count, offset);
    memcpy(file->bytes + offset, bytes, (size_t)count);
}

int disk_create(cdisk *disk, const char *name, node **made) {
    bool is_last;
    int code = begin(disk, SQLITE_CANTOPEN, &is_last);
    if (code) return code;
    if (is_last) {
        disk->is_off = true;
        return SQLITE_CANTOPEN;
    }
    *made = disk_make(disk, name);
    return *made ? SQLITE_OK : SQLITE_CANTOPEN;
}

int disk_write(cdisk *disk, node *file, const uint8_t *bytes, int64_t count, int64_t offset) {
    bool is_last;
    int code = begin(disk, SQLITE_IOERR_WRITE, &is_last);
    if (code) return code;
    int64_t growth = offset + count - file->size;
    if (!file->is_temporary && disk->quota >= 0 && growth > 0
        && disk->used + growth > disk->quota) {
        int64_t room = disk->quota > disk->used ? disk->quota - disk->used : 0;
        put(disk, file, bytes, count - growth + room, offset);
        return SQLITE_FULL;
    }
    if (is_last) {
        put(disk, file, bytes, (int64_t)(disk_random(disk) % (uint64_t)(count + 1)), offset);
        disk->is_off = true;
        return SQLITE_IOERR_WRITE;
    }
    put(disk, file, bytes, count, offset);
    return SQLITE_OK;
}

int disk_truncate(cdisk *disk, node *file, int64_t size) {
    bool is_last;
    int code = begin(disk, SQLITE_IOERR_TRUNCATE, &is_last);
    if (code) return code;
    if (size < file->size && !(is_last && disk_random(disk) % 2)) {
        undo *entry = note(disk, file);
        entry->is_truncation = true;
        entry->offset = size;
        keep_old(entry, size, file->size);
        resize(disk, file, size);
    }
    disk->is_off = is_last;
    return is_last ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

int disk_sync(cdisk *disk, node *file) {
    bool is_last;
    int code = begin(disk, SQLITE_IOERR_FSYNC, &is_last);
    if (code) return code;
    bool is_done = !disk->lies && !(is_last && disk_random(disk) % 2);
    if (is_done) forget_undo(disk, file);
    disk->is_off = is_last;
    return is_last ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

int disk_remove(cdisk *disk, const char *name) {
    bool is_last;
    int code = begin(disk, SQLITE_IOERR_DELETE, &is_last);
    if (code) return code;
    node *file = disk_find(disk, name);
    bool is_done = !(is_last && disk_random(disk) % 2);
    disk->is_off = is_last;
    if (!file) return is_last ? SQLITE_IOERR_DELETE : SQLITE_IOERR_DELETE_NOENT;
    if (is_done) disk_forget(disk, file);
    return is_last ? SQLITE_IOERR_DELETE : SQLITE_OK;
}

/// Takes a write back but for its first `kept` bytes.
static void take_back(cdisk *disk, const undo *entry, int64_t kept) {
    node *file = entry->file;
    if (entry->is_truncation) {
        resize(disk, file, entry->size_before);
        memcpy(file->bytes + entry->offset, entry->old, (size_t)entry->old_count);
        return;
    }
    if (entry->old_count > kept) {
        memcpy(
            file->bytes + entry->offset + kept, entry->old + kept,
            (size_t)(entry->old_count - kept)
        );
    }
    int64_t end = kept ? entry->offset + kept : 0;
    resize(disk, file, end > entry->size_before ? end : entry->size_before);
}

/// Loses of one file what was not synced, from a byte on.
static void lose(cdisk *disk, const node *file) {
    int64_t count = 0;
    for (int64_t i = 0; i < disk->log_count; i++) count += disk->log[i].file == file;
    if (!count) return;
    int64_t kept = (int64_t)(disk_random(disk) % (uint64_t)(count + 1));
    int64_t index = count;
    for (int64_t i = disk->log_count - 1; i >= 0 && index > kept; i--) {
        undo *entry = &disk->log[i];
        if (entry->file != file) continue;
        index--;
        bool is_torn = index == kept && !entry->is_truncation;
        uint64_t range = (uint64_t)(entry->count + 1);
        take_back(disk, entry, is_torn ? (int64_t)(disk_random(disk) % range) : 0);
    }
}

cdisk *cdisk_make(uint64_t seed) {
    static _Atomic uint64_t made;
    /* As the programs do; registering a VFS is what begins SQLite, and after it it is too late. */
    if (!made) sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    cdisk *disk = calloc(1, sizeof *disk);
    disk->random = seed;
    disk->quota = disk->off_at = disk->fail_at = -1;
    sqlite3_snprintf(sizeof disk->vfs_name, disk->vfs_name, "disk.%llu", ++made);
    vfs_fill(disk);
    sqlite3_vfs_register(&disk->vfs, 0);
    return disk;
}

void cdisk_free(cdisk *disk) {
    sqlite3_vfs_unregister(&disk->vfs);
    cdisk_erase(disk);
    free(disk->log);
    free(disk);
}

const char *cdisk_vfs(const cdisk *disk) { return disk->vfs_name; }
int cdisk_open_count(const cdisk *disk) { return disk->open_count; }
int64_t cdisk_calls(const cdisk *disk) { return disk->calls; }
int64_t cdisk_used(const cdisk *disk) { return disk->used; }

static bool begins(const node *file, const char *prefix) {
    return !strncmp(file->name, prefix, strlen(prefix));
}

void cdisk_copy(cdisk *to, const cdisk *from, const char *prefix) {
    for (int i = 0; i < file_limit; i++) {
        if (to->files[i] && begins(to->files[i], prefix)) disk_forget(to, to->files[i]);
    }
    for (int i = 0; i < file_limit; i++) {
        const node *file = from->files[i];
        if (!file || !file->exists || file->is_temporary || !begins(file, prefix)) continue;
        node *copy = disk_make(to, file->name);
        grow(to, copy, file->size, 0);
        if (file->size) memcpy(copy->bytes, file->bytes, (size_t)file->size);
    }
}

void cdisk_erase(cdisk *disk) {
    for (int i = 0; i < file_limit; i++) {
        if (disk->files[i]) disk_forget(disk, disk->files[i]);
    }
}

void cdisk_arm(cdisk *disk, int64_t calls) { disk->off_at = calls < 0 ? -1 : disk->calls + calls; }
void cdisk_cut(cdisk *disk) { disk->is_off = true; }
bool cdisk_is_off(const cdisk *disk) { return disk->is_off; }

void cdisk_start(cdisk *disk, bool lost_power) {
    for (int i = 0; lost_power && i < file_limit; i++) {
        if (disk->files[i]) lose(disk, disk->files[i]);
    }
    for (int i = 0; lost_power && i < file_limit; i++) {
        if (disk->files[i]) forget_undo(disk, disk->files[i]);
    }
    disk->is_off = false;
    disk->off_at = -1;
}

void cdisk_set_quota(cdisk *disk, int64_t bytes) { disk->quota = bytes; }
void cdisk_set_lying(cdisk *disk, bool lies) { disk->lies = lies; }
void cdisk_fail_once(cdisk *disk, int64_t calls) {
    disk->fail_at = calls < 0 ? -1 : disk->calls + calls;
}

bool cdisk_exists(const cdisk *disk, const char *name) { return disk_find(disk, name); }

int64_t cdisk_read(const cdisk *disk, const char *name, uint8_t *into, int64_t count) {
    const node *file = disk_find(disk, name);
    if (!file || disk->is_off) return -1;
    int64_t here = file->size < count ? file->size : count;
    if (here) memcpy(into, file->bytes, (size_t)here);
    return here;
}

static int reason(int code) {
    if (!code) return 0;
    return code == SQLITE_FULL ? ENOSPC : EIO;
}

int cdisk_write(cdisk *disk, const char *name, const uint8_t *bytes, int64_t count) {
    node *file = disk_find(disk, name);
    int code = file ? SQLITE_OK : disk_create(disk, name, &file);
    if (!code) code = disk_write(disk, file, bytes, count, 0);
    if (!code) code = disk_sync(disk, file);
    return reason(code);
}

int cdisk_remove(cdisk *disk, const char *name) { return reason(disk_remove(disk, name)); }

int64_t cdisk_size(const cdisk *disk, const char *name) {
    const node *file = disk_find(disk, name);
    return file ? file->size : -1;
}

void cdisk_flip(cdisk *disk, const char *name, int64_t bit) {
    node *file = disk_find(disk, name);
    if (file && bit / 8 < file->size) file->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
}
