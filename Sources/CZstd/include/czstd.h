#ifndef CZSTD_H
#define CZSTD_H

#include <zstd.h>

/// As ZSTD_compress and ZSTD_decompress, with what they work in kept for the next frame: for a frame
/// of some hundred bytes, making it takes fifty times as long as decompressing.
size_t czstd_compress(void *frame, size_t room, const void *plain, size_t count, int level);
size_t czstd_decompress(void *plain, size_t room, const void *frame, size_t count);

#endif
