#include "czstd.h"

#include <stdatomic.h>
#include <zstd_errors.h>

/* At most one spare context of each kind: per-thread ones would stay allocated for each thread. */
static _Atomic(ZSTD_CCtx *) spare_compression;
static _Atomic(ZSTD_DCtx *) spare_decompression;

size_t czstd_compress(void *frame, size_t room, const void *plain, size_t count, int level) {
    ZSTD_CCtx *context = atomic_exchange(&spare_compression, NULL);
    if (context == NULL) context = ZSTD_createCCtx();
    if (context == NULL) return (size_t)-ZSTD_error_memory_allocation;
    size_t written = ZSTD_compressCCtx(context, frame, room, plain, count, level);
    ZSTD_freeCCtx(atomic_exchange(&spare_compression, context));
    return written;
}

size_t czstd_decompress(void *plain, size_t room, const void *frame, size_t count) {
    ZSTD_DCtx *context = atomic_exchange(&spare_decompression, NULL);
    if (context == NULL) context = ZSTD_createDCtx();
    if (context == NULL) return (size_t)-ZSTD_error_memory_allocation;
    size_t written = ZSTD_decompressDCtx(context, plain, room, frame, count);
    ZSTD_freeDCtx(atomic_exchange(&spare_decompression, context));
    return written;
}
