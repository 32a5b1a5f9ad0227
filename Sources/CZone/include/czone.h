#ifndef CZONE_H
#define CZONE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How many seconds the clocks of a time zone are ahead of UTC at an instant in seconds since 1970;
/// false where this machine knows no such zone. For any thread.
///
/// The name becomes a path below the system's database, or, with a slash or `file:` at its start, any
/// path: let none in that was not looked at. Each name is kept for the life of the process.
bool czone_offset(const char *name, int64_t instant, int32_t *seconds);

#ifdef __cplusplus
}
#endif

#endif
