#pragma once

#include "include/cdisk.h"

#include <sqlite3.h>

enum { name_limit = 96, file_limit = 64, lock_count = SQLITE_SHM_NLOCK };

/// A file, its locks, and the index that its connections share.
typedef struct {
    char name[name_limit];
    bool exists;
    /// A file without a name goes away with its only handle.
    bool is_temporary;
    uint8_t *bytes;
    int64_t size, room;
    int open_count, shared;
    const void *reserved, *exclusive;
    uint8_t **regions;
    int region_count;
    int shm_shared[lock_count];
    const void *shm_exclusive[lock_count];
} node;

/// What one write or truncation did away with, for as long as its file is not synced.
typedef struct {
    node *file;
    bool is_truncation;
    int64_t offset, count, size_before;
    uint8_t *old;
    int64_t old_count;
} undo;

struct cdisk {
    sqlite3_vfs vfs;
    char vfs_name[32];
    node *files[file_limit];
    undo *log;
    int64_t log_count, log_room;
    uint64_t random;
    int64_t calls, used, quota, off_at, fail_at;
    int open_count;
    bool is_off, lies;
};

uint64_t disk_random(cdisk *disk);
node *disk_find(const cdisk *disk, const char *name);
node *disk_make(cdisk *disk, const char *name);
void disk_forget(cdisk *disk, node *file);
/// Each is one storage call and gives a result code of SQLite.
int disk_create(cdisk *disk, const char *name, node **made);
int disk_write(cdisk *disk, node *file, const uint8_t *bytes, int64_t count, int64_t offset);
int disk_truncate(cdisk *disk, node *file, int64_t size);
int disk_sync(cdisk *disk, node *file);
int disk_remove(cdisk *disk, const char *name);

void vfs_fill(cdisk *disk);
