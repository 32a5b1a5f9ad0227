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

static size_t compress_blocks(ZSTD_CCtx *context, ZSTD_outBuffer *out, const void *plain,
                              size_t count, const size_t *starts, size_t start_count, int level) {
    size_t result = ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
    if (!ZSTD_isError(result))
        result = ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
    if (!ZSTD_isError(result)) result = ZSTD_CCtx_setPledgedSrcSize(context, count);
    ZSTD_inBuffer in = {plain, 0, 0};
    for (size_t block = 0; block <= start_count && !ZSTD_isError(result); block++) {
        int is_last = block == start_count;
        in.size = is_last ? count : starts[block];
        result = ZSTD_compressStream2(context, out, &in, is_last ? ZSTD_e_end : ZSTD_e_flush);
        /* What is left to write after a flush does not fit the buffer. */
        if (!ZSTD_isError(result) && result > 0) return (size_t)-ZSTD_error_dstSize_tooSmall;
    }
    return ZSTD_isError(result) ? result : out->pos;
}

size_t czstd_compress_blocks(void *frame, size_t room, const void *plain, size_t count,
                             const size_t *starts, size_t start_count, int level) {
    ZSTD_CCtx *context = atomic_exchange(&spare_compression, NULL);
    if (context == NULL) context = ZSTD_createCCtx();
    if (context == NULL) return (size_t)-ZSTD_error_memory_allocation;
    ZSTD_outBuffer out = {frame, room, 0};
    size_t written = compress_blocks(context, &out, plain, count, starts, start_count, level);
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
