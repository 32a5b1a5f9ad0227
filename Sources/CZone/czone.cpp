#include "czone.h"

#include <cctz/time_zone.h>

#include <chrono>

bool czone_offset(const char *name, int64_t instant, int32_t *seconds) {
    cctz::time_zone zone;
    if (!cctz::load_time_zone(name, &zone)) return false;
    *seconds = zone.lookup(cctz::time_point<cctz::seconds>(cctz::seconds(instant))).offset;
    return true;
}
