#ifndef CZSTD_H
#define CZSTD_H

#include <zstd.h>

/// Like ZSTD_compress and ZSTD_decompress, but the context is reused for the next frame. For a
/// frame of a few hundred bytes, creating it takes fifty times as long as decompressing.
size_t czstd_compress(void *frame, size_t room, const void *plain, size_t count, int level);
size_t czstd_decompress(void *plain, size_t room, const void *frame, size_t count);

/// Compresses like czstd_compress, but begins a new block at each of the `starts`, which ascend.
/// Each block has its own entropy tables, so columns of different kinds do not spoil each other's.
size_t czstd_compress_blocks(void *frame, size_t room, const void *plain, size_t count,
                             const size_t *starts, size_t start_count, int level);

#endif
