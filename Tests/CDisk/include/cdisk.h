#pragma once

#include <stdbool.h>
#include <stdint.h>

/// A disk in memory that SQLite works on through a VFS of its own, and that can be broken.
///
/// What is written is there at once for whoever reads; it is durable when its file was synced.
/// Writes, truncations, removals, new files and syncs count as storage calls. Nothing here depends
/// on time or on randomness other than the seed. One thread at a time.
typedef struct cdisk cdisk;

cdisk *cdisk_make(uint64_t seed);
/// No file of it may be open.
void cdisk_free(cdisk *disk);

/// The name of its VFS.
const char *cdisk_vfs(const cdisk *disk);
/// Files that are open now.
int cdisk_open_count(const cdisk *disk);
/// Storage calls so far.
int64_t cdisk_calls(const cdisk *disk);
/// The bytes of all files.
int64_t cdisk_used(const cdisk *disk);

/// Makes the files of one disk whose names begin so those of another, all durable; none of them may
/// be open.
void cdisk_copy(cdisk *to, const cdisk *from, const char *prefix);
/// Removes all files; none may be open.
void cdisk_erase(cdisk *disk);

/// The machine goes off at a storage call: 0 is the next one. That call is done in part.
void cdisk_arm(cdisk *disk, int64_t calls);
/// The machine goes off now.
void cdisk_cut(cdisk *disk);
bool cdisk_is_off(const cdisk *disk);
/// The machine goes on again. What was not synced is lost from somewhere on where the power was
/// away, and is there where only the process died. No file may be open.
void cdisk_start(cdisk *disk, bool lost_power);

/// The bytes that there is room for; negative for any number.
void cdisk_set_quota(cdisk *disk, int64_t bytes);
/// A lying disk syncs nothing and says that it did.
void cdisk_set_lying(cdisk *disk, bool lies);
/// One storage call fails with an error of the disk: 0 is the next one.
void cdisk_fail_once(cdisk *disk, int64_t calls);

bool cdisk_exists(const cdisk *disk, const char *name);
/// The number of bytes that were read, or negative.
int64_t cdisk_read(const cdisk *disk, const char *name, uint8_t *into, int64_t count);
/// Writes from the file's start and syncs it; an errno.
int cdisk_write(cdisk *disk, const char *name, const uint8_t *bytes, int64_t count);
int cdisk_remove(cdisk *disk, const char *name);
/// The bytes of a file, or negative if there is none.
int64_t cdisk_size(const cdisk *disk, const char *name);
/// Flips one bit of a file; the next read returns the changed byte.
void cdisk_flip(cdisk *disk, const char *name, int64_t bit);
