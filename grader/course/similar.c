/* See similar.h.
 *
 *   submission --tokens--> one byte a token --every run of GRAM of them--> hashes
 *              --the least of every WINDOW neighbours--> its fingerprints
 *
 * If two files have GRAM + WINDOW - 1 equal tokens in a row, they share at least one fingerprint,
 * regardless of position and names. */
#include "runner/base/buffer.h"
#include "grader/course/similar.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { GRAM = 12, WINDOW = 8, FEWEST = 8, TEXT_LIMIT = 1 << 20 };
/* A pair is reported if it shares half of its rare fingerprints. A common fingerprint may only mean
 * that there is one usual way, or that one file was copied by many. Such pairs must share nearly
 * everything. */
static const double least_share = 0.5, whole_share = 0.8;

typedef struct {
    uint64_t hash;
    uint32_t doc;
} mark;
typedef struct {
    mark *v;
    size_t n, room;
    bool failed;
} marks;

static void add_mark(marks *m, uint64_t hash, uint32_t doc) {
    if (m->failed) return;
    if (!lib_grow(&m->v, &m->room, m->n, sizeof *m->v, 1024)) {
        m->failed = true;
        m->n = 0;
        return;
    }
    if (m->v) m->v[m->n++] = (mark){hash, doc};
}

/* ---- tokens ---- */

static unsigned char word_class(const char *word, size_t n) {
    /* Renaming cannot change these. */
    static const char *const words[] = {"if",           "else",
                                        "for",          "while",
                                        "do",           "return",
                                        "switch",       "case",
                                        "break",        "continue",
                                        "sizeof",       "const",
                                        "void",         "int",
                                        "float",        "double",
                                        "unsigned",     "char",
                                        "bool",         "template",
                                        "struct",       "auto",
                                        "static",       "__global__",
                                        "__device__",   "__shared__",
                                        "__restrict__", "__syncthreads",
                                        "threadIdx",    "blockIdx",
                                        "blockDim",     "gridDim",
                                        "atomicAdd",    "__shfl_down_sync",
                                        "__syncwarp"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && !memcmp(words[i], word, n)) return (unsigned char)(128 + i);
    return 'I';
}

/* Returns what follows a comment, blank, directive or literal at p; p if there is none. */
static const char *skip(const char *p, bool line_start) {
    if (p[0] == '/' && p[1] == '/') return p + strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (*p == '#' && line_start) return p + strcspn(p, "\n");
    if (isspace((unsigned char)*p)) return p + 1;
    return p;
}

static const char *skip_literal(const char *p) {
    char quote = *p++;
    while (*p && *p != quote && *p != '\n') p += p[0] == '\\' && p[1] ? 2 : 1;
    return *p == quote ? p + 1 : p;
}

/* Writes one byte per token to out, which has room for strlen(p). */
static size_t tokens_of(const char *p, unsigned char *out) {
    size_t n = 0;
    bool line_start = true;
    while (*p) {
        const char *behind = skip(p, line_start);
        if (behind != p) {
            line_start = *p == '\n' || (line_start && isspace((unsigned char)*p));
            p = behind;
            continue;
        }
        line_start = false;
        unsigned char u = (unsigned char)*p;
        if (isalpha(u) || u == '_' || u >= 0x80) {
            size_t k = 1;
            while (isalnum((unsigned char)p[k]) || p[k] == '_' || (unsigned char)p[k] >= 0x80) k++;
            out[n++] = word_class(p, k);
            p += k;
        } else if (isdigit(u)) {
            while (isalnum((unsigned char)*p) || *p == '.') p++;
            out[n++] = 'N';
        } else if (u == '"' || u == '\'') {
            p = skip_literal(p);
            out[n++] = 'S';
        } else {
            out[n++] = u;
            p++;
        }
    }
    return n;
}

/* ---- fingerprints ---- */

static uint64_t hash_of(const unsigned char *t) {
    uint64_t h = 1469598103934665603u;
    for (int i = 0; i < GRAM; i++) h = (h ^ t[i]) * 1099511628211u;
    return h ^ h >> 29;
}

/* every: all hashes of the text; otherwise only those that are the smallest in their window. */
static void fingerprints(const char *text, uint32_t doc, bool every, marks *m) {
    size_t length = strlen(text);
    unsigned char *t = malloc(length + 1);
    size_t n = t ? tokens_of(text, t) : 0;
    m->failed = m->failed || !t;
    size_t last = SIZE_MAX;
    for (size_t i = 0; n >= GRAM && i + GRAM <= n; i++) {
        if (every) {
            add_mark(m, hash_of(t + i), doc);
            continue;
        }
        if (i + 1 < WINDOW && i + GRAM < n) continue; /* the window is not full yet */
        size_t from = i + 1 < WINDOW ? 0 : i + 1 - WINDOW, least = from;
        for (size_t k = from; k <= i; k++)
            if (hash_of(t + k) <= hash_of(t + least)) least = k;
        if (least != last) add_mark(m, hash_of(t + least), doc);
        last = least;
    }
    free(t);
}

static int by_hash(const void *a, const void *b) {
    const mark *x = a, *y = b;
    return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1)
                              : (x->doc > y->doc) - (x->doc < y->doc);
}

/* Keeps each fingerprint of a file once. */
static void sort_marks(marks *m) {
    size_t n = 0;
    if (m->n) qsort(m->v, m->n, sizeof *m->v, by_hash);
    for (size_t i = 0; i < m->n; i++)
        if (!n || by_hash(&m->v[n - 1], &m->v[i])) m->v[n++] = m->v[i];
    m->n = n;
}

static bool given(const marks *m, uint64_t hash) {
    size_t lo = 0, hi = m->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (m->v[mid].hash < hash) lo = mid + 1;
        else hi = mid;
    }
    return lo < m->n && m->v[lo].hash == hash;
}

/* ---- pairs ---- */

static int by_share(const void *a, const void *b) {
    const similar_pair *x = a, *y = b;
    if (x->share != y->share) return x->share < y->share ? 1 : -1;
    if (x->shared != y->shared) return x->shared < y->shared ? 1 : -1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

typedef struct {
    const marks *all; /* sorted by hash */
    size_t *row;      /* per file: its row of the course */
    size_t *own;      /* per file: its number of fingerprints */
    size_t files;
    size_t common; /* a fingerprint in more files than this is not rare */
} corpus;

static void keep_pair(similar_pair p, similar_pair *pairs, size_t max, size_t *count) {
    if (*count < max) {
        pairs[(*count)++] = p;
        return;
    }
    size_t least = 0;
    for (size_t i = 1; i < max; i++)
        if (by_share(&pairs[i], &pairs[least]) > 0) least = i;
    if (by_share(&p, &pairs[least]) < 0) pairs[least] = p;
}

/* The indices of each file's fingerprints: at[first[i]] to at[first[i + 1]] for file i. */
typedef struct {
    size_t *first, *at, *group_end;
    bool *rare; /* per fingerprint: few files have it */
    uint32_t *shared, *few,
        *met; /* shared with the current file; of these the rare ones; files that share any */
} places;

static bool make_places(const corpus *k, places *p) {
    size_t n = k->all->n;
    *p = (places){.first = calloc(k->files + 2, sizeof *p->first),
                  .at = malloc((n + 1) * sizeof *p->at),
                  .group_end = malloc((n + 1) * sizeof *p->group_end),
                  .rare = calloc(n + 1, sizeof *p->rare),
                  .shared = calloc(k->files + 1, sizeof *p->shared),
                  .few = calloc(k->files + 1, sizeof *p->few),
                  .met = calloc(k->files + 1, sizeof *p->met)};
    if (!p->first || !p->at || !p->group_end || !p->rare || !p->shared || !p->few || !p->met)
        return false;
    for (size_t i = 0; i < k->files; i++) p->first[i + 1] = p->first[i] + k->own[i];
    for (size_t m = 0, e; m < n; m = e) {
        for (e = m; e < n && k->all->v[e].hash == k->all->v[m].hash;) e++;
        for (size_t j = m; j < e; j++) {
            p->group_end[j] = e;
            p->rare[j] = e - m <= k->common;
            p->at[p->first[k->all->v[j].doc]++] = j;
        }
    }
    for (size_t i = k->files; i-- > 0;) p->first[i + 1] = p->first[i];
    p->first[0] = 0;
    return true;
}

static bool compare_files(const corpus *k, similar_pair *pairs, size_t max, size_t *count) {
    places p = {0};
    bool ok = make_places(k, &p);
    for (size_t i = 0; ok && i < k->files; i++) {
        size_t met = 0; /* number of files that share anything with this one */
        if (k->own[i] < FEWEST) continue;
        /* Later entries of the group belong to later files. */
        for (size_t m = p.first[i]; m < p.first[i + 1]; m++)
            for (size_t j = p.at[m] + 1; j < p.group_end[p.at[m]]; j++) { // NOLINT: all filled
                p.few[k->all->v[j].doc] += p.rare[j];
                if (!p.shared[k->all->v[j].doc]++) p.met[met++] = k->all->v[j].doc;
            }
        for (size_t n = 0; n < met; n++) {
            size_t j = p.met[n], least = k->own[i] < k->own[j] ? k->own[i] : k->own[j];
            double all = least ? (double)p.shared[j] / (double)least : 0,
                   few = least ? (double)p.few[j] / (double)least : 0;
            bool whole = all >= whole_share;
            if (k->own[j] >= FEWEST && (whole || few >= least_share))
                keep_pair((similar_pair){k->row[i], k->row[j], whole ? all : few,
                                         whole ? p.shared[j] : p.few[j]},
                          pairs, max, count);
            p.shared[j] = p.few[j] = 0;
        }
    }
    free(p.first);
    free(p.at);
    free(p.group_end);
    free(p.rare);
    free(p.shared);
    free(p.few);
    free(p.met);
    if (*count) qsort(pairs, *count, sizeof *pairs, by_share);
    return ok;
}

/* Collects the fingerprints of all files handed in for the lab, without those of the given code. */
static bool read_corpus(const course *c, int out, const char *lab, marks *all, corpus *k) {
    char path[300];
    size_t n;
    marks known = {0};
    SAY(path, "given/%s.cu", lab);
    char *text = store_read(out, path, 2 * TEXT_LIMIT, &n);
    if (text) fingerprints(text, 0, true, &known);
    free(text);
    sort_marks(&known);
    for (size_t i = 0; i < c->count; i++) {
        if (strcmp(c->row[i].lab, lab) != 0 || !*c->row[i].sha) continue;
        SAY(path, "submissions/%s.cu", c->row[i].sha);
        text = store_read(out, path, TEXT_LIMIT, &n);
        if (!text) continue;
        k->row[k->files] = i;
        fingerprints(text, (uint32_t)k->files++, false, all);
        free(text);
    }
    bool ok = !all->failed && !known.failed;
    sort_marks(all);
    n = 0;
    for (size_t i = 0; i < all->n; i++)
        if (!given(&known, all->v[i].hash)) all->v[n++] = all->v[i];
    all->n = n;
    for (size_t i = 0; i < n; i++) k->own[all->v[i].doc]++;
    free(known.v);
    return ok;
}

bool similar_pairs(const course *c, int out, const char *lab, similar_pair *pairs, size_t max,
                   size_t *count) {
    marks all = {0};
    corpus k = {.all = &all,
                .row = calloc(c->count + 1, sizeof *k.row),
                .own = calloc(c->count + 1, sizeof *k.own)};
    *count = 0;
    bool ok = k.row && k.own && read_corpus(c, out, lab, &all, &k);
    k.common = k.files / 4 < 6 ? 6 : k.files / 4 > 60 ? 60 : k.files / 4;
    ok = ok && compare_files(&k, pairs, max, count);
    free(all.v);
    free(k.row);
    free(k.own);
    return ok;
}
