/* See apart.h. The copies are in chunks that do not move. A hash table of line numbers finds
 * them. */
#include "runner/device/sim/memory/apart.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"

enum { LINE = 128, PIECE_LINES = 256, LINES_OF_MB = (1 << 20) / LINE, TABLE_LEAST = 1 << 10 };

typedef struct {
    uint8_t of[PIECE_LINES][LINE];
} __attribute__((aligned(64))) piece;

struct sim_apart {
    uint64_t *line;  /* by position in the table: line number + 1; 0: free */
    uint32_t *index; /* by position: index of its copy */
    uint32_t places, count, most;
    piece **pieces;
    size_t piece_count;
    const uint8_t **host; /* by index: the line on the host that was copied */
    size_t host_room;
    bool full;
    uint8_t over[LINE]; /* one line for everything without a copy */
};

sim_apart *sim_apart_new(unsigned megabytes) {
    sim_apart *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->most = megabytes * LINES_OF_MB;
    p->places = TABLE_LEAST;
    p->line = calloc(p->places, sizeof *p->line);
    p->index = calloc(p->places, sizeof *p->index);
    if (p->line && p->index) return p;
    sim_apart_free(p);
    return NULL;
}

void sim_apart_free(sim_apart *p) {
    if (!p) return;
    for (size_t k = 0; k < p->piece_count; k++) free(p->pieces[k]);
    free(p->pieces);
    free(p->host);
    free(p->line);
    free(p->index);
    free(p);
}

void sim_apart_forget(sim_apart *p) {
    memset(p->line, 0, p->places * sizeof *p->line);
    p->count = 0;
    p->full = false;
}

bool sim_apart_full(const sim_apart *p) {
    return p->full;
}

/* Returns the line's position, or the free one where it belongs. */
static uint32_t place_of_line(const uint64_t *lines, uint32_t places, uint64_t line) {
    uint32_t k = (uint32_t)(line * 0x9E3779B97F4A7C15u >> 32) & (places - 1);
    while (lines[k] && lines[k] != line + 1) k = (k + 1) & (places - 1);
    return k;
}

static bool grow_table(sim_apart *p) {
    uint32_t places = p->places * 2;
    uint64_t *line = calloc(places, sizeof *line);
    uint32_t *index = calloc(places, sizeof *index);
    for (uint32_t k = 0; line && index && k < p->places; k++) {
        if (!p->line[k]) continue;
        uint32_t to = place_of_line(line, places, p->line[k] - 1);
        line[to] = p->line[k];
        index[to] = p->index[k];
    }
    bool ok = line && index;
    free(ok ? p->line : line);
    free(ok ? p->index : index);
    if (ok) p->line = line, p->index = index, p->places = places;
    return ok;
}

/* Makes room for one more copy. */
static bool make_room(sim_apart *p) {
    if (p->count == p->most || (p->count >= p->places / 2 && !grow_table(p)) ||
        !lib_grow(&p->host, &p->host_room, p->count, sizeof *p->host, PIECE_LINES))
        return false;
    if (p->count < p->piece_count * PIECE_LINES) return true;
    if (!lib_grow_one(&p->pieces, p->piece_count, sizeof *p->pieces)) return false;
    piece *new = aligned_alloc(64, sizeof *new);
    if (new) p->pieces[p->piece_count++] = new;
    return new != NULL;
}

static uint8_t *copy_of(const sim_apart *p, uint32_t index) {
    return p->pieces[index / PIECE_LINES]->of[index % PIECE_LINES];
}

void *sim_apart_place(sim_apart *p, uint64_t at, void *host) {
    uint64_t line = at / LINE, from = at % LINE;
    uint32_t k = place_of_line(p->line, p->places, line);
    if (!p->line[k]) {
        if (p->full || !make_room(p)) {
            p->full = true;
            return p->over + from;
        }
        k = place_of_line(p->line, p->places, line);
        p->line[k] = line + 1;
        p->host[p->count] = (uint8_t *)host - from;
        p->index[k] = p->count++;
        /* Other blocks may be writing there; the copy gets what the block would have found. */
        const uint64_t *words = (const uint64_t *)(const void *)((uint8_t *)host - from);
        uint64_t *to = (uint64_t *)(void *)copy_of(p, p->index[k]);
        for (unsigned w = 0; w < LINE / sizeof *to; w++)
            to[w] = __atomic_load_n(&words[w], __ATOMIC_RELAXED);
    }
    return copy_of(p, p->index[k]) + from;
}

void *sim_apart_look(const sim_apart *p, uint64_t at, void *host) {
    uint32_t k = place_of_line(p->line, p->places, at / LINE);
    return p->line[k] ? copy_of(p, p->index[k]) + at % LINE : host;
}

/* Returns whether two numbers are equal except for the last digits. */
static bool nearly(double a, double b, double part) {
    return fabs(a - b) <= part * fabs(b) + 1e-6 * part;
}

static bool nearly_same(const uint8_t *mine, const uint8_t *theirs, unsigned w) {
    float a, b;
    double x, y;
    memcpy(&a, mine + w, sizeof a), memcpy(&b, theirs + w, sizeof b);
    memcpy(&x, mine + w / 8 * 8, sizeof x), memcpy(&y, theirs + w / 8 * 8, sizeof y);
    return nearly((double)a, (double)b, 1e-3) || nearly(x, y, 1e-9);
}

uint64_t sim_apart_unlike(const sim_apart *p, uint64_t *rounded, uint64_t *at) {
    uint64_t unlike = 0;
    for (uint32_t k = 0; k < p->places; k++) {
        if (!p->line[k]) continue;
        const uint8_t *mine = copy_of(p, p->index[k]), *theirs = p->host[p->index[k]];
        for (unsigned w = 0; w < LINE; w += 4) {
            if (!memcmp(mine + w, theirs + w, 4)) continue;
            if (nearly_same(mine, theirs, w)) {
                (*rounded)++;
                continue;
            }
            unlike++;
            *at = (p->line[k] - 1) * LINE + w;
        }
    }
    return unlike;
}
