// The checksum of a page: a CRC-32 (IEEE 802.3) over the number of the page and its content, in the
// last bytes of the page, which SQLite leaves free (sqlite.org/fileformat2.html, "reserved bytes").
//
// For pages of 4 KiB it tells every change of one and two bits from each other, so that one flipped bit
// is found and put right (Koopman, "32-Bit Cyclic Redundancy Codes for Internet Applications", 2002:
// Hamming distance 4 up to 91,607 bits). Of pages with more wrong bits, one in 131,000 looks like a page
// with one, and is put wrong.

#include "pages.h"
#include "csqlite.h"

#include <string.h>
#include <zlib.h>

enum { content_size = page_size - sum_size };

/// The sum of a page, with the number in front: a page at a wrong place is wrong too.
static uint32_t sum(const uint8_t *page, uint32_t number) {
    uint8_t first[4];
    put_number(first, number);
    return (uint32_t)crc32(crc32(0, first, sizeof first), page, content_size);
}

/// What a damaged page has instead of its sum: two wrong bits, which nothing puts right.
enum { damaged_mark = 3 };

/// What SQLite's copy of a damaged page has in place of the sum, where SQLite keeps it in its cache and
/// in the write-ahead log.
static const uint8_t mark_in_memory[sum_size] = {'b', 'a', 'd', '!'};

void mark_in_copy(uint8_t *page, bool is_damaged) {
    uint8_t *place = page + content_size;
    if (is_damaged) memcpy(place, mark_in_memory, sum_size);
    else memset(place, 0, sum_size);
}

bool is_marked(const uint8_t *page) { return !memcmp(page + content_size, mark_in_memory, sum_size); }

void store_sum(uint8_t *page, uint32_t number) {
    put_number(page + content_size, sum(page, number) ^ (is_marked(page) ? damaged_mark : 0));
}

/// Whether nothing was ever written there: SQLite leaves pages out of a file that grows.
bool is_blank(const uint8_t *page) { return !page[0] && !memcmp(page, page + 1, page_size - 1); }

/// Makes a page with a single bit blank.
static bool make_blank(uint8_t *page) {
    for (int i = 0; i < page_size; i++) {
        uint8_t byte = page[i];
        if (!byte) continue;
        if (byte & (byte - 1)) return false;
        page[i] = 0;
        if (is_blank(page)) return true;
        page[i] = byte;
        return false;
    }
    return false;
}

/// Puts one flipped bit right; returns false if more is wrong.
///
/// A CRC is linear: the difference of the sums depends on the place of the bit alone.
static bool correct(uint8_t *page, uint32_t difference) {
    if (!(difference & (difference - 1))) {
        put_number(page + content_size, number_at(page + content_size) ^ difference);
        return true;
    }
    const z_crc_t *table = get_crc_table();
    uint32_t differences[8];
    for (int bit = 0; bit < 8; bit++) differences[bit] = (uint32_t)table[1 << bit];
    for (int place = content_size - 1; place >= 0; place--) {
        for (int bit = 0; bit < 8; bit++) {
            if (differences[bit] == difference) {
                page[place] ^= (uint8_t)(1 << bit);
                return true;
            }
            differences[bit] = differences[bit] >> 8 ^ (uint32_t)table[differences[bit] & 255];
        }
    }
    return make_blank(page);
}

page_verdict check_page(uint8_t *page, uint32_t number) {
    uint32_t difference = sum(page, number) ^ number_at(page + content_size);
    if (!difference || is_blank(page)) return page_sound;
    return correct(page, difference) ? page_corrected : page_damaged;
}

bool csqlite_correct_page(uint8_t *page, uint32_t number) {
    return check_page(page, number) != page_damaged;
}
