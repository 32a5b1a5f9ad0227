// Checksums of pages, and lists of those that were found wrong; private to this module.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { page_size = 4096, sum_size = 4, noted_pages = 1024 };

typedef struct {
    uint32_t pages[noted_pages];
    int count;
} page_list;

/// Pages in which one flipped bit was put right, and pages with more damage.
typedef struct {
    page_list corrected, damaged;
    /// Whether commits are missing: the write-ahead log is damaged, shorter than its mark says, or gone.
    bool has_lost_commits;
    /// Whether a flipped bit of the log could not be put right in the file.
    bool is_unwritten;
} page_faults;

static inline void note(page_list *list, uint32_t number) {
    for (int i = 0; i < list->count; i++)
        if (list->pages[i] == number) return;
    // Beyond the limit a page could not be told from one that was noted.
    if (list->count < noted_pages) list->pages[list->count++] = number;
}

static inline void forget(page_list *list, uint32_t number) {
    for (int i = 0; i < list->count; i++)
        if (list->pages[i] == number) list->pages[i] = list->pages[--list->count];
}

static inline uint32_t number_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline void put_number(uint8_t *bytes, uint32_t number) {
    for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(number >> (24 - 8 * i));
}

typedef enum { page_sound, page_corrected, page_damaged } page_verdict;

/// Compares a page with its sum, and puts one flipped bit right.
page_verdict check_page(uint8_t *page, uint32_t number);

/// Puts a mark in place of the sum of a page that goes to SQLite, if it is damaged: what is made of its
/// content may be wrong, and must not get a right sum. SQLite keeps the mark with the page.
void mark_in_copy(uint8_t *page, bool is_damaged);

/// Whether a page of SQLite's has the mark.
bool is_marked(const uint8_t *page);

/// Gives a page that comes from SQLite its sum, or if it has the mark, a wrong one that stays.
void store_sum(uint8_t *page, uint32_t number);

/// Whether nothing was ever written there: SQLite leaves pages out of a file that grows.
bool is_blank(const uint8_t *page);
