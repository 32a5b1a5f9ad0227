#include "disk.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    sqlite3_file base;
    cdisk *disk;
    node *file;
    int level;
    uint16_t shm_shared, shm_exclusive;
} handle;

static cdisk *disk_of(sqlite3_vfs *vfs) { return vfs->pAppData; }

static void drop_index(node *file) {
    for (int i = 0; i < file->region_count; i++) free(file->regions[i]);
    free(file->regions);
    file->regions = 0;
    file->region_count = 0;
}

static int unlock_to(handle *h, int level) {
    node *file = h->file;
    if (file->exclusive == h && level < SQLITE_LOCK_EXCLUSIVE) file->exclusive = 0;
    if (file->reserved == h && level < SQLITE_LOCK_RESERVED) file->reserved = 0;
    if (h->level >= SQLITE_LOCK_SHARED && level == SQLITE_LOCK_NONE) file->shared--;
    if (level < h->level) h->level = level;
    return SQLITE_OK;
}

static int file_close(sqlite3_file *base) {
    handle *h = (handle *)base;
    unlock_to(h, SQLITE_LOCK_NONE);
    h->disk->open_count--;
    if (!--h->file->open_count) {
        drop_index(h->file);
        if (h->file->is_temporary || !h->file->exists) disk_forget(h->disk, h->file);
    }
    return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *into, int count, sqlite3_int64 offset) {
    handle *h = (handle *)base;
    if (h->disk->is_off) return SQLITE_IOERR_READ;
    int64_t here = h->file->size - offset;
    if (here > count) here = count;
    if (here > 0) memcpy(into, h->file->bytes + offset, (size_t)here);
    if (here >= count) return SQLITE_OK;
    if (here < 0) here = 0;
    memset((uint8_t *)into + here, 0, (size_t)(count - here));
    return SQLITE_IOERR_SHORT_READ;
}

static int file_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    handle *h = (handle *)base;
    return disk_write(h->disk, h->file, bytes, count, offset);
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    handle *h = (handle *)base;
    return disk_truncate(h->disk, h->file, size);
}

static int file_sync(sqlite3_file *base, int flags) {
    handle *h = (handle *)base;
    (void)flags;
    return disk_sync(h->disk, h->file);
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    handle *h = (handle *)base;
    if (h->disk->is_off) return SQLITE_IOERR_FSTAT;
    *size = h->file->size;
    return SQLITE_OK;
}

static int file_lock(sqlite3_file *base, int level) {
    handle *h = (handle *)base;
    node *file = h->file;
    if (h->level >= level) return SQLITE_OK;
    if (file->exclusive && file->exclusive != h) return SQLITE_BUSY;
    if (level >= SQLITE_LOCK_RESERVED && file->reserved && file->reserved != h) return SQLITE_BUSY;
    if (level == SQLITE_LOCK_EXCLUSIVE && file->shared > 1) return SQLITE_BUSY;
    if (h->level < SQLITE_LOCK_SHARED) file->shared++;
    if (level >= SQLITE_LOCK_RESERVED) file->reserved = h;
    if (level == SQLITE_LOCK_EXCLUSIVE) file->exclusive = h;
    h->level = level;
    return SQLITE_OK;
}

static int file_unlock(sqlite3_file *base, int level) { return unlock_to((handle *)base, level); }

static int file_check_reserved(sqlite3_file *base, int *is_reserved) {
    *is_reserved = ((handle *)base)->file->reserved != 0;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    (void)base, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int file_sector_size(sqlite3_file *base) {
    (void)base;
    return 4096;
}

static int file_characteristics(sqlite3_file *base) {
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int shm_map(sqlite3_file *base, int index, int size, int extend, void volatile **region) {
    node *file = ((handle *)base)->file;
    *region = 0;
    if (((handle *)base)->disk->is_off) return SQLITE_IOERR_SHMMAP;
    if (index >= file->region_count) {
        if (!extend) return SQLITE_OK;
        file->regions = realloc(file->regions, (size_t)(index + 1) * sizeof *file->regions);
        for (int i = file->region_count; i <= index; i++) file->regions[i] = calloc(1, (size_t)size);
        file->region_count = index + 1;
    }
    *region = file->regions[index];
    return SQLITE_OK;
}

static bool is_free(const handle *h, int slot, bool for_exclusive) {
    const node *file = h->file;
    if (file->shm_exclusive[slot] && file->shm_exclusive[slot] != h) return false;
    return !for_exclusive || file->shm_shared[slot] == (h->shm_shared >> slot & 1);
}

static int shm_lock(sqlite3_file *base, int first, int count, int flags) {
    handle *h = (handle *)base;
    node *file = h->file;
    bool is_exclusive = flags & SQLITE_SHM_EXCLUSIVE;
    for (int slot = first; slot < first + count; slot++) {
        if (flags & SQLITE_SHM_LOCK && !is_free(h, slot, is_exclusive)) return SQLITE_BUSY;
    }
    for (int slot = first; slot < first + count; slot++) {
        uint16_t bit = (uint16_t)(1 << slot);
        if (flags & SQLITE_SHM_UNLOCK) {
            if (h->shm_shared & bit) file->shm_shared[slot]--;
            if (h->shm_exclusive & bit) file->shm_exclusive[slot] = 0;
            h->shm_shared &= (uint16_t)~bit;
            h->shm_exclusive &= (uint16_t)~bit;
        } else if (is_exclusive) {
            file->shm_exclusive[slot] = h;
            h->shm_exclusive |= bit;
        } else if (!(h->shm_shared & bit)) {
            file->shm_shared[slot]++;
            h->shm_shared |= bit;
        }
    }
    return SQLITE_OK;
}

static void shm_barrier(sqlite3_file *base) { (void)base; }

static int shm_unmap(sqlite3_file *base, int deletes) {
    (void)deletes;
    return shm_lock(base, 0, lock_count, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED);
}

static const sqlite3_io_methods methods = {
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

static int vfs_open(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags
) {
    handle *h = (handle *)base;
    memset(h, 0, sizeof *h);
    cdisk *disk = disk_of(vfs);
    if (disk->is_off) return SQLITE_CANTOPEN;
    node *file = name ? disk_find(disk, name) : disk_make(disk, 0);
    if (!file && name && flags & SQLITE_OPEN_CREATE) {
        int code = disk_create(disk, name, &file);
        if (code) return code;
    }
    if (!file) return SQLITE_CANTOPEN;
    file->open_count++;
    disk->open_count++;
    h->disk = disk;
    h->file = file;
    h->base.pMethods = &methods;
    if (out_flags) *out_flags = flags;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    (void)syncs;
    return disk_remove(disk_of(vfs), name);
}

/// As the system's VFS, which takes an empty file for none.
static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    (void)flags;
    const node *file = disk_find(disk_of(vfs), name);
    *result = file && file->size > 0;
    return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int count, char *full) {
    (void)vfs;
    sqlite3_snprintf(count, full, "%s", name);
    return SQLITE_OK;
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    for (int i = 0; i < count; i++) bytes[i] = (char)disk_random(disk_of(vfs));
    return count;
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return microseconds;
}

/// Some Julian day: nothing that SQLite does here asks for the time.
static int vfs_time(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    (void)vfs;
    *milliseconds = 2461000LL * 86400000;
    return SQLITE_OK;
}

void vfs_fill(cdisk *disk) {
    disk->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = sizeof(handle),
        .mxPathname = name_limit - 1,
        .zName = disk->vfs_name,
        .pAppData = disk,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTimeInt64 = vfs_time,
    };
}
