// Finds flipped bits in SQLite's write-ahead log (sqlite.org/fileformat2.html#walformat).
//
// SQLite compares the sums of the frames only after a crash. Then it drops the first wrong frame and
// all that follow, without a word: one flipped bit loses what was written since the checkpoint.
//
// A frame's sum is two words, which add up the words of the log from its beginning: a changed word
// changes them by a known multiple of the change. So the bit can be looked for. The multiples of the
// nine high bits of a word repeat within a frame: of all bits about three in four have a multiple of
// their own, and are put right. Of the others most have one answer that gives a readable page at its
// place; else the frame passes as it is, and its page is noted.
//
// A frame with more wrong bits is dropped with all that follow, as SQLite does: a disk that reports a
// write that it did not do leaves the same behind at a power failure. If commits follow, that is noted.

#include "log.h"

#include <stdlib.h>
#include <string.h>

/// The words of a frame under its sum: its page's number, the size of the database after a commit or
/// 0, and the page.
enum { frame_words = 2 + page_size / 4 };

typedef struct {
    uint32_t first, second;
} log_sum;

typedef struct {
    sqlite3_file *file, *database;
    uint8_t header[log_header_size];
    /// Whether words are added as big-endian numbers: as the computer that made the log keeps them.
    bool is_big_endian;
    /// The number of whole frames, and the highest number that a page can have.
    uint32_t frames, pages;
    /// The pages of the database after the last commit, and the highest page of the frames since: known
    /// during a walk alone.
    uint32_t size, highest;
    bool is_walked;
} wal;

static void put_sum(uint8_t *bytes, log_sum sum) {
    put_number(bytes, sum.first);
    put_number(bytes + 4, sum.second);
}

static log_sum sum_at(const uint8_t *bytes) {
    return (log_sum){number_at(bytes), number_at(bytes + 4)};
}

static bool is_equal(log_sum one, log_sum other) {
    return one.first == other.first && one.second == other.second;
}

static bool is_one_bit(uint32_t word) { return word && !(word & (word - 1)); }

/// Whether exactly one bit of two words differs.
static bool is_near(log_sum one, log_sum other) {
    uint32_t first = one.first ^ other.first, second = one.second ^ other.second;
    return (is_one_bit(first) && !second) || (!first && is_one_bit(second));
}

static uint32_t word_at(const wal *log, const uint8_t *bytes) {
    if (log->is_big_endian) return number_at(bytes);
    return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

static log_sum add(const wal *log, log_sum sum, const uint8_t *bytes, int count) {
    for (int i = 0; i < count; i += 8) {
        sum.first += word_at(log, bytes + i) + sum.second;
        sum.second += word_at(log, bytes + i + 4) + sum.first;
    }
    return sum;
}

/// The sum of a frame that comes after others with the sum `before`.
static log_sum sum_of(const wal *log, log_sum before, const uint8_t *frame) {
    return add(log, add(log, before, frame, 8), frame + frame_header_size, page_size);
}

static log_sum sum_of_header(const wal *log) {
    return add(log, (log_sum){0, 0}, log->header, log_header_size - 8);
}

/// Where a frame keeps its sum, and the log's salts, which tell its frames from those of earlier logs.
enum { sum_place = 16, salt_place = 8 };

static log_sum salts_of(const wal *log) { return sum_at(log->header + 16); }

bool is_commit(const uint8_t *frame) { return number_at(frame + 4) != 0; }

static int64_t place_of(uint32_t frame) { return log_header_size + (int64_t)frame * frame_size; }

/// The place of the stored sum before a frame: in the frame before, or in the log's header.
static int64_t place_before(uint32_t frame) {
    return frame == 0 ? log_header_size - 8 : place_of(frame - 1) + sum_place;
}

static log_sum stored_before(const wal *log, uint32_t frame) {
    uint8_t bytes[8] = {0};
    log->file->pMethods->xRead(log->file, bytes, sizeof bytes, place_before(frame));
    return sum_at(bytes);
}

static bool read_frame(const wal *log, uint32_t number, uint8_t *frame) {
    return number < log->frames
        && log->file->pMethods->xRead(log->file, frame, frame_size, place_of(number)) == SQLITE_OK;
}

static int write_frame(const wal *log, uint32_t number, const uint8_t *frame) {
    return log->file->pMethods->xWrite(log->file, frame, frame_size, place_of(number));
}

static void flip(const wal *log, uint8_t *frame, int word, uint32_t bit) {
    uint8_t *bytes = word < 2 ? frame + 4 * word : frame + frame_header_size + 4 * (word - 2);
    for (int i = 0; i < 4; i++) {
        int byte = log->is_big_endian ? 3 - i : i;
        bytes[byte] ^= (uint8_t)(bit >> (8 * i));
    }
}

static uint32_t short_at(const uint8_t *bytes) { return (uint32_t)bytes[0] << 8 | bytes[1]; }

/// Whether a page can be one of a b-tree: its cells are where the page says they are.
static bool is_tree_page(const uint8_t *page, uint32_t start) {
    uint8_t type = page[start];
    uint32_t header = start + (type == 2 || type == 5 ? 12 : 8);
    uint32_t count = short_at(page + start + 3), content = short_at(page + start + 5);
    if (header + 2 * count > content || content > page_size) return false;
    for (uint32_t cell = 0; cell < count; cell++) {
        uint32_t place = short_at(page + header + 2 * cell);
        if (place < content || place >= page_size) return false;
    }
    return true;
}

/// Whether the database can have such a page of the frame's number, and as many pages as it says.
static bool is_plausible(const wal *log, const uint8_t *frame) {
    uint32_t page = number_at(frame), size = number_at(frame + 4);
    const uint8_t *content = frame + frame_header_size;
    if (page == 0 || page > log->pages || size > log->pages) return false;
    uint8_t type = content[page == 1 ? 100 : 0];
    if (type == 2 || type == 5 || type == 10 || type == 13)
        return is_tree_page(content, page == 1 ? 100 : 0);
    // Other pages begin with the number of a page.
    return number_at(content) <= log->pages;
}

/// Reads what a page had before a frame: from an earlier frame, or from the database.
static bool read_earlier(const wal *log, uint32_t number, uint32_t page, uint8_t *content) {
    uint8_t frame[frame_size];
    while (number-- > 0) {
        if (!read_frame(log, number, frame) || number_at(frame) != page) continue;
        memcpy(content, frame + frame_header_size, page_size);
        return true;
    }
    if (page == 0 || page > log->pages) return false;
    int64_t place = ((int64_t)page - 1) * page_size;
    return log->database->pMethods->xRead(log->database, content, page_size, place) == SQLITE_OK;
}

/// How well a frame fits the page whose number it has: how many bytes that page had before, or half of
/// them for the next new page, as SQLite writes pages in order.
static int likeness(const wal *log, uint32_t number, const uint8_t *frame) {
    uint8_t earlier[page_size];
    uint32_t page = number_at(frame), last = log->highest > log->size ? log->highest : log->size;
    if (page > log->size) return page == last + 1 ? page_size / 2 : 0;
    if (!read_earlier(log, number, page, earlier)) return 0;
    int same = 0;
    for (int i = 0; i < page_size; i++) same += earlier[i] == frame[frame_header_size + i];
    return same;
}

/// Bytes by which one page must fit better than another one: random ones agree in 16.
enum { clear_difference = 64 };

/// Whether a commit leaves as many pages as it must, unless it drops some, as VACUUM does.
static bool has_size(const wal *log, const uint8_t *frame) {
    uint32_t page = number_at(frame), size = log->size;
    if (log->highest > size) size = log->highest;
    return number_at(frame + 4) == (page > size ? page : size);
}

/// The bit to add to or to take from a word for a change of its value; 0 if it is no single bit.
static uint32_t bit_for(uint32_t change, uint32_t word) {
    if (is_one_bit(change) && !(word & change)) return change;
    return is_one_bit(-change) && (word & -change) ? -change : 0;
}

/// Bits that explain the difference of the stored sum to the computed one.
typedef struct {
    /// How many there are in the page, and one of them.
    int count, word;
    uint32_t bit;
    /// One in the number of the page, and one in the size of the database; 0 if there is none.
    uint32_t of_number, of_size;
} bit_finding;

static bit_finding find_bits(const wal *log, uint8_t *frame, log_sum difference) {
    bit_finding found = {0};
    for (int word = frame_words - 1; word >= 0; word--) {
        bool is_second = word & 1;
        const uint8_t *bytes = word < 2 ? frame + 4 * word : frame + frame_header_size + 4 * (word - 2);
        bool is_possible = is_second ? !difference.first : difference.first == difference.second;
        uint32_t bit = is_possible ? bit_for(difference.second, word_at(log, bytes)) : 0;
        if (bit) {
            flip(log, frame, word, bit);
            bool counts = is_plausible(log, frame);
            flip(log, frame, word, bit);
            if (counts && word == 0) found.of_number = bit;
            if (counts && word == 1) found.of_size = bit;
            if (counts && word > 1) {
                found.count++;
                found.word = word;
                found.bit = bit;
            }
        }
        // One pair of words earlier, the same change has another effect on the sum.
        if (!is_second) {
            uint32_t first = 2 * difference.first - difference.second;
            difference = (log_sum){first, difference.second - difference.first};
        }
    }
    return found;
}

/// Flips the only bit that explains the difference; returns how many bits could have done it.
static int find_only_bit(const wal *log, uint8_t *frame, bit_finding found) {
    int count = found.count + (found.of_size != 0) + (found.of_number != 0);
    if (count != 1) return count;
    if (found.of_size) flip(log, frame, 1, found.of_size);
    else if (found.of_number) flip(log, frame, 0, found.of_number);
    else flip(log, frame, found.word, found.bit);
    return 1;
}

/// Flips the bit that explains the difference; returns how many bits could have done it, and flips
/// none of several, or -1 if it cannot be told which page the frame is of.
static int find_bit(const wal *log, uint32_t number, uint8_t *frame, log_sum difference) {
    bit_finding found = find_bits(log, frame, difference);
    if (!log->is_walked) return find_only_bit(log, frame, found);
    if (found.of_size) {
        bool was_right = has_size(log, frame) || !is_commit(frame);
        flip(log, frame, 1, found.of_size);
        if (has_size(log, frame) || (!is_commit(frame) && !was_right)) return 1;
        flip(log, frame, 1, found.of_size);
    }
    if (found.of_number) {
        int before = likeness(log, number, frame);
        flip(log, frame, 0, found.of_number);
        int after = likeness(log, number, frame);
        if (found.count == 0 || after > before + clear_difference) return 1;
        flip(log, frame, 0, found.of_number);
        if (before <= after + clear_difference) return -1;
    }
    if (found.count == 1) flip(log, frame, found.word, found.bit);
    return found.count;
}

typedef enum {
    frame_sound,
    frame_corrected,
    /// One bit was flipped, but which one cannot be told.
    frame_doubtful,
    /// More than one bit is wrong, or the frame was never written as a whole.
    frame_damaged,
} frame_verdict;

/// Whether the stored sum of a frame is wrong, not its content; the frame after it knows.
typedef enum { sum_is_right, sum_may_be_wrong, sum_is_wrong } sum_verdict;

static sum_verdict check_sum(const wal *log, uint32_t number, log_sum computed, log_sum stored) {
    uint8_t next[frame_size];
    if (!is_near(computed, stored)) return sum_is_right;
    if (!read_frame(log, number + 1, next)) return sum_may_be_wrong;
    log_sum after = sum_at(next + sum_place);
    if (is_equal(sum_of(log, stored, next), after)) return sum_is_right;
    return is_equal(sum_of(log, computed, next), after) ? sum_is_wrong : sum_may_be_wrong;
}

/// Compares a frame with its sum, and puts one flipped bit right.
static frame_verdict check_frame(const wal *log, uint32_t number, uint8_t *frame, log_sum before) {
    log_sum computed = sum_of(log, before, frame), stored = sum_at(frame + sum_place);
    if (is_equal(computed, stored)) return frame_sound;
    sum_verdict sum = check_sum(log, number, computed, stored);
    uint8_t tried[frame_size];
    memcpy(tried, frame, frame_size);
    log_sum difference = {stored.first - computed.first, stored.second - computed.second};
    int bits = sum == sum_is_wrong ? 0 : find_bit(log, number, tried, difference);
    if (bits < 0 || (sum == sum_is_right && bits == 0)) return frame_damaged;
    if (bits + (sum != sum_is_right) > 1) return frame_doubtful;
    if (bits == 1) memcpy(frame, tried, frame_size);
    else put_sum(frame + sum_place, computed);
    return frame_corrected;
}

/// Whether a frame belongs to this log; puts one flipped bit of its salts right.
static bool has_salts(const wal *log, uint8_t *frame, bool *was_flipped) {
    log_sum salts = sum_at(frame + salt_place);
    *was_flipped = is_near(salts, salts_of(log));
    if (*was_flipped) memcpy(frame + salt_place, log->header + 16, 8);
    return *was_flipped || is_equal(salts, salts_of(log));
}

/// The sum before a frame as it is stored, and as a repair leaves it.
typedef struct {
    log_sum stored, repaired;
} log_chain;

/// Whether a frame follows others; from a frame on that a killed repair had written, the sums are
/// those of the repair.
static bool follows(const wal *log, log_chain *before, const uint8_t *frame) {
    log_sum stored = sum_at(frame + sum_place);
    if (is_equal(sum_of(log, before->stored, frame), stored)) return true;
    if (!is_equal(sum_of(log, before->repaired, frame), stored)) return false;
    before->stored = before->repaired;
    return true;
}

/// The sums after a frame whose content is right, or `passes` as it is.
static log_chain after(const wal *log, log_chain before, const uint8_t *frame, bool passes) {
    log_sum stored = sum_at(frame + sum_place);
    bool is_shifted = passes || !is_equal(before.stored, before.repaired);
    return (log_chain){stored, is_shifted ? sum_of(log, before.repaired, frame) : stored};
}

/// Whether a frame has what its page had before: then the disk lost the write.
static bool is_lost_write(const wal *log, uint32_t number, const uint8_t *frame) {
    uint8_t earlier[page_size];
    return read_earlier(log, number, number_at(frame), earlier)
        && !memcmp(earlier, frame + frame_header_size, page_size - sum_size);
}

static bool is_header(const uint8_t *header) {
    return (number_at(header) & ~1u) == 0x377f0682 && number_at(header + 4) == 3007000
        && number_at(header + 8) == page_size;
}

static bool is_sound_header(wal *log) {
    log->is_big_endian = log->header[3] & 1;
    return is_header(log->header) && is_equal(sum_of_header(log), sum_at(log->header + 24));
}

/// Whether the first frame fits a header.
static bool fits_first_frame(const wal *log) {
    uint8_t frame[frame_size];
    return read_frame(log, 0, frame) && is_equal(sum_at(frame + salt_place), salts_of(log))
        && is_equal(sum_of(log, sum_at(log->header + 24), frame), sum_at(frame + sum_place));
}

/// Tries each bit of a wrong header. Its own sum has several answers, of which the first frame fits one.
static bool correct_header(wal *log) {
    for (int bit = 0; bit < log_header_size * 8; bit++) {
        log->header[bit / 8] ^= (uint8_t)(1 << (bit % 8));
        if (is_sound_header(log) && fits_first_frame(log)) return true;
        log->header[bit / 8] ^= (uint8_t)(1 << (bit % 8));
    }
    return false;
}

/// Reads the header and the size of a log; returns false if it is none.
static bool open_log(wal *log, sqlite3_file *file, sqlite3_file *database) {
    sqlite3_int64 size = 0, database_size = 0;
    log->file = file;
    log->database = database;
    if (file->pMethods->xFileSize(file, &size) != SQLITE_OK || size < log_header_size) return false;
    if (file->pMethods->xRead(file, log->header, log_header_size, 0) != SQLITE_OK) return false;
    if (database->pMethods->xFileSize(database, &database_size) != SQLITE_OK) return false;
    log->frames = (uint32_t)((size - log_header_size) / frame_size);
    log->size = (uint32_t)(database_size / page_size);
    log->pages = log->size + log->frames;
    log->is_big_endian = log->header[3] & 1;
    log->highest = 0;
    log->is_walked = false;
    return true;
}

/// Writes sums that differ from those of the frames, from the last to the first: so a log that a
/// killed process leaves behind is repaired again like the first time.
static int write_sums(const wal *log, const log_sum *sums, uint32_t count) {
    int code = SQLITE_OK;
    for (uint32_t number = count; number-- > 0 && code == SQLITE_OK;) {
        uint8_t bytes[8], stored[8];
        int64_t place = place_of(number) + sum_place;
        put_sum(bytes, sums[number]);
        code = log->file->pMethods->xRead(log->file, stored, 8, place);
        if (code == SQLITE_OK && memcmp(bytes, stored, 8))
            code = log->file->pMethods->xWrite(log->file, bytes, 8, place);
    }
    return code;
}

/// A walk over the frames of a log.
typedef struct {
    wal log;
    page_faults *faults;
    int flags;
    /// The sum before the next frame.
    log_chain before;
    /// The sums that a repair leaves, and the number of frames so far.
    log_sum *sums;
    uint32_t count;
    /// The number of frames up to the last commit, and where the log ended after it, or null.
    uint32_t committed;
    const log_end *end;
    bool is_changed;
} log_walk;

/// Notes what a frame says about its page; a later frame stands for the whole page.
static void note_frame(log_walk *walk, const uint8_t *frame, frame_verdict verdict, bool was_flipped) {
    uint32_t page = number_at(frame);
    bool is_damaged = verdict == frame_doubtful
        || (walk->flags & log_marks && is_marked(frame + frame_header_size));
    if (is_damaged) note(&walk->faults->damaged, page);
    else forget(&walk->faults->damaged, page);
    if (verdict == frame_corrected || was_flipped) note(&walk->faults->corrected, page);
}

/// Whether a commit and the beginning of a later transaction stand from a frame on: so the disk once
/// said that it has all of them.
static bool has_commits(const wal *log, uint32_t number) {
    uint8_t frame[frame_size], next[frame_size];
    bool was_flipped;
    for (; read_frame(log, number, frame); number++) {
        log_sum stored = sum_at(frame + sum_place);
        log_chain before = {stored, stored};
        if (has_salts(log, frame, &was_flipped) && is_commit(frame) && read_frame(log, number + 1, next)
            && has_salts(log, next, &was_flipped) && follows(log, &before, next))
            return true;
    }
    return false;
}

static bool is_of_log(const log_end *end, const wal *log) {
    return is_equal(sum_at(end->salts), salts_of(log));
}

/// Whether a frame in which one of several bits flipped is to be taken as it is: if it was on the disk
/// for sure. At the end of a log a power failure may have left what looks the same.
static bool may_pass(const log_walk *walk, const uint8_t *frame) {
    const log_end *end = walk->end;
    bool was_synced = end && is_of_log(end, &walk->log) && walk->count < end->frames;
    return walk->flags & log_is_durable && !is_lost_write(&walk->log, walk->count, frame)
        && (was_synced || has_commits(&walk->log, walk->count));
}

/// Examines one frame; returns false if it is none of this log, or was never written as a whole.
static bool visit(log_walk *walk, uint8_t *frame) {
    const wal *log = &walk->log;
    bool was_flipped;
    if (!has_salts(log, frame, &was_flipped)) return false;
    frame_verdict verdict = frame_sound;
    if (!follows(log, &walk->before, frame))
        verdict = check_frame(log, walk->count, frame, walk->before.stored);
    if (verdict != frame_sound && was_flipped) return false;
    bool passes = verdict == frame_doubtful;
    if (verdict == frame_damaged) return false;
    if (passes && walk->flags & log_repairs && !may_pass(walk, frame)) {
        walk->faults->has_lost_commits |= walk->flags & log_is_durable;
        return false;
    }
    if (passes && walk->flags & log_marks) mark_in_copy(frame + frame_header_size, true);
    note_frame(walk, frame, verdict, was_flipped);
    if (verdict != frame_sound || was_flipped) {
        walk->is_changed = true;
        // Where nothing can be written, a flipped bit is put right when the frame is read.
        bool fails = walk->flags & log_repairs && write_frame(log, walk->count, frame) != SQLITE_OK;
        walk->faults->is_unwritten |= fails;
        if (fails && passes) return false;
    }
    uint32_t page = number_at(frame);
    if (is_commit(frame)) walk->log.size = number_at(frame + 4);
    walk->log.highest = is_commit(frame) ? 0 : page > log->highest ? page : log->highest;
    walk->before = after(log, walk->before, frame, passes);
    walk->sums[walk->count++] = walk->before.repaired;
    if (is_commit(frame)) walk->committed = walk->count;
    return true;
}

/// Puts a wrong header right, which would hide all frames; the fault is told with the page of the
/// first one.
static int repair_header(log_walk *walk) {
    wal *log = &walk->log;
    if (is_sound_header(log) || !correct_header(log)) return SQLITE_OK;
    uint8_t frame[frame_size];
    if (read_frame(log, 0, frame)) note(&walk->faults->corrected, number_at(frame));
    walk->is_changed = true;
    if (!(walk->flags & log_repairs)) return SQLITE_OK;
    return log->file->pMethods->xWrite(log->file, log->header, log_header_size, 0);
}

/// The same for a log whose header is lost: the frames know the salts as well.
static bool has_commits_of_any(wal *log) {
    uint8_t frame[frame_size];
    if (!read_frame(log, 1, frame)) return false;
    memcpy(log->header + 16, frame + salt_place, 8);
    log->is_big_endian = false;
    return has_commits(log, 0);
}

log_end end_of(const uint8_t *header, int64_t offset) {
    log_end end = {.frames = (uint32_t)((offset - log_header_size) / frame_size) + 1};
    memcpy(end.salts, header + salt_place, 8);
    return end;
}

/// Whether the log ends before the last commit.
///
/// SQLite begins a log anew, after the database got everything, by adding one to the first salt. If the
/// mark is that far ahead, the disk lost the new log; else the log is newer than the mark.
static bool ends_before(const log_walk *walk, const log_end *end) {
    if (is_of_log(end, &walk->log)) return walk->committed < end->frames;
    uint32_t ahead = number_at(end->salts) - salts_of(&walk->log).first;
    return ahead > 0 && ahead < 0x10000;
}

int examine_log(sqlite3_file *file, sqlite3_file *database, int flags, const log_end *end,
                page_faults *faults) {
    log_walk walk = {.faults = faults, .flags = flags, .end = end};
    if (!open_log(&walk.log, file, database)) return SQLITE_OK;
    walk.log.is_walked = true;
    int code = repair_header(&walk);
    if (code != SQLITE_OK) return code;
    if (!is_sound_header(&walk.log)) {
        bool has_more = flags & log_is_durable && has_commits_of_any(&walk.log);
        faults->has_lost_commits |= end || has_more;
        return SQLITE_OK;
    }
    walk.sums = malloc(sizeof(log_sum) * ((size_t)walk.log.frames + 1));
    if (!walk.sums) return SQLITE_NOMEM;
    log_sum first = sum_at(walk.log.header + 24);
    walk.before = (log_chain){first, first};
    uint8_t frame[frame_size];
    while (read_frame(&walk.log, walk.count, frame) && visit(&walk, frame)) {}
    faults->has_lost_commits |= flags & log_is_durable && has_commits(&walk.log, walk.count);
    faults->has_lost_commits |= end && ends_before(&walk, end);
    if (flags & log_repairs && walk.is_changed) {
        code = write_sums(&walk.log, walk.sums, walk.count);
        if (code == SQLITE_OK) code = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
        if (faults->is_unwritten) code = SQLITE_OK;
    }
    free(walk.sums);
    return code;
}

/// The sum before a frame; where that was damaged and not the frame, the sum it should be.
static log_sum sum_before(const wal *log, uint32_t number, uint8_t *frame) {
    uint8_t earlier[frame_size];
    log_sum stored = sum_at(log->header + 24), computed = sum_of_header(log);
    if (number > 0) {
        if (!read_frame(log, number - 1, earlier)) return stored;
        stored = sum_at(earlier + sum_place);
        computed = sum_of(log, stored_before(log, number - 1), earlier);
    }
    bool is_wrong = is_near(stored, computed)
        && is_equal(sum_of(log, computed, frame), sum_at(frame + sum_place));
    return is_wrong ? computed : stored;
}

int check_log_frame(sqlite3_file *file, sqlite3_file *database, uint8_t *frame, int64_t offset) {
    wal log;
    uint32_t number = (uint32_t)((offset - log_header_size) / frame_size);
    if (offset != place_of(number) || !open_log(&log, file, database)) return SQLITE_OK;
    log_sum before = sum_before(&log, number, frame);
    uint8_t checked[frame_size];
    memcpy(checked, frame, frame_size);
    bool was_flipped;
    if (!has_salts(&log, checked, &was_flipped)) return SQLITE_OK;
    if (check_frame(&log, number, checked, before) <= frame_corrected) memcpy(frame, checked, frame_size);
    return SQLITE_OK;
}

int check_log_page(sqlite3_file *file, sqlite3_file *database, bool marks, uint8_t *page,
                   int64_t offset, page_faults *faults) {
    uint8_t frame[frame_size], sum[8];
    uint32_t number = (uint32_t)((offset - log_header_size) / frame_size);
    if (offset != place_of(number) + frame_header_size) return SQLITE_OK;
    int code = file->pMethods->xRead(file, frame, frame_header_size, place_of(number));
    if (code == SQLITE_OK) code = file->pMethods->xRead(file, sum, 8, place_before(number));
    if (code != SQLITE_OK) return code;
    memcpy(frame + frame_header_size, page, page_size);
    wal log = {.is_big_endian = false};
    if (marks && is_marked(page)) note(&faults->damaged, number_at(frame));
    if (is_equal(sum_of(&log, sum_at(sum), frame), sum_at(frame + sum_place))) return SQLITE_OK;
    if (!open_log(&log, file, database)) return SQLITE_OK;
    switch (check_frame(&log, number, frame, sum_before(&log, number, frame))) {
    case frame_sound: break;
    case frame_corrected:
        memcpy(page, frame + frame_header_size, page_size);
        note(&faults->corrected, number_at(frame));
        break;
    case frame_doubtful:
    case frame_damaged:
        note(&faults->damaged, number_at(frame));
        if (marks) mark_in_copy(page, true);
        break;
    }
    return SQLITE_OK;
}

bool log_has_page(sqlite3_file *file, sqlite3_file *database, uint32_t page) {
    wal log;
    uint8_t header[frame_header_size];
    bool is_found = false;
    if (!open_log(&log, file, database)) return false;
    for (uint32_t number = 0; number < log.frames; number++) {
        int code = file->pMethods->xRead(file, header, sizeof header, place_of(number));
        if (code != SQLITE_OK || !is_equal(sum_at(header + salt_place), salts_of(&log))) return false;
        is_found |= number_at(header) == page;
        if (is_found && is_commit(header)) return true;
    }
    return false;
}
