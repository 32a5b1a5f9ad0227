#include <malloc.h>

/// One arena for all threads (mallopt(3)): Swift's Glibc module leaves malloc.h out.
static inline void cmemory_use_one_arena(void) { mallopt(M_ARENA_MAX, 1); }
