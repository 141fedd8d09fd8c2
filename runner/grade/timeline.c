/* The picture `timeline`: what the device did in a call, over time.
 *
 *   grade_result.ops --rows: copies by direction, kernels by stream--> cells --> legend, overlap */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/grade/pictures.h"
#include "runner/base/say.h"
#include "runner/term/i18n.h"
#include "words/grade.h"

enum { CELLS = 88, LABEL = 11, STREAMS = 16, KERNELS = 26, LEGEND = 8 };

typedef struct {
    const grade_op *v;
    size_t n;
    double from, to;
    int cells; /* per row, at most CELLS */
} ops;

/* Kernels in the order of their first launch, for the letters. */
typedef struct {
    const char *name[KERNELS];
    size_t times[KERNELS];
    double us[KERNELS];
    size_t n;
} kernels;

static size_t kernel_at(const kernels *k, const char *name) {
    size_t i = 0;
    while (i < k->n && strcmp(k->name[i], name) != 0) i++;
    return i;
}

static void kernels_find(const ops *o, kernels *k) {
    for (size_t i = 0; i < o->n; i++) {
        if (o->v[i].op != DEV_OP_LAUNCH) continue;
        size_t at = kernel_at(k, o->v[i].kernel);
        if (at == KERNELS) continue;
        if (at == k->n) k->name[k->n++] = o->v[i].kernel;
        k->times[at]++;
        k->us[at] += o->v[i].end_us - o->v[i].start_us;
    }
}

static char op_letter(const grade_op *o, const kernels *k) {
    if (o->op != DEV_OP_LAUNCH)
        return o->stream < 36 ? "0123456789abcdefghijklmnopqrstuvwxyz"[o->stream] : '+';
    size_t at = kernel_at(k, o->kernel);
    return (char)(at < k->n ? 'A' + (int)at : '?');
}

/* Returns whether an operation belongs to the row: to a copy's direction, or to a stream's
 * kernels. */
typedef struct {
    dev_op op; /* MEMSET: everything on the device that is not a kernel */
    unsigned stream;
} track_row;

static bool in_row(const track_row *w, const grade_op *o) {
    if (w->op == DEV_OP_LAUNCH) return o->op == DEV_OP_LAUNCH && o->stream == w->stream;
    if (w->op == DEV_OP_H2D && o->op == DEV_OP_PAGES_IN) return true;
    if (w->op == DEV_OP_D2H && o->op == DEV_OP_PAGES_OUT) return true;
    if (w->op == DEV_OP_MEMSET) return o->op == DEV_OP_MEMSET || o->op == DEV_OP_D2D;
    return o->op == w->op;
}

static bool row_any(const track_row *w, const ops *o) {
    for (size_t i = 0; i < o->n; i++)
        if (in_row(w, &o->v[i])) return true;
    return false;
}

static void row_draw(const show_place *p, const ops *o, const kernels *k, const track_row *w,
                     const char *label) {
    char cells[CELLS + 1], number[32];
    double width = (o->to - o->from) / o->cells, busy = 0;
    memset(cells, '.', sizeof cells);
    cells[o->cells] = 0;
    for (size_t i = 0; i < o->n; i++) {
        const grade_op *q = &o->v[i];
        if (!in_row(w, q)) continue;
        busy += q->end_us - q->start_us;
        int first = width > 0 ? (int)((q->start_us - o->from) / width) : 0,
            last = width > 0 ? (int)ceil((q->end_us - o->from) / width) - 1 : 0;
        if (first > o->cells - 1) first = o->cells - 1;
        if (last > o->cells - 1) last = o->cells - 1;
        for (int c = first; c <= last || c == first; c++) cells[c] = op_letter(q, k);
    }
    text_cell(p->out, TEXT_PLAIN, LABEL, "%s", label);
    for (int c = 0; c < o->cells;) {
        int n = 1;
        bool busy_cell = cells[c] != '.';
        while (c + n < o->cells && (cells[c + n] != '.') == busy_cell) n++;
        text_style style = !busy_cell ? TEXT_DIM : w->op == DEV_OP_LAUNCH ? TEXT_GOOD : TEXT_WARN;
        text_put(p->out, style, "%.*s", n, cells + c);
        c += n;
    }
    text_put(p->out, TEXT_PLAIN, "%9s\n",
             show_number(number, busy >= 100 ? floor(busy + 0.5) : busy));
}

static int by_stream(const void *a, const void *b) {
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

/* Finds the streams with kernels, in order: at most `most`; *all is the number of all. */
static size_t streams_find(const ops *o, unsigned *out, size_t most, size_t *all) {
    unsigned *v = calloc(o->n + 1, sizeof *v);
    size_t n = 0, kept = 0;
    for (size_t i = 0; v && i < o->n; i++)
        if (o->v[i].op == DEV_OP_LAUNCH) v[n++] = o->v[i].stream;
    if (n) qsort(v, n, sizeof *v, by_stream);
    *all = 0;
    for (size_t i = 0; i < n; i++) {
        if (i && v[i] == v[i - 1]) continue;
        if (kept < most) out[kept++] = v[i];
        (*all)++;
    }
    free(v);
    return kept;
}

/* ---- how much overlaps ---- */

typedef struct {
    double at;
    int all, kernels; /* +1: begins; -1: ends */
} edge;

static int by_time(const void *a, const void *b) {
    const edge *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->all - y->all; /* at the same time, ends come before beginnings */
}

typedef struct {
    double sum, busy;
    unsigned at_once;
} overlap;

static overlap overlap_of(const ops *o) {
    overlap out = {0};
    edge *e = calloc(2 * o->n, sizeof *e);
    size_t n = 0;
    for (size_t i = 0; e && i < o->n; i++) {
        const grade_op *q = &o->v[i];
        int kernel = q->op == DEV_OP_LAUNCH;
        out.sum += q->end_us - q->start_us;
        e[n++] = (edge){q->start_us, 1, kernel};
        e[n++] = (edge){q->end_us, -1, -kernel};
    }
    if (n) qsort(e, n, sizeof *e, by_time);
    int running = 0, kernels_now = 0;
    for (size_t i = 0; i < n; i++) {
        if (i && running) out.busy += e[i].at - e[i - 1].at;
        running += e[i].all;
        kernels_now += e[i].kernels;
        if (kernels_now > (int)out.at_once) out.at_once = (unsigned)kernels_now;
    }
    free(e);
    return out;
}

/* ---- the whole ---- */

static void axis(const show_place *p, const ops *o) {
    char half[32], whole[32];
    text_cell(p->out, TEXT_DIM, LABEL, "us");
    text_cell(p->out, TEXT_DIM, o->cells / 2, "0");
    text_cell(p->out, TEXT_DIM, o->cells / 2 - 8, "%s",
              show_number(half, floor((o->to - o->from) * 5 + 0.5) / 10));
    text_cell(p->out, TEXT_DIM, -8, "%s",
              show_number(whole, floor((o->to - o->from) * 10 + 0.5) / 10));
    const char *busy = lib_word(p->lang, W_GRADE_NAME_BUSY);
    int room = p->out->width - LABEL - 2 * (o->cells / 2) - 2;
    text_put(p->out, TEXT_DIM, "  ");
    text_cell(p->out, TEXT_DIM, text_width(busy) < room ? text_width(busy) : room, "%s", busy);
    text_put(p->out, TEXT_DIM, "\n");
}

static void legend(const show_place *p, const kernels *k) {
    for (size_t i = 0; i < k->n && i < LEGEND; i++) {
        char letter[2] = {(char)('A' + i)}, name[32];
        snprintf(name, sizeof name, "%s", k->name[i]);
        text_words(p->out, TEXT_PLAIN, 2, p->lang,
                   w_grade_show_time_kernel(letter, name, k->times[i], k->us[i]));
    }
}

/* Copies the operations and numbers the call's own streams 1, 2, ... in the order of creation,
 * regardless of streams that the program made before. The caller frees the copy; NULL if memory ran
 * out. */
static grade_op *ops_from_one(const grade_result *r) {
    grade_op *v = calloc(r->op_count + 1, sizeof *v);
    unsigned *made = calloc(r->op_count + 1, sizeof *made);
    size_t n = 0, different = 0;
    for (size_t i = 0; made && i < r->op_count; i++)
        if (r->ops[i].stream) made[n++] = r->ops[i].stream;
    if (n) qsort(made, n, sizeof *made, by_stream);
    for (size_t i = 0; i < n; i++)
        if (!i || made[i] != made[different - 1]) made[different++] = made[i];
    for (size_t i = 0; v && i < r->op_count; i++) {
        v[i] = r->ops[i];
        const unsigned *at =
            different ? bsearch(&v[i].stream, made, different, sizeof *made, by_stream) : NULL;
        if (at) v[i].stream = (unsigned)(at - made) + 1;
    }
    free(made);
    return v;
}

static void timeline_draw(const show_place *p, const grade_result *r, ops o) {
    o.cells = p->out->width < 76 ? 36 : p->out->width < 112 ? 56 : CELLS;
    o.from = o.v[0].start_us;
    o.to = o.v[0].end_us;
    for (size_t i = 1; i < o.n; i++) {
        o.from = fmin(o.from, o.v[i].start_us);
        o.to = fmax(o.to, o.v[i].end_us);
    }
    kernels k = {0};
    kernels_find(&o, &k);
    axis(p, &o);
    const struct {
        track_row w;
        const char *label;
    } copies[] = {{{DEV_OP_H2D, 0}, lib_word(p->lang, W_GRADE_NAME_COPY_IN)},
                  {{DEV_OP_D2H, 0}, lib_word(p->lang, W_GRADE_NAME_COPY_OUT)},
                  {{DEV_OP_MEMSET, 0}, lib_word(p->lang, W_GRADE_NAME_ON_DEVICE)}};
    for (size_t i = 0; i < 3; i++)
        if (row_any(&copies[i].w, &o)) row_draw(p, &o, &k, &copies[i].w, copies[i].label);
    unsigned streams[STREAMS];
    size_t all, n = streams_find(&o, streams, STREAMS, &all);
    for (size_t i = 0; i < n; i++) {
        char label[32];
        lib_words_text(label, sizeof label, p->lang, w_grade_show_time_stream(streams[i]));
        row_draw(p, &o, &k, &(track_row){DEV_OP_LAUNCH, streams[i]}, label);
    }
    if (all > n) text_words(p->out, TEXT_DIM, 2, p->lang, w_grade_show_time_more(all - n));
    legend(p, &k);
    overlap v = overlap_of(&o);
    double over = fmax(v.sum - v.busy, 0);
    text_words(p->out, TEXT_DIM, 2, p->lang, w_grade_show_time_key((o.to - o.from) / o.cells));
    if (r->op_total > o.n)
        text_words(p->out, TEXT_DIM, 2, p->lang, w_grade_show_time_cut(o.n, r->op_total));
    text_words(p->out, TEXT_STRONG, 2, p->lang,
               w_grade_show_time_sum(v.sum, v.busy, over < 1e-6 ? 0 : over,
                                     v.sum > 0 ? 100 * over / v.sum : 0.0, v.at_once));
}

void show_timeline(const show_place *p, const grade_result *r) {
    if (!r->op_count) {
        text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_TIME_NONE));
        return;
    }
    grade_op *v = ops_from_one(r);
    timeline_draw(p, r, (ops){.v = v ? v : r->ops, .n = r->op_count});
    free(v);
}
