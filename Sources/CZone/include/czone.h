#ifndef CZONE_H
#define CZONE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Computes the offset of a time zone from UTC, in seconds, at an instant in seconds since 1970.
/// Returns false if the system does not know the zone. Thread-safe.
///
/// The name becomes a path below the zone database; with a leading slash or `file:` it can be any
/// path. Pass only validated names. Each name is cached for the life of the process.
bool czone_offset(const char *name, int64_t instant, int32_t *seconds);

#ifdef __cplusplus
}
#endif

#endif
