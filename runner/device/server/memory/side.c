/* What the program's own code does with page-locked, registered and managed memory in a lab's call.
 * No call reports this. So when the device is about to use a range, its contents are compared with
 * what the last work left there:
 *
 *   a work is about to use it --dev_side_before--> differences are the host's: dev_patch, kept
 *   it has used it            --dev_side_after---> sectors that differ are the device's
 *
 * A proof (memory/rewind.c) begins with the initial contents of the range, and applies the patches
 * at the right times. Bytes that the device left and that were not changed are in no patch: a proof
 * computes them anew. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/log.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/sim/memory/memory.h"

#include <stdlib.h>
#include <string.h>

enum { SECTOR = 32, PAGE = 4096, WORD = 4 };
struct dev_side {
    uint8_t *first;  /* NULL: as it was made (DEV_HOST_POISON) */
    uint8_t *known;  /* contents after the last work; NULL: the program cannot reach it yet */
    uint8_t *stored; /* one bit a sector: the device wrote it last */
    uint64_t held;
};

bool dev_side_kept(const dev_client *c) {
    return c->log.in_call && !c->log.replaying && !c->log.tape_off &&
           c->s->device[0].backend->memory;
}

/* Returns the place of the range's bytes, which the program may be changing. */
static const uint8_t *side_bytes(const dev_client *c, const dev_mem *m) {
    return sim_memory_host(HW(dev_hw(c, 0), memory), m->base, m->bytes);
}

static bool reached(const dev_mem *m) {
    return m->kind != DEV_MEM_MANAGED || m->given;
}

void dev_side_free(dev_client *c, dev_mem *m) {
    dev_side *x = m->side;
    if (!x) return;
    dev_let_go(c, x->held);
    free(x->first), free(x->known), free(x->stored);
    free(x);
    m->side = NULL;
}

bool dev_side_bury(dev_client *c, dev_mem *m) {
    dev_log_state *g = &c->log;
    if (!g->in_call || !c->memory.device[m->device].past) return false;
    if (!lib_grow(&g->dead, &g->dead_room, g->dead_count, sizeof *g->dead, 16)) return false;
    g->dead[g->dead_count] = *m;
    g->dead[g->dead_count].pages = NULL;
    g->dead[g->dead_count++].host = NULL;
    m->side = NULL;
    return true;
}

static uint8_t *side_copy(const uint8_t *from, uint64_t n) {
    uint8_t *p = malloc(n);
    if (p) memcpy(p, from, n);
    return p;
}

/* What the program's own code put there counts as given to the device, like a copy: words in n
 * bytes of a sector that differ from what was known (NULL: nothing). A sector with a single value
 * says no more than a memset. */
static void side_gave(dev_client *c, const dev_mem *m, const uint8_t *held, const uint8_t *known,
                      uint64_t n, dev_side_words *given) {
    bool several = false;
    for (uint64_t i = WORD; i + WORD <= n; i += WORD) several |= memcmp(held + i, held, WORD) != 0;
    if (!several || !given || m->kind == DEV_MEM_GRANTED) return;
    for (uint64_t i = 0; i + WORD <= n; i += WORD)
        if (!known || memcmp(held + i, known + i, WORD) != 0) given(c, held + i, WORD);
}

static bool side_new(dev_client *c, dev_mem *m, const uint8_t *now, dev_side_words *given) {
    uint64_t sectors = m->bytes / SECTOR + 1, held = 2 * m->bytes + sectors;
    dev_side *x = dev_hold(c, held) ? calloc(1, sizeof *x) : NULL;
    bool blank = m->fresh && !reached(m);
    if (!x) return false;
    m->side = x;
    x->held = held;
    x->stored = calloc(sectors / 8 + 1, 1);
    if (!blank) x->first = side_copy(now, m->bytes);
    if (reached(m)) x->known = side_copy(now, m->bytes);
    for (uint64_t s = 0; x->known && given && s < m->bytes; s += SECTOR)
        side_gave(c, m, x->known + s, NULL, m->bytes - s < SECTOR ? m->bytes - s : SECTOR, given);
    if (x->stored && (blank || x->first) && (!reached(m) || x->known)) return true;
    dev_side_free(c, m);
    return false;
}

/* Returns the range that contains `at`, and how much of [at, at + n) is in it; NULL: nothing must
 * be kept. */
static dev_mem *side_find(dev_client *c, uint64_t at, uint64_t *n) {
    dev_mem *m = dev_side_kept(c) ? dev_mem_find(c, at) : NULL;
    if (!m || !m->on_host || !*n) return NULL;
    if (*n > m->bytes - (at - m->base)) *n = m->bytes - (at - m->base);
    return m;
}

static void mark(dev_side *x, uint64_t sector, bool on) {
    if (on) x->stored[sector / 8] |= (uint8_t)(1u << sector % 8);
    else x->stored[sector / 8] &= (uint8_t) ~(1u << sector % 8);
}
static bool marked(const dev_side *x, uint64_t sector) {
    return x->stored[sector / 8] >> sector % 8 & 1;
}

/* Keeps n bytes that the host changed. */
static void patch(dev_client *c, uint64_t at, const uint8_t *bytes, uint64_t n) {
    dev_log_state *g = &c->log;
    uint64_t used = g->tape.n + g->patch_count * sizeof *g->patches;
    if (g->unproven) return;
    g->unproven = used + n + sizeof *g->patches > dev_part_limit(c) ||
                  !lib_grow(&g->patches, &g->patch_room, g->patch_count, sizeof *g->patches, 64);
    if (g->unproven) return;
    g->patches[g->patch_count++] =
        (dev_patch){g->work_count ? g->work_count - 1 : 0, at, n, g->tape.n};
    lib_buffer_add(&g->tape, (const char *)bytes, n);
    g->unproven = g->tape.failed;
}

static void patch_sector(dev_client *c, const dev_mem *m, const uint8_t *now, uint64_t from,
                         uint64_t to, dev_side_words *given) {
    const uint8_t *known = m->side->known;
    uint8_t held[SECTOR]; /* read once, because it may be changing */
    memcpy(held, now + from, to - from);
    side_gave(c, m, held, known + from, to - from, given);
    for (uint64_t i = 0, n = to - from; i < n;) {
        uint64_t k = i;
        while (k < n && held[k] != known[from + k]) k++;
        if (k > i) patch(c, m->base + from + i, held + i, k - i);
        i = k + 1;
    }
    memcpy(m->side->known + from, held, to - from);
}

/* Compares sectors of [from, to) of the range with what is known: differences come from the host,
 * or from the device. */
static void side_compare(dev_client *c, const dev_mem *m, const uint8_t *now, uint64_t from,
                         uint64_t to, bool device, dev_side_words *given) {
    dev_side *x = m->side;
    for (uint64_t at = from, end; at < to; at = end) {
        end = (at / PAGE + 1) * PAGE;
        if (end > to) end = to;
        if (!memcmp(now + at, x->known + at, end - at)) continue;
        for (uint64_t s = at, next; s < end; s = next) {
            next = (s / SECTOR + 1) * SECTOR;
            if (next > end) next = end;
            if (!memcmp(now + s, x->known + s, next - s)) continue;
            mark(x, s / SECTOR, device);
            if (device) memcpy(x->known + s, now + s, next - s);
            else patch_sector(c, m, now, s, next, given);
        }
    }
}

void dev_side_before(dev_client *c, uint64_t at, uint64_t n, dev_side_words *given) {
    dev_mem *m = side_find(c, at, &n);
    const uint8_t *now = m ? side_bytes(c, m) : NULL;
    if (!now) return;
    if (!m->side) c->log.unproven |= !side_new(c, m, now, given);
    else if (m->side->known) side_compare(c, m, now, at - m->base, at - m->base + n, false, given);
}

void dev_side_after(dev_client *c, uint64_t at, uint64_t n, bool exact) {
    dev_mem *m = side_find(c, at, &n);
    const uint8_t *now = m && m->side && m->side->known ? side_bytes(c, m) : NULL;
    if (!now) return;
    side_compare(c, m, now, at - m->base, at - m->base + n, true, NULL);
    for (uint64_t s = (at - m->base + SECTOR - 1) / SECTOR;
         exact && (s + 1) * SECTOR <= at - m->base + n; s++)
        mark(m->side, s, true);
}

void dev_side_given(dev_client *c, dev_mem *m) {
    dev_side *x = m->side;
    const uint8_t *now = x ? side_bytes(c, m) : NULL;
    m->given = true;
    if (!now) return;
    x->known = side_copy(now, m->bytes);
    c->log.unproven |= !x->known;
    memset(x->stored, 0xff, m->bytes / SECTOR / 8 + 1); /* only the device could */
}

uint64_t dev_side_hosts(dev_client *c, uint64_t at, uint64_t n) {
    dev_mem *m = side_find(c, at, &n);
    const dev_side *x = m ? m->side : NULL;
    uint64_t hosts = 0;
    bool several = false;
    uint8_t value = 0;
    if (!x) return n;
    for (uint64_t i = at - m->base, end = i + n; x->known && i < end; i++) {
        if (marked(x, i / SECTOR)) continue;
        if (!hosts++) value = x->known[i];
        several |= x->known[i] != value;
    }
    return several ? hosts : 0;
}

const uint8_t *dev_side_known(const dev_mem *m) {
    return m->side ? m->side->known : NULL;
}

bool dev_side_first(const dev_mem *m, const uint8_t **bytes) {
    *bytes = m->side ? m->side->first : NULL;
    return m->side != NULL;
}
