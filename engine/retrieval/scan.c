/* The compiled scan: folds passages, finds their tokens, and looks for terms among them.
 *
 * scan_compiled.py calls it and owns all memory; scan_numpy.py gives the same results more slowly;
 * engine/language/tokens.py says what a term is. Text is folded into a buffer with EDGE zeros or
 * more on both sides, so that eight bytes can be read at any byte of it and twice in a row.
 */
#include <stdint.h>
#include <string.h>

#define EDGE 16           /* zero bytes on both sides of folded text */
#define BLOCK 64          /* bytes of folded text that share a word of bits */
#define WORD 0x30         /* in folded text, bytes from here on are parts of words */
#define LAST_WORD_JOIN 6  /* 1 to 6 join any two words, up to LAST_JOIN digits only */
#define LAST_JOIN 9
#define FAILED UINT64_MAX /* a buffer is too small: nothing was written beyond its end */
#define NONE UINT32_MAX
#define EACH 0x0101010101010101u

typedef uint8_t byte;

/* Folded passages side by side, their words, and the wholes that joins make of words. */
typedef struct {
    byte *data;
    uint64_t size;          /* of data, edges included; a multiple of BLOCK */
    uint32_t *bounds;       /* where each passage begins, and one behind the last one's separator */
    uint64_t passages;
    uint64_t *bits;         /* of each block: bit k tells whether a word starts at its byte k */
    uint32_t *firsts;       /* number of the first word of each block, and their count */
    uint32_t *words;        /* number of the first word of each passage, and their count */
    uint16_t *word_prints;  /* fingerprint of each word */
    uint32_t *wholes;       /* number of the first whole of each passage, and their count */
    uint32_t *whole_starts;
    uint16_t *whole_prints;
    uint64_t whole_room;    /* wholes that the last two can hold */
} chunk;

/* Distinct terms to look for, by fingerprint; EDGE zeros or more behind each in data. */
typedef struct {
    const byte *data;
    const uint32_t *starts, *lengths;
    const byte *wholes;     /* 1 where the term is a whole, 0 where it is a word */
    const uint32_t *values; /* what a term stands for; several may share a value */
    const uint32_t *firsts; /* number of the first term of each fingerprint, and their count */
    const byte *wanted;     /* one bit for each fingerprint: whether a term has it */
} terms;

static uint64_t eight(const byte *at)
{
    uint64_t read;
    memcpy(&read, at, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    read = __builtin_bswap64(read);
#endif
    return read;
}

static unsigned lowest(uint64_t bits) { return (unsigned)__builtin_ctzll(bits); }

/* The first `count` of eight bytes; all when there are more. */
static uint64_t head(uint64_t read, uint64_t count)
{
    return count < 8 ? read & (((uint64_t)1 << 8 * count) - 1) : read;
}

static int same(const byte *a, const byte *b, uint64_t count)
{
    for (; count >= 8; count -= 8, a += 8, b += 8)
        if (eight(a) != eight(b)) return 0;
    return head(eight(a) ^ eight(b), count) == 0;
}

/* The top bit of every byte below WORD; exact up to the first one. */
static uint64_t breaks(uint64_t read) { return (read - EACH * WORD) & ~read & (EACH << 7); }

static uint64_t word_length(const byte *word)
{
    uint64_t length = 0, broken;
    while (!(broken = breaks(eight(word + length)))) length += 8;
    return length + lowest(broken) / 8;
}

static int is_digit(byte b) { return b >= '0' && b <= '9'; }

/* Whether the byte at `at`, with a word before it, joins that word to another. */
static int joins(const byte *at)
{
    if (*at == 0 || *at > LAST_JOIN || at[1] < WORD) return 0;
    return *at <= LAST_WORD_JOIN || (is_digit(at[-1]) && is_digit(at[1]));
}

static const byte *whole_end(const byte *at)
{
    for (;; at++) {
        at += word_length(at);
        if (!joins(at)) return at;
    }
}

/* ---- Fingerprints ---- */

/* Mixes 16 bytes in; every bit of them reaches the upper half, and from there the lower one. */
static uint64_t mixed(uint64_t hash, uint64_t first, uint64_t second)
{
    hash += first * 0x9e3779b97f4a7c15u + second * 0xc2b2ae3d27d4eb4fu;
    return hash ^ (hash >> 32);
}

/* Hashes `count` bytes, of one block or two by the same path: a branch would be mispredicted. */
static uint64_t hashed(const byte *at, uint64_t count)
{
    uint64_t hash = 0;
    for (;; at += 16, count -= 16) {
        hash = mixed(hash, head(eight(at), count), head(eight(at + 8), count > 8 ? count - 8 : 0));
        if (count <= 16) return hash;
    }
}

/* Hashes the word at `at` likewise. */
static uint64_t hashed_word(const byte *at)
{
    uint64_t first = eight(at), second = eight(at + 8);
    uint64_t broken = breaks(first), later = breaks(second);
    if (!(broken | later)) return hashed(at, word_length(at));
    /* Masks of what comes before the first break; no break makes a mask of ones. */
    first &= ((broken & -broken) >> 7) - 1;
    second &= ((later & -later) >> 7) - 1;
    return mixed(0, first, broken ? 0 : second);
}

static uint16_t print_of(uint64_t hash) { return (uint16_t)(hash >> 48); }

/* ---- Folding ---- */

static uint64_t run_end(const byte *text, uint64_t at, uint64_t end)
{
    while (at < end && text[at] >= 0x80) at++;
    return at;
}

/* The size of a run of bytes beyond ASCII once folded, FAILED when `known` does not tell; written
 * to `out` unless that is NULL. `known` has eight bytes for each character from U+0080 to U+07FF
 * and from U+2000 to U+20BF: the number of bytes it becomes, and up to seven bytes; 8 or more when
 * its neighbours matter. */
static uint64_t fold_run(const byte *at, const byte *end, const byte *known, byte *out)
{
    uint64_t size = 0;
    while (at < end) {
        const byte *as = known;
        if (end - at >= 2 && at[0] >= 0xc2 && at[0] < 0xe0) {
            as += 8 * ((at[0] - 0xc2u) << 6 | (at[1] & 0x3fu));
            at += 2;
        } else if (end - at >= 3 && at[0] == 0xe2 && at[1] >= 0x80 && at[1] <= 0x82) {
            as += 8 * (0x780u + ((at[1] - 0x80u) << 6 | (at[2] & 0x3fu)));
            at += 3;
        } else {
            return FAILED;
        }
        if (*as > 7) return FAILED;
        if (out) memcpy(out + size, as + 1, *as);
        size += *as;
    }
    return size;
}

/* Writes where the runs begin and end that `fold_run` does not fold; returns their number, which
 * may be more than `room`. Text k, the k-th of `count` in `text`, ends at ends[k]. `folded` becomes
 * the size of all else once folded; accents[k] is set where text k may have combining accents. */
uint64_t askance_runs(const byte *text, const uint64_t *ends, uint64_t count, const byte *known,
                      uint64_t *runs, uint64_t room, uint64_t *folded, byte *accents)
{
    uint64_t found = 0, at = 0;
    *folded = count;
    for (uint64_t k = 0; k < count; k++) {
        uint64_t end;
        accents[k] = 0;
        for (; at < ends[k]; at = end) {
            for (end = at; end + 8 <= ends[k] && !(eight(text + end) & (EACH << 7));) end += 8;
            while (end < ends[k] && text[end] < 0x80) end++;
            *folded += end - at;
            if ((at = end) == ends[k]) break;
            end = run_end(text, at, ends[k]);
            for (uint64_t i = at; i < end; i++) accents[k] |= (text[i] & 0xfe) == 0xcc;
            uint64_t size = fold_run(text + at, text + end, known, NULL);
            if (size != FAILED) {
                *folded += size;
                continue;
            }
            if (found < room) {
                runs[2 * found] = at;
                runs[2 * found + 1] = end;
            }
            found++;
        }
    }
    return found;
}

/* One bit for each of eight bytes: whether it is part of a word. */
static uint64_t word_bits(uint64_t read)
{
    uint64_t tops = (((read & (EACH * 0x7f)) + EACH * (0x80 - WORD)) | read) & (EACH << 7);
    return ((tops >> 7) * 0x0102040810204080u) >> 56;
}

static unsigned ones(uint64_t bits) /* __builtin_popcountll calls a function on plain x86-64 */
{
    bits -= bits >> 1 & (EACH * 0x55);
    bits = (bits & (EACH * 0x33)) + (bits >> 2 & (EACH * 0x33));
    return (unsigned)(((bits + (bits >> 4)) & (EACH * 0x0f)) * EACH >> 56);
}

/* Notes in `bits` and `firsts` where words start, without a branch for each; returns how many. */
static uint64_t note_words(const chunk *c)
{
    uint64_t count = 0, inside = 0;
    for (uint64_t block = 0; block < c->size / BLOCK; block++) {
        uint64_t bits = 0;
        for (int i = 0; i < BLOCK; i += 8)
            bits |= word_bits(eight(c->data + block * BLOCK + i)) << i;
        c->bits[block] = bits & ~(bits << 1 | inside);
        inside = bits >> 63;
        c->firsts[block] = (uint32_t)count;
        count += ones(c->bits[block]);
    }
    c->firsts[c->size / BLOCK] = (uint32_t)count;
    return count;
}

/* Folds texts side by side into a chunk, and notes where words start; returns how many there are.
 * `ascii` folds a byte each; the runs of `askance_runs` become the pieces of `folded`, of which the
 * k-th ends at folded_ends[k]. */
uint64_t askance_fold(chunk *c, const byte *text, const uint64_t *ends, const byte *ascii,
                      const byte *known, const byte *folded, const uint64_t *folded_ends,
                      uint64_t runs)
{
    uint64_t at = 0, to = EDGE, run = 0;
    if (c->size < 2 * EDGE || c->size % BLOCK) return FAILED;
    uint64_t room = c->size - EDGE;
    byte *restrict out = c->data;
    memset(out, 0, EDGE);
    for (uint64_t k = 0; k < c->passages; k++) {
        c->bounds[k] = (uint32_t)to;
        while (at < ends[k]) {
            for (; at + 8 <= ends[k] && to + 8 <= room && !(eight(text + at) & (EACH << 7)); at += 8)
                for (int i = 0; i < 8; i++) out[to++] = ascii[text[at + i]];
            for (; at < ends[k] && to < room && text[at] < 0x80; at++) out[to++] = ascii[text[at]];
            if (at == ends[k]) break;
            if (text[at] < 0x80) return FAILED;
            uint64_t end = run_end(text, at, ends[k]);
            uint64_t size = fold_run(text + at, text + end, known, NULL);
            if (size != FAILED) {
                if (size > room - to) return FAILED;
                fold_run(text + at, text + end, known, out + to);
            } else {
                if (run == runs) return FAILED;
                uint64_t begin = run ? folded_ends[run - 1] : 0;
                size = folded_ends[run++] - begin;
                if (size > room - to) return FAILED;
                memcpy(out + to, folded + begin, size);
            }
            to += size;
            at = end;
        }
        if (to == room) return FAILED;
        out[to++] = 0;
    }
    c->bounds[c->passages] = (uint32_t)to;
    memset(out + to, 0, c->size - to);
    return note_words(c);
}

/* ---- Tokens ---- */

/* Notes the fingerprints of the words that `askance_fold` found, and the wholes; returns how many
 * tokens there are. */
uint64_t askance_tokens(chunk *c)
{
    const byte *data = c->data, *previous = data, *end = data;
    uint64_t count = 0, wholes = 0, passage = 0;
    for (uint64_t block = 0; block < c->size / BLOCK; block++)
        for (uint64_t bits = c->bits[block]; bits; bits &= bits - 1) {
            const byte *at = data + block * BLOCK + lowest(bits);
            for (; at >= data + c->bounds[passage]; passage++) {
                c->words[passage] = (uint32_t)count;
                c->wholes[passage] = (uint32_t)wholes;
            }
            c->word_prints[count++] = print_of(hashed_word(at));
            if (at[-1] != 0 && at > end && at[-2] >= WORD && joins(at - 1)) {
                if (wholes == c->whole_room) return FAILED;
                end = whole_end(previous);
                c->whole_starts[wholes] = (uint32_t)(previous - data);
                c->whole_prints[wholes++] = print_of(hashed(previous, (uint64_t)(end - previous)));
            }
            previous = at;
        }
    for (; passage <= c->passages; passage++) {
        c->words[passage] = (uint32_t)count;
        c->wholes[passage] = (uint32_t)wholes;
    }
    return count + wholes;
}

/* Where a word starts; `block` is that of this word or of an earlier one, and becomes its own. */
static const byte *word_at(const chunk *c, uint64_t word, uint64_t *block)
{
    while (c->firsts[*block + 1] <= word) ++*block;
    uint64_t bits = c->bits[*block];
    for (uint64_t k = word - c->firsts[*block]; k; k--) bits &= bits - 1;
    return c->data + *block * BLOCK + lowest(bits);
}

/* ---- Terms ---- */

/* Writes the fingerprint of each term. */
void askance_prints(const byte *data, const uint32_t *starts, const uint32_t *lengths,
                    uint64_t count, uint16_t *prints)
{
    for (uint64_t k = 0; k < count; k++)
        prints[k] = print_of(hashed(data + starts[k], lengths[k]));
}

static int is_in(const byte *bits, uint16_t number) { return bits[number / 8] >> number % 8 & 1; }

/* What the token at `at` with this fingerprint stands for, or NONE. */
static uint32_t value_of(const chunk *c, const terms *t, uint16_t print, const byte *at, byte whole)
{
    uint64_t rest = c->size - EDGE - (uint64_t)(at - c->data);
    for (uint32_t k = t->firsts[print]; k < t->firsts[print + 1u]; k++) {
        uint32_t length = t->lengths[k];
        if (t->wholes[k] != whole || length > rest) continue;
        if (!same(at, t->data + t->starts[k], length) || at[length] >= WORD) continue;
        if (!(whole && joins(at + length))) return t->values[k];
    }
    return NONE;
}

/* Writes (passage, value, occurrences) wherever a passage holds terms of that value, in this order;
 * returns their number. `counts` and `seen` are zeros, one for each value and for each 64. */
uint64_t askance_count(const chunk *c, const terms *t, uint64_t values, uint32_t *counts,
                       uint64_t *seen, uint32_t *rows, uint32_t *columns, uint32_t *found,
                       uint64_t room)
{
    uint64_t written = 0, block = 0, word = 0, whole = 0;
    for (uint64_t p = 0; p < c->passages; p++) {
        for (; word < c->words[p + 1] || whole < c->wholes[p + 1];) {
            int is_word = word < c->words[p + 1];
            uint16_t print = is_word ? c->word_prints[word++] : c->whole_prints[whole++];
            if (!is_in(t->wanted, print)) continue;
            uint32_t value =
                is_word ? value_of(c, t, print, word_at(c, word - 1, &block), 0)
                        : value_of(c, t, print, c->data + c->whole_starts[whole - 1], 1);
            if (value == NONE) continue;
            counts[value]++;
            seen[value / 64] |= (uint64_t)1 << value % 64;
        }
        for (uint64_t group = 0; 64 * group < values; group++)
            for (; seen[group]; seen[group] &= seen[group] - 1) {
                uint64_t value = 64 * group + lowest(seen[group]);
                if (written == room) return FAILED;
                rows[written] = (uint32_t)p;
                columns[written] = (uint32_t)value;
                found[written++] = counts[value];
                counts[value] = 0;
            }
    }
    return written;
}

/* Marks the passages that hold the words of these values in a row. When the first k of the row
 * stand and the next does not, back[k] of them still do (Knuth, Morris and Pratt). */
void askance_hold(const chunk *c, const terms *t, const uint32_t *row, const uint32_t *back,
                  uint64_t count, byte *held)
{
    uint64_t block = 0;
    for (uint64_t p = 0; p < c->passages; p++) {
        uint64_t stand = 0;
        for (uint64_t word = c->words[p]; word < c->words[p + 1] && stand < count; word++) {
            uint16_t print = c->word_prints[word];
            uint32_t value = NONE;
            if (is_in(t->wanted, print)) value = value_of(c, t, print, word_at(c, word, &block), 0);
            while (stand && row[stand] != value) stand = back[stand];
            stand += row[stand] == value;
        }
        held[p] = stand == count;
    }
}

/* Writes where the words start that have one of the prefixes, each word once, and their lengths;
 * returns their number. `firsts` leads from a word's first two bytes (the first is the low one) to
 * its prefixes in `data`. `table` has `size` zeros, a power of 2. */
uint64_t askance_begin(const chunk *c, const byte *data, const uint32_t *starts,
                       const uint32_t *lengths, const uint32_t *firsts, const byte *wanted,
                       uint32_t *table, uint64_t size, uint32_t *found_starts, uint32_t *found_lengths,
                       uint64_t room)
{
    uint64_t found = 0;
    if (2 * room > size) return FAILED;
    for (uint64_t block = 0; block < c->size / BLOCK; block++)
        for (uint64_t bits = c->bits[block]; bits; bits &= bits - 1) {
            const byte *word = c->data + block * BLOCK + lowest(bits);
            uint64_t rest = c->size - EDGE - (uint64_t)(word - c->data);
            uint16_t pair = (uint16_t)(word[0] | word[1] << 8);
            if (!is_in(wanted, pair)) continue;
            uint32_t k = firsts[pair], last = firsts[pair + 1u];
            while (k < last && (lengths[k] > rest || !same(word, data + starts[k], lengths[k]))) k++;
            if (k == last) continue;
            uint64_t length = word_length(word), slot = hashed(word, length) & (size - 1);
            for (; table[slot]; slot = (slot + 1) & (size - 1)) {
                uint64_t other = table[slot] - 1;
                if (found_lengths[other] == length &&
                    same(word, c->data + found_starts[other], length))
                    break;
            }
            if (table[slot]) continue;
            if (found == room) return FAILED;
            found_starts[found] = (uint32_t)(word - c->data);
            found_lengths[found++] = (uint32_t)length;
            table[slot] = (uint32_t)found;
        }
    return found;
}
