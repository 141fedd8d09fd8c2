/* Finds out which words the device gave the host in a lab's call, for labs whose outputs are on the
 * host: words that the host itself put there were in none of the copies.
 *
 *   seen    words of 4 bytes in copies to the host, and in memory that both sides see where a
 *           launch stored
 *   given   words in copies from ordinary memory of the host: a way to the device and back is not a
 *           result. Sectors of one word are not among them: whoever sets memory to zeros by a copy
 *           has not computed the zeros of the results
 *   sent    words in copies from page-locked memory, if nobody follows what the program's code puts
 *           there (dev_side_kept()), and in parameters of kernels: for dev_client_computed() only,
 *           which leaves out what was seen
 *
 * Each word is multiplied by an odd secret factor, which loses nothing. If there are more words
 * than a set can hold, a sample stands for all: the words whose product begins with zeros. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/log.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/sim/memory/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { SLOTS_LOG2 = 18, SLOTS = 1 << SLOTS_LOG2, WORDS_MOST = SLOTS / 2, SECTOR = 32 };
/* Products, in a hash table with open addressing; 0 is an empty slot. */
typedef struct {
    uint32_t count, product[SLOTS];
    bool zero; /* the word 0 is in the set */
} words_set;
struct dev_words {
    bool blind;    /* a GPU does not report the contents of memory that both sides see */
    unsigned skip; /* leading zeros of the products in the sample */
    uint32_t factor;
    words_set seen, given, sent;
};

/* Returns whether the word at p is in the sample. */
static bool words_product(const dev_words *w, const uint8_t *p, uint32_t *product) {
    uint32_t word;
    memcpy(&word, p, sizeof word);
    *product = word * w->factor;
    return !((uint64_t)*product >> (32 - w->skip));
}

/* Returns the product's slot, or the empty one for it: the sets are never full. */
static uint32_t words_slot(const dev_words *w, const words_set *s, uint32_t product) {
    uint32_t i = product << w->skip >> (32 - SLOTS_LOG2);
    while (s->product[i] && s->product[i] != product) i = (i + 1) % SLOTS;
    return i;
}

static bool words_has(const dev_words *w, const words_set *s, uint32_t product) {
    return product ? s->product[words_slot(w, s, product)] != 0 : s->zero;
}

static void words_put(const dev_words *w, words_set *s, uint32_t product) {
    if (!product) {
        s->zero = true;
        return;
    }
    uint32_t *slot = &s->product[words_slot(w, s, product)];
    s->count += !*slot;
    *slot = product;
}

/* Keeps the words that have enough leading zeros now. `kept` has room for WORDS_MOST. */
static void words_thin(const dev_words *w, words_set *s, uint32_t *kept) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < SLOTS; i++)
        if (s->product[i] && !((uint64_t)s->product[i] >> (32 - w->skip)))
            kept[n++] = s->product[i];
    memset(s->product, 0, sizeof s->product);
    s->count = 0;
    while (n) words_put(w, s, kept[--n]);
}

static dev_words *words_of(dev_client *c) {
    dev_log_state *g = &c->log;
    bool any = false;
    if (!g->in_call || g->replaying) return NULL;
    if (g->words) return g->words;
    for (size_t i = 0; i < c->entry.args; i++) any |= c->entry.buffer[i].live;
    if (!any) return NULL;
    dev_words *w = calloc(1, sizeof *w);
    if (w && getrandom(&w->factor, sizeof w->factor, 0) != sizeof w->factor) {
        free(w);
        w = NULL;
    }
    if (w) w->factor |= 1;
    return g->words = w;
}

/* Adds n bytes' words to `s`, one of w's sets. If memory is out, the set stays as it was: words
 * that are not in it do not count as given by the device. */
static void words_add(dev_words *w, words_set *s, const uint8_t *p, uint64_t n) {
    for (uint64_t i = 0; i + 4 <= n; i += 4) {
        uint32_t product;
        if (!words_product(w, p + i, &product)) continue;
        if (s->count == WORDS_MOST && !words_has(w, s, product)) {
            uint32_t *kept = malloc(sizeof *kept * WORDS_MOST);
            if (!kept) return;
            w->skip++;
            words_thin(w, &w->seen, kept);
            words_thin(w, &w->given, kept);
            words_thin(w, &w->sent, kept);
            free(kept);
            if (!words_product(w, p + i, &product)) continue;
        }
        words_put(w, s, product);
    }
}

bool dev_words_wanted(dev_client *c) {
    return words_of(c) != NULL;
}

void dev_words_seen(dev_client *c, const void *bytes, uint64_t n) {
    dev_words *w = words_of(c);
    if (w) words_add(w, &w->seen, bytes, n);
}

/* Returns whether the sector at p has one word eight times. */
static bool words_fill(const uint8_t *p) {
    return !memcmp(p, p + 4, SECTOR - 4);
}

static void words_add_but_fills(dev_words *w, words_set *s, const uint8_t *p, uint64_t n) {
    for (uint64_t i = 0, k; i < n; i += k) {
        k = n - i < SECTOR ? n - i : SECTOR;
        if (k < SECTOR || !words_fill(p + i)) words_add(w, s, p + i, k);
    }
}

void dev_words_given(dev_client *c, const void *bytes, uint64_t n) {
    dev_words *w = words_of(c);
    if (w) words_add_but_fills(w, &w->given, bytes, n);
}

void dev_words_sent(dev_client *c, uint64_t at, uint64_t n) {
    dev_words *w = dev_side_kept(c) ? NULL : words_of(c);
    const dev_device *d = dev_hw(c, 0);
    const uint8_t *p = w && d->backend->memory ? sim_memory_host(HW(d, memory), at, n) : NULL;
    if (p) words_add_but_fills(w, &w->sent, p, n);
}

void dev_words_passed(dev_client *c, const void *params, uint64_t n) {
    dev_words *w = words_of(c);
    if (w) words_add(w, &w->sent, params, n);
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
        if (all || !dev_side_hosts(c, at + i, k)) words_add(w, &w->seen, p + i, k);
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
    if (!w) return 0;
    for (uint64_t i = 0; i + 4 <= n; i += 4) {
        uint32_t product;
        if (!words_product(w, p + i, &product)) continue;
        all++;
        k += words_has(w, &w->seen, product) && !words_has(w, &w->given, product);
    }
    return all ? n / 4 * k / all : n / 4;
}

/* Returns how many words of `s` neither came from the device, nor are known. */
static uint64_t words_unknown(const dev_words *w, const words_set *s, const dev_bytes *known,
                              size_t count) {
    bool *found = calloc(SLOTS, sizeof *found);
    uint64_t n = 0;
    for (size_t k = 0; found && k < count; k++)
        for (uint64_t i = 0; i + 4 <= known[k].n; i += 4) {
            uint32_t product;
            if (words_product(w, (const uint8_t *)known[k].at + i, &product))
                found[words_slot(w, s, product)] = true;
        }
    for (uint32_t i = 0; found && i < SLOTS; i++)
        n += s->product[i] && !found[i] && !words_has(w, &w->seen, s->product[i]);
    free(found);
    return n << w->skip;
}

uint64_t dev_client_computed(const dev_client *c, const dev_bytes *known, size_t count) {
    const dev_words *w = c->log.words;
    return w && !w->blind ? words_unknown(w, &w->given, known, count) +
                                words_unknown(w, &w->sent, known, count)
                          : 0;
}
