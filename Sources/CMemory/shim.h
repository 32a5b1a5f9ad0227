#include <malloc.h>

/// Limits malloc to one arena for all threads (mallopt(3)). Swift's Glibc module lacks malloc.h.
static inline void cmemory_use_one_arena(void) { mallopt(M_ARENA_MAX, 1); }
