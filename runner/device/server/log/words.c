/* Which words the device gave the host in a lab's call, for labs whose outputs lie on the host: what
 * the host put there itself was in none of the copies.
 *
 *   seen    words of 4 bytes in copies to the host, and in memory that both sides see where a
 *           launch stored
 *   given   words in copies from ordinary memory of the host: going to the device and back makes
 *           no result
 *
 * Sets by a hash alone, a bit a word: a word may be taken for another, most are not. Of large outputs
 * some words stand for all: those whose hash, by a factor that nobody outside knows, begins with
 * zeros. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/log.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/sim/memory/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { BITS_MIN = 16, BITS_MAX = 27, SPARE = 8, SECTOR = 32, SAMPLE = 1 << 16 };
struct dev_words {
    uint64_t seen_count, given_count;
    bool blind;    /* a GPU does not tell what lies in memory that both sides see */
    unsigned bits; /* of a hash */
    unsigned skip; /* zeros that the hashes of the words looked at begin with */
    uint32_t factor;
    uint32_t *given, seen[];
};

/* Is the word at p one of those looked at? */
static bool words_hash(const dev_words *w, const uint8_t *p, uint32_t *hash) {
    uint32_t word;
    memcpy(&word, p, sizeof word);
    word *= w->factor;
    *hash = word << w->skip >> (32 - w->bits);
    return !((uint64_t)word >> (32 - w->skip));
}

static dev_words *words_of(dev_client *c) {
    dev_log_state *g = &c->log;
    uint64_t words = 0;
    if (!g->in_call || g->replaying) return NULL;
    if (g->words) return g->words;
    for (size_t i = 0; i < c->entry.args; i++)
        if (c->entry.buffer[i].live) words += (c->entry.buffer[i].bytes + 4) / 4;
    if (!words) return NULL;
    unsigned bits = BITS_MIN, skip = 0;
    while (words >> skip > SAMPLE) skip++;
    while (bits < BITS_MAX && (words >> skip) * SPARE >> bits) bits++;
    dev_words *w = calloc(1, sizeof *w + ((uint64_t)2 << bits) / 8);
    if (w && getrandom(&w->factor, sizeof w->factor, 0) != sizeof w->factor) {
        free(w);
        w = NULL;
    }
    if (w)
        w->factor |= 1, w->bits = bits, w->skip = skip,
                        w->given = w->seen + ((size_t)1 << bits) / 32;
    return g->words = w;
}

static void words_add(const dev_words *w, uint32_t *set, uint64_t *count, const uint8_t *p,
                      uint64_t n) {
    for (uint64_t i = 0; i + 4 <= n; i += 4) {
        uint32_t h, bit;
        if (!words_hash(w, p + i, &h)) continue;
        bit = 1u << h % 32;
        *count += !(set[h / 32] & bit);
        set[h / 32] |= bit;
    }
}

bool dev_words_wanted(dev_client *c) {
    return words_of(c) != NULL;
}

void dev_words_seen(dev_client *c, const void *bytes, uint64_t n) {
    dev_words *w = words_of(c);
    if (w) words_add(w, w->seen, &w->seen_count, bytes, n);
}

void dev_words_given(dev_client *c, const void *bytes, uint64_t n) {
    dev_words *w = words_of(c);
    if (w) words_add(w, w->given, &w->given_count, bytes, n);
}

void dev_words_left(dev_client *c, uint64_t at, uint64_t n, bool all) {
    dev_words *w = words_of(c);
    if (!w) return;
    const dev_device *d = dev_hw(c, 0);
    const uint8_t *p = d->backend->memory ? sim_memory_host(HW(d, memory), at, n) : NULL;
    w->blind |= !d->backend->memory;
    if (!p) return;
    all |= !dev_side_kept(c);
    for (uint64_t i = 0, k; i < n; i += k) {
        k = all ? n : SECTOR - (at + i) % SECTOR;
        if (k > n - i) k = n - i;
        if (all || !dev_side_hosts(c, at + i, k)) words_add(w, w->seen, &w->seen_count, p + i, k);
    }
}

void dev_words_forget(dev_client *c) {
    free(c->log.words);
    c->log.words = NULL;
}

uint64_t dev_client_gave(const dev_client *c, const void *bytes, uint64_t n) {
    const dev_words *w = c->log.words;
    const uint8_t *p = bytes;
    uint64_t k = 0, all = 0;
    if (w && w->blind) return n / 4;
    if (!w || (w->seen_count | w->given_count) >> (w->bits - 2)) return 0;
    for (uint64_t i = 0; i + 4 <= n; i += 4) {
        uint32_t h, bit;
        if (!words_hash(w, p + i, &h)) continue;
        bit = 1u << h % 32;
        all++;
        k += w->seen[h / 32] & bit && !(w->given[h / 32] & bit);
    }
    return all ? n / 4 * k / all : n / 4;
}
