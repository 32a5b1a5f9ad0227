#include "czstd.h"

#include <pthread.h>
#include <stdlib.h>
#include <zstd_errors.h>

typedef struct {
    ZSTD_CCtx *compression;
    ZSTD_DCtx *decompression;
} workspace;

static pthread_key_t workspace_key;
static int has_key;

static void free_workspace(void *value) {
    workspace *kept = value;
    ZSTD_freeCCtx(kept->compression);
    ZSTD_freeDCtx(kept->decompression);
    free(kept);
}

static void make_key(void) { has_key = pthread_key_create(&workspace_key, free_workspace) == 0; }

/* This thread's; NULL where there is no memory for one. */
static workspace *thread_workspace(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (pthread_once(&once, make_key) != 0 || !has_key) return NULL;
    workspace *kept = pthread_getspecific(workspace_key);
    if (kept != NULL) return kept;
    kept = calloc(1, sizeof *kept);
    if (kept != NULL && pthread_setspecific(workspace_key, kept) == 0) return kept;
    free(kept);
    return NULL;
}

size_t czstd_compress(void *frame, size_t room, const void *plain, size_t count, int level) {
    workspace *kept = thread_workspace();
    if (kept != NULL && kept->compression == NULL) kept->compression = ZSTD_createCCtx();
    if (kept == NULL || kept->compression == NULL) return (size_t)-ZSTD_error_memory_allocation;
    return ZSTD_compressCCtx(kept->compression, frame, room, plain, count, level);
}

size_t czstd_decompress(void *plain, size_t room, const void *frame, size_t count) {
    workspace *kept = thread_workspace();
    if (kept != NULL && kept->decompression == NULL) kept->decompression = ZSTD_createDCtx();
    if (kept == NULL || kept->decompression == NULL) return (size_t)-ZSTD_error_memory_allocation;
    return ZSTD_decompressDCtx(kept->decompression, plain, room, frame, count);
}
