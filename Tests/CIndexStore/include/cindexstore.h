// The few calls that the house rules need of the toolchain's libIndexStore, which reads what the
// compiler wrote beside a build. It is loaded when it is used: it lies where the linker does not look.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct cindexstore cindexstore;

/// Opens the index store at a path with the library of the toolchain whose Swift library is loaded.
///
/// Null with a reason, which lives for ever, where either cannot be opened.
cindexstore *cindexstore_open(const char *path, const char **reason);
void cindexstore_close(cindexstore *store);

/// One compilation of one file; the record holds what stands in it.
typedef struct {
    char *file, *record;
    int64_t seconds, nanoseconds;
} cindexstore_unit;

/// All compilations, those of deleted files and former builds included; null without memory.
cindexstore_unit *cindexstore_units(cindexstore *store, size_t *count);
void cindexstore_units_free(cindexstore_unit *units, size_t count);

/// A place where a symbol stands. Roles and kinds are numbers of indexstore.h.
typedef struct {
    uint64_t roles;
    unsigned line;
    int kind;
    char *usr, *name;
    /// The parent of what is declared, or the extension of the type that is extended; else 0 and null.
    uint64_t relation;
    char *related_usr, *related_name;
} cindexstore_occurrence;

/// The places in a record, but for accessors and parameters: where they stand, their property or
/// function does, too. Null without memory, and where there is no such record.
cindexstore_occurrence *cindexstore_occurrences(cindexstore *store, const char *record,
                                                size_t *count);
void cindexstore_occurrences_free(cindexstore_occurrence *occurrences, size_t count);
