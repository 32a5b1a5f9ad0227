#define _GNU_SOURCE
#include "cindexstore.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;
typedef struct {
    const char *bytes;
    size_t count;
} text;

enum { record_dependency = 2 };
enum { parameter = 25 };
enum { child_of = 1 << 9, extended_by = 1 << 14 };
enum {
    getter = 3,
    setter = 4,
    first_observer = 1000,
    last_observer = 1003,
    first_coroutine = 1014,
    last_coroutine = 1018,
};

/// The functions of indexstore.h, without their prefix.
struct functions {
    handle (*store_create)(const char *path, handle *error);
    void (*store_dispose)(handle store);
    bool (*store_units_apply_f)(handle store, unsigned sorted, void *context,
                                bool (*apply)(void *context, text name));
    handle (*unit_reader_create)(handle store, const char *name, handle *error);
    void (*unit_reader_dispose)(handle unit);
    bool (*unit_reader_is_system_unit)(handle unit);
    text (*unit_reader_get_main_file)(handle unit);
    void (*unit_reader_get_modification_time)(handle unit, int64_t *seconds, int64_t *nanoseconds);
    bool (*unit_reader_dependencies_apply_f)(handle unit, void *context,
                                             bool (*apply)(void *context, handle dependency));
    int (*unit_dependency_get_kind)(handle dependency);
    text (*unit_dependency_get_filepath)(handle dependency);
    text (*unit_dependency_get_name)(handle dependency);
    handle (*record_reader_create)(handle store, const char *name, handle *error);
    void (*record_reader_dispose)(handle record);
    bool (*record_reader_occurrences_apply_f)(handle record, void *context,
                                              bool (*apply)(void *context, handle occurrence));
    handle (*occurrence_get_symbol)(handle occurrence);
    uint64_t (*occurrence_get_roles)(handle occurrence);
    void (*occurrence_get_line_col)(handle occurrence, unsigned *line, unsigned *column);
    bool (*occurrence_relations_apply_f)(handle occurrence, void *context,
                                         bool (*apply)(void *context, handle relation));
    int (*symbol_get_kind)(handle symbol);
    int (*symbol_get_subkind)(handle symbol);
    text (*symbol_get_usr)(handle symbol);
    text (*symbol_get_name)(handle symbol);
    uint64_t (*symbol_relation_get_roles)(handle relation);
    handle (*symbol_relation_get_symbol)(handle relation);
    void (*error_dispose)(handle error);
};

struct cindexstore {
    struct functions call;
    handle library, store;
};

/// What a callback needs of the call that it serves, and the list that it adds to.
struct walk {
    struct cindexstore *store;
    handle unit;
    void *list;
    size_t count;
    /// Whether there was memory for all.
    bool is_whole;
};

/// lib/libIndexStore.so, three folders above the Swift library lib/swift/linux/libswiftCore.so.
static handle load(void) {
    Dl_info swift;
    void *symbol = dlsym(RTLD_DEFAULT, "swift_retain");
    char path[PATH_MAX];
    if (!symbol || !dladdr(symbol, &swift) || !realpath(swift.dli_fname, path)) return NULL;
    for (int level = 0; level < 3; level++) {
        char *slash = strrchr(path, '/');
        if (!slash) return NULL;
        *slash = 0;
    }
    if (strlen(path) + sizeof "/libIndexStore.so" > sizeof path) return NULL;
    return dlopen(strcat(path, "/libIndexStore.so"), RTLD_NOW | RTLD_LOCAL);
}

static bool find(handle library, struct functions *call) {
    bool all = true;
#define FIND(name) all = (*(void **)&call->name = dlsym(library, "indexstore_" #name)) && all
    FIND(store_create);
    FIND(store_dispose);
    FIND(store_units_apply_f);
    FIND(unit_reader_create);
    FIND(unit_reader_dispose);
    FIND(unit_reader_is_system_unit);
    FIND(unit_reader_get_main_file);
    FIND(unit_reader_get_modification_time);
    FIND(unit_reader_dependencies_apply_f);
    FIND(unit_dependency_get_kind);
    FIND(unit_dependency_get_filepath);
    FIND(unit_dependency_get_name);
    FIND(record_reader_create);
    FIND(record_reader_dispose);
    FIND(record_reader_occurrences_apply_f);
    FIND(occurrence_get_symbol);
    FIND(occurrence_get_roles);
    FIND(occurrence_get_line_col);
    FIND(occurrence_relations_apply_f);
    FIND(symbol_get_kind);
    FIND(symbol_get_subkind);
    FIND(symbol_get_usr);
    FIND(symbol_get_name);
    FIND(symbol_relation_get_roles);
    FIND(symbol_relation_get_symbol);
    FIND(error_dispose);
#undef FIND
    return all;
}

cindexstore *cindexstore_open(const char *path, const char **reason) {
    struct cindexstore *store = calloc(1, sizeof *store);
    *reason = "no memory";
    if (!store) return NULL;
    handle error = NULL;
    *reason = "the toolchain has no lib/libIndexStore.so beside lib/swift";
    if ((store->library = load()) && find(store->library, &store->call)) {
        *reason = "it is no index store";
        if ((store->store = store->call.store_create(path, &error))) return store;
        if (error) store->call.error_dispose(error);
    }
    cindexstore_close(store);
    return NULL;
}

void cindexstore_close(cindexstore *store) {
    if (store->store) store->call.store_dispose(store->store);
    if (store->library) dlclose(store->library);
    free(store);
}

/// Room for one more in a list that doubles; null without memory, and the list stays.
static void *grow(void **list, size_t count, size_t size) {
    if (!(count & (count - 1))) {
        void *larger = realloc(*list, (count ? count * 2 : 1) * size);
        if (!larger) return NULL;
        *list = larger;
    }
    return memset((char *)*list + count * size, 0, size);
}

static char *copy(text text) { return strndup(text.bytes, text.count); }

static bool add_unit(void *context, handle dependency) {
    struct walk *walk = context;
    struct functions *call = &walk->store->call;
    if (call->unit_dependency_get_kind(dependency) != record_dependency) return true;
    text file = call->unit_dependency_get_filepath(dependency);
    text main = call->unit_reader_get_main_file(walk->unit);
    if (file.count != main.count || memcmp(file.bytes, main.bytes, file.count)) return true;
    cindexstore_unit *unit = grow(&walk->list, walk->count, sizeof *unit);
    walk->is_whole = walk->is_whole && unit;
    if (!unit) return false;
    walk->count++;
    unit->file = copy(file);
    unit->record = copy(call->unit_dependency_get_name(dependency));
    call->unit_reader_get_modification_time(walk->unit, &unit->seconds, &unit->nanoseconds);
    walk->is_whole = walk->is_whole && unit->file && unit->record;
    return true;
}

static bool add_units(void *context, text text) {
    struct walk *walk = context;
    struct functions *call = &walk->store->call;
    char *name = copy(text);
    handle error = NULL;
    walk->unit = name ? call->unit_reader_create(walk->store->store, name, &error) : NULL;
    free(name);
    if (error) call->error_dispose(error);
    if (!walk->unit) return true;
    if (!call->unit_reader_is_system_unit(walk->unit)) {
        call->unit_reader_dependencies_apply_f(walk->unit, walk, add_unit);
    }
    call->unit_reader_dispose(walk->unit);
    return true;
}

cindexstore_unit *cindexstore_units(cindexstore *store, size_t *count) {
    struct walk walk = {.store = store, .is_whole = true};
    store->call.store_units_apply_f(store->store, 0, &walk, add_units);
    *count = walk.count;
    if (walk.is_whole) return walk.list;
    cindexstore_units_free(walk.list, walk.count);
    return NULL;
}

void cindexstore_units_free(cindexstore_unit *units, size_t count) {
    for (size_t index = 0; index < count; index++) {
        free(units[index].file);
        free(units[index].record);
    }
    free(units);
}

static bool is_accessor(int subkind) {
    return subkind == getter || subkind == setter
        || (subkind >= first_observer && subkind <= last_observer)
        || (subkind >= first_coroutine && subkind <= last_coroutine);
}

static bool add_relation(void *context, handle relation) {
    struct walk *walk = context;
    struct functions *call = &walk->store->call;
    cindexstore_occurrence *occurrence = (cindexstore_occurrence *)walk->list + walk->count - 1;
    uint64_t roles = call->symbol_relation_get_roles(relation);
    if (!(roles & (child_of | extended_by))) return true;
    handle symbol = call->symbol_relation_get_symbol(relation);
    occurrence->relation = roles;
    occurrence->related_usr = copy(call->symbol_get_usr(symbol));
    occurrence->related_name = copy(call->symbol_get_name(symbol));
    walk->is_whole = walk->is_whole && occurrence->related_usr && occurrence->related_name;
    return false;
}

static bool add_occurrence(void *context, handle place) {
    struct walk *walk = context;
    struct functions *call = &walk->store->call;
    handle symbol = call->occurrence_get_symbol(place);
    int kind = call->symbol_get_kind(symbol);
    if (kind == parameter || is_accessor(call->symbol_get_subkind(symbol))) return true;
    cindexstore_occurrence *occurrence = grow(&walk->list, walk->count, sizeof *occurrence);
    walk->is_whole = occurrence;
    if (!occurrence) return false;
    walk->count++;
    unsigned column;
    call->occurrence_get_line_col(place, &occurrence->line, &column);
    occurrence->roles = call->occurrence_get_roles(place);
    occurrence->kind = kind;
    occurrence->usr = copy(call->symbol_get_usr(symbol));
    occurrence->name = copy(call->symbol_get_name(symbol));
    walk->is_whole = occurrence->usr && occurrence->name;
    call->occurrence_relations_apply_f(place, walk, add_relation);
    return walk->is_whole;
}

cindexstore_occurrence *cindexstore_occurrences(cindexstore *store, const char *record,
                                                size_t *count) {
    handle error = NULL;
    handle reader = store->call.record_reader_create(store->store, record, &error);
    if (error) store->call.error_dispose(error);
    if (!reader) return NULL;
    struct walk walk = {.store = store, .is_whole = true};
    store->call.record_reader_occurrences_apply_f(reader, &walk, add_occurrence);
    store->call.record_reader_dispose(reader);
    *count = walk.count;
    if (walk.is_whole) return walk.list;
    cindexstore_occurrences_free(walk.list, walk.count);
    return NULL;
}

void cindexstore_occurrences_free(cindexstore_occurrence *occurrences, size_t count) {
    for (size_t index = 0; index < count; index++) {
        free(occurrences[index].usr);
        free(occurrences[index].name);
        free(occurrences[index].related_usr);
        free(occurrences[index].related_name);
    }
    free(occurrences);
}
