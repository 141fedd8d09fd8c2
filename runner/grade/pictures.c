/* See pictures.h. Each picture is a function of a graded run or of a model's numbers. Nothing here
 * runs a program. */
#include "runner/grade/pictures.h"
#include "grader/figure.h"
#include "grader/grade.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "runner/device/sim/profile.h"
#include "runner/term/i18n.h"
#include "words/grade.h"
#include "words/term.h"

enum { BAR = 32, MAX_LINES = 16 };

const char *show_number(char buf[32], double v) {
    return lib_figure(buf, 4, v);
}

/* With less than 72 columns, pictures are drawn closer together. */
static bool narrow(const show_place *p) {
    return p->out->width < 72;
}

static void repeat(text_out *o, text_style st, char c, int n) {
    char s[128];
    if (n <= 0) return;
    size_t len = n < (int)sizeof s ? (size_t)n : sizeof s - 1;
    memset(s, c, len);
    s[len] = 0;
    text_put(o, st, "%s", s);
}

/* ---- lines of the source ---- */

/* Lines without a file are lines of PTX that the compiler added. */
static bool belongs(const show_place *p, const sim_line *l) {
    if (!p->file) return true;
    const char *slash = l->file ? strrchr(l->file, '/') : NULL;
    return l->file && !strcmp(slash ? slash + 1 : l->file, p->file);
}

static void put_source(const show_place *p, unsigned line, int columns) {
    const char *s = p->source;
    for (unsigned i = 1; s && i < line; i++) {
        s = strchr(s, '\n');
        if (s) s++;
    }
    if (!s || !line || columns < 6) return;
    s += strspn(s, " \t");
    text_cell(p->out, TEXT_CODE, columns, "%.*s", (int)strcspn(s, "\n"), s);
}

typedef struct {
    unsigned line;
    sim_counters c;
} line_sum;

static int by_line(const void *a, const void *b) {
    const line_sum *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}
static int by_work(const void *a, const void *b) {
    const line_sum *x = a, *y = b;
    return (x->c.warp_inst < y->c.warp_inst) - (x->c.warp_inst > y->c.warp_inst);
}

/* Collects the lines that `keep` accepts, adds up their launches, and returns the busiest MAX_LINES
 * in source order. */
static size_t gather(const show_place *p, const grade_result *r,
                     bool (*keep)(const sim_counters *c), line_sum **out) {
    line_sum *v = calloc(r->line_count + 1, sizeof *v);
    size_t n = 0;
    for (size_t i = 0; v && i < r->line_count; i++) {
        const sim_line *l = &r->lines[i];
        if (!keep(&l->counters) || !belongs(p, l)) continue;
        size_t k = 0;
        while (k < n && v[k].line != l->line) k++;
        if (k == n) v[n++].line = l->line;
        sim_counters_add(&v[k].c, &l->counters);
    }
    if (n > MAX_LINES) {
        qsort(v, n, sizeof *v, by_work);
        n = MAX_LINES;
    }
    if (n) qsort(v, n, sizeof *v, by_line);
    *out = v;
    return n;
}

/* Returns the columns of the picture that remain after `used` columns. */
static int rest(const show_place *p, int used) {
    return (p->out->width < 100 ? p->out->width : 100) - 1 - used;
}

/* ---- sectors, banks, divergence ---- */

static bool any_global(const sim_counters *c) {
    return c->gld_requests || c->gst_requests;
}
static bool any_shared(const sim_counters *c) {
    return c->shared_ld_requests || c->shared_st_requests;
}
static bool any_work(const sim_counters *c) {
    return c->warp_inst > 0;
}

/* Draws a bar with `cells` cells of c, and the number. */
static void bar(const show_place *p, text_style st, char c, double cells, int width) {
    int n = (int)floor(cells + 0.5);
    if (n < 1 && cells > 0) n = 1;
    if (n > width) n = width;
    text_put(p->out, TEXT_PLAIN, "[");
    repeat(p->out, st, c, n);
    repeat(p->out, TEXT_DIM, ' ', width - n);
    text_put(p->out, TEXT_PLAIN, "] ");
}

static void sectors_row(const show_place *p, unsigned line, bool store, uint64_t requests,
                        uint64_t sectors, uint64_t bytes) {
    if (!requests) return;
    double per = (double)sectors / (double)requests,
           used = sectors ? (double)bytes / (32.0 * (double)sectors) : 0;
    if (used > 1) used = 1; /* lanes that share a word use more bytes than are moved */
    char c = used >= 0.75 ? '#' : used > 0.25 ? '+' : '-';
    text_style st = c == '#' ? TEXT_GOOD : c == '+' ? TEXT_WARN : TEXT_BAD;
    text_put(p->out, TEXT_PLAIN, "%5u ", line);
    text_cell(p->out, TEXT_PLAIN, 6, "%s",
              store ? lib_word(p->lang, W_GRADE_NAME_STORE) : lib_word(p->lang, W_GRADE_NAME_LOAD));
    bar(p, st, c, per, BAR);
    if (narrow(p)) text_put(p->out, TEXT_PLAIN, "%4.1f%4.0f%%", per, 100 * used);
    else text_put(p->out, TEXT_PLAIN, "%5.1f %6.0f%%  ", per, 100 * used);
    put_source(p, line, rest(p, 63));
    text_put(p->out, TEXT_PLAIN, "\n");
}

void show_sectors(const show_place *p, const grade_result *r) {
    line_sum *v;
    size_t n = gather(p, r, any_global, &v);
    if (!n) {
        text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_NO_LINES));
    } else {
        text_cell(p->out, TEXT_DIM, -5, "%s", lib_word(p->lang, W_TERM_SHOW_LINE));
        text_put(p->out, TEXT_PLAIN, "       ");
        text_cell(p->out, TEXT_DIM, BAR + (narrow(p) ? 7 : 9), "%s",
                  lib_word(p->lang, W_GRADE_NAME_SECTORS_OF_REQUEST));
        text_put(p->out, TEXT_DIM, "%s\n", lib_word(p->lang, W_GRADE_NAME_USED));
        for (size_t i = 0; i < n; i++) {
            const sim_counters *c = &v[i].c;
            sectors_row(p, v[i].line, false, c->gld_requests, c->gld_sectors, c->gld_bytes);
            sectors_row(p, v[i].line, true, c->gst_requests, c->gst_sectors, c->gst_bytes);
        }
        text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_SECTORS_KEY));
    }
    free(v);
}

static void banks_row(const show_place *p, unsigned line, bool store, uint64_t requests,
                      uint64_t passes) {
    if (!requests) return;
    double per = (double)passes / (double)requests;
    text_put(p->out, TEXT_PLAIN, "%5u ", line);
    text_cell(p->out, TEXT_PLAIN, 6, "%s",
              store ? lib_word(p->lang, W_GRADE_NAME_STORE) : lib_word(p->lang, W_GRADE_NAME_LOAD));
    bar(p, per < 1.5 ? TEXT_GOOD : TEXT_BAD, '#', per, BAR);
    text_put(p->out, TEXT_PLAIN, "%5.1f  ", per);
    put_source(p, line, rest(p, 55));
    text_put(p->out, TEXT_PLAIN, "\n");
}

void show_banks(const show_place *p, const grade_result *r) {
    line_sum *v;
    size_t n = gather(p, r, any_shared, &v);
    if (!n) {
        text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_NO_LINES));
    } else {
        text_cell(p->out, TEXT_DIM, -5, "%s", lib_word(p->lang, W_TERM_SHOW_LINE));
        text_put(p->out, TEXT_DIM, "       %s\n",
                 lib_word(p->lang, W_GRADE_NAME_PASSES_OF_REQUEST));
        for (size_t i = 0; i < n; i++) {
            const sim_counters *c = &v[i].c;
            banks_row(p, v[i].line, false, c->shared_ld_requests, c->shared_ld_wavefronts);
            banks_row(p, v[i].line, true, c->shared_st_requests, c->shared_st_wavefronts);
        }
        text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_BANKS_KEY));
    }
    free(v);
}

void show_divergence(const show_place *p, const grade_result *r) {
    line_sum *v;
    size_t n = gather(p, r, any_work, &v);
    if (!n) {
        text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_NO_LINES));
    } else {
        text_cell(p->out, TEXT_DIM, -5, "%s", lib_word(p->lang, W_TERM_SHOW_LINE));
        text_cell(p->out, TEXT_DIM, -12, "%s", lib_word(p->lang, W_GRADE_NAME_INSTRUCTIONS));
        text_cell(p->out, TEXT_DIM, -10, "%s", lib_word(p->lang, W_GRADE_NAME_SPLITS));
        text_put(p->out, TEXT_DIM, "  %s\n", lib_word(p->lang, W_GRADE_NAME_ACTIVE_LANES));
        for (size_t i = 0; i < n; i++) {
            const sim_counters *c = &v[i].c;
            double lanes = (double)c->thread_inst / (double)c->warp_inst;
            char a[32], b[32];
            text_put(p->out, TEXT_PLAIN, "%5u %11s", v[i].line,
                     show_number(a, (double)c->warp_inst));
            text_put(p->out, c->divergent_branches ? TEXT_WARN : TEXT_DIM, " %9s  ",
                     show_number(b, (double)c->divergent_branches));
            bar(p,
                lanes >= 24  ? TEXT_GOOD
                : lanes >= 8 ? TEXT_WARN
                             : TEXT_BAD,
                '#', lanes / 2, BAR / 2);
            text_put(p->out, TEXT_PLAIN, "%4.1f  ", lanes);
            put_source(p, v[i].line, rest(p, 54));
            text_put(p->out, TEXT_PLAIN, "\n");
        }
        text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_DIV_KEY));
    }
    free(v);
}

/* ---- occupancy and roofline ---- */

static const sim_profile *profile_of(const grade_result *r) {
    const char *name = strncmp(r->device, "sim:", 4) ? "h200" : r->device + 4;
    return sim_profile_find(name);
}

/* The warp slots of a multiprocessor; the slots of each block have its letter. Two slots share a
 * cell if there is not enough room. */
static void occupancy_slots(const show_place *p, const sim_profile *prof, const grade_launch *l) {
    unsigned all = prof ? prof->max_threads_sm / 32 : 0, blocks = l->occupancy.blocks,
             each = blocks ? l->occupancy.warps / blocks : 0, per = narrow(p) ? 2 : 1;
    if (!all || !each || all > 128) return;
    text_put(p->out, TEXT_PLAIN, "  ");
    text_cell(p->out, TEXT_PLAIN, p->out->width < 82 ? 12 : 14, "%s",
              lib_word(p->lang, W_GRADE_NAME_SLOTS));
    text_put(p->out, TEXT_PLAIN, "[");
    for (unsigned i = 0; i < all;) {
        unsigned b = i / each, n = 0;
        char cells[128];
        for (; i < all && (b < blocks ? i / each == b : i / each >= blocks); i += per)
            cells[n++] = b < blocks ? (char)('A' + (int)(b % 26)) : '.';
        text_style style = b >= blocks ? TEXT_DIM : b % 2 ? TEXT_STRONG : TEXT_GOOD;
        text_put(p->out, style, "%.*s", (int)n, cells);
    }
    text_put(p->out, TEXT_PLAIN, "]\n");
    text_words(p->out, TEXT_DIM, 2, p->lang, w_grade_show_occ_key(per));
}

void show_occupancy(const show_place *p, const grade_result *r) {
    if (!r->launch_count || !r->launches) {
        text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_NO_LAUNCHES));
        return;
    }
    for (size_t i = 0; i < r->launch_count; i++) {
        const grade_launch *l = &r->launches[i];
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again |=
                !strcmp(r->launches[k].kernel, l->kernel) && r->launches[k].block[0] == l->block[0];
        if (again) continue;
        unsigned threads = l->block[0] * l->block[1] * l->block[2];
        text_words(
            p->out, TEXT_STRONG, 2, p->lang,
            w_grade_show_occ_head(l->kernel, l->registers, (unsigned long long)l->shared, threads));
        const struct {
            const char *title;
            unsigned blocks;
            const char *limiter;
        } rows[] = {
            {lib_word(p->lang, W_GRADE_NAME_BLOCK_SLOTS), l->occupancy.by_blocks, "blocks"},
            {lib_word(p->lang, W_GRADE_NAME_WARP_SLOTS), l->occupancy.by_warps, "warps"},
            {lib_word(p->lang, W_GRADE_NAME_REGISTERS), l->occupancy.by_registers, "registers"},
            {lib_word(p->lang, W_GRADE_NAME_SHARED_MEMORY), l->occupancy.by_shared, "shared"}};
        for (size_t k = 0; k < 4; k++) {
            bool limit = l->occupancy.limiter && !strcmp(l->occupancy.limiter, rows[k].limiter);
            text_put(p->out, TEXT_PLAIN, "  ");
            text_cell(p->out, TEXT_PLAIN, 14, "%s", rows[k].title);
            bar(p, limit ? TEXT_WARN : TEXT_GOOD, '#', rows[k].blocks, BAR);
            if (rows[k].blocks > 999) text_put(p->out, TEXT_PLAIN, "  -  ");
            else text_put(p->out, TEXT_PLAIN, "%3u  ", rows[k].blocks);
            text_put(p->out, TEXT_WARN, "%s\n",
                     !limit      ? ""
                     : narrow(p) ? "<-"
                                 : lib_word(p->lang, W_GRADE_SHOW_OCC_LIMIT));
        }
        occupancy_slots(p, profile_of(r), l);
        text_words(p->out, TEXT_PLAIN, 2, p->lang,
                   w_grade_show_occ_result(l->occupancy.blocks, l->occupancy.warps,
                                           l->occupancy.pct, l->achieved_occupancy_pct));
    }
}

/* Writes what is left of a row: a power of ten inside the row, or the peak in the first row. */
static void roof_tick(const show_place *p, double floor_, double level, bool first, double peak) {
    char tick[32] = "";
    double ten = floor(level);
    if (first) show_number(tick, floor(peak / 100 + 0.5) * 100);
    else if (ten > floor_ && ten >= 0) show_number(tick, pow(10, ten));
    text_put(p->out, TEXT_DIM, "%9s %c", tick, tick[0] ? '+' : '|');
}

enum { ROOF_OCTAVES = 16, ROOF_LOW = -6, ROOF_ROWS = 10, ROOF_COLUMNS = 96 };

/* Writes operations per byte under the columns, at each factor of four; on a narrow screen at each
 * second one. */
static void roof_axis(const show_place *p, int octave) {
    text_put(p->out, TEXT_DIM, "  GFLOP/s +");
    for (int i = 0; i < ROOF_OCTAVES / 2; i++) {
        text_put(p->out, TEXT_DIM, "+");
        repeat(p->out, TEXT_DIM, '-', 2 * octave - 1);
    }
    text_put(p->out, TEXT_DIM, "\n%11s", "");
    for (int i = 0, step = octave > 2 ? 2 : 4; i < ROOF_OCTAVES; i += step) {
        int e = ROOF_LOW + i;
        char tick[16];
        snprintf(tick, sizeof tick, e < 0 ? "1/%d" : "%d", 1 << (e < 0 ? -e : e));
        text_cell(p->out, TEXT_DIM, step * octave, "%s", tick);
    }
    text_put(p->out, TEXT_PLAIN, "\n");
}

/* From 2^-6 to 2^10 operations per byte, with 2, 4 or 6 columns per octave. Each row is 0.4 decades
 * below the one above it; the first is the peak. */
static void roof_picture(const show_place *p, double peak, double bw, double x, double y) {
    int octave = narrow(p) ? 2 : p->out->width < 112 ? 4 : 6, columns = octave * ROOF_OCTAVES;
    double top = log10(peak) + 0.1, my = log10(fmax(y, 1e-9));
    int mx = (int)((log2(x) - ROOF_LOW) * octave + 0.5);
    mx = mx < 0 ? 0 : mx >= columns ? columns - 1 : mx;
    for (int row = 0; row < ROOF_ROWS; row++) {
        double level = top - 0.4 * row, floor_ = level - 0.4;
        char line[ROOF_COLUMNS + 1];
        for (int c = 0; c < columns; c++) {
            double at = log10(fmin(peak, bw * exp2(ROOF_LOW + c / (double)octave)));
            line[c] = at > floor_ && at <= level ? (at >= log10(peak) - 1e-9 ? '-' : '/') : ' ';
        }
        line[columns] = 0;
        bool mine = (my > floor_ && my <= level) || (row == ROOF_ROWS - 1 && my <= floor_);
        roof_tick(p, floor_, level, !row, peak);
        text_put(p->out, TEXT_PLAIN, "%.*s", mine ? mx : columns, line);
        if (mine) {
            text_put(p->out, TEXT_WARN, "*");
            text_put(p->out, TEXT_PLAIN, "%s", line + mx + 1);
        }
        text_put(p->out, TEXT_PLAIN, "\n");
    }
    roof_axis(p, octave);
}

void show_roofline(const show_place *p, const grade_result *r) {
    const sim_profile *prof = profile_of(r);
    double flops = (double)(r->counters.flop_sp + r->counters.flop_dp);
    double bytes = (double)(r->counters.dram_read + r->counters.dram_write);
    if (!prof || flops <= 0 || r->time_us <= 0) {
        text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_ROOF_NONE));
        return;
    }
    if (bytes < 1) bytes = 1;
    double peak = prof->rate_fp32 * 32 * 2 * prof->sms * prof->clock_ghz,
           bw = prof->dram_gbs * prof->dram_efficiency;
    double x = flops / bytes, y = flops / r->time_us / 1e3, roof = fmin(peak, bw * x);
    roof_picture(p, peak, bw, x, y);
    text_line(p->out, TEXT_DIM, 11, "%s", lib_word(p->lang, W_GRADE_SHOW_ROOF_X));
    char mine[32], above[32];
    show_number(mine, y < 100 ? y : floor(y + 0.5));
    show_number(above, roof < 100 ? roof : floor(roof + 0.5));
    text_words(p->out, TEXT_PLAIN, 2, p->lang,
               w_grade_show_roof_mine(x, mine, above,
                                      bw * x < peak
                                          ? lib_word(p->lang, W_GRADE_NAME_MEMORY_BANDWIDTH)
                                          : lib_word(p->lang, W_GRADE_NAME_ARITHMETIC),
                                      100 * y / roof));
    text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_ROOF_KEY));
}

/* ---- counters ---- */

static const char *unit_of(const char *name) {
    for (size_t i = 0; i < sim_counter_count(); i++)
        if (!strcmp(sim_counter_at(i)->name, name)) return sim_counter_at(i)->unit;
    for (size_t i = 0; i < grade_metric_count(); i++)
        if (!strcmp(grade_metric_at(i)->name, name)) return grade_metric_at(i)->unit;
    return "";
}

/* Columns: the longest name, two numbers, their ratio, and the unit if there is room. */
enum { NUMBER_COLUMNS = 13, RATIO_COLUMNS = 9, NARROW_RATIO_COLUMNS = 8 };

/* As wide as the longest name; names are cut if there is no room for that. */
static int name_columns(const show_place *p, const show_row *rows, size_t n) {
    int most = 20;
    for (size_t i = 0; i < n; i++)
        if (text_width(rows[i].name) > most) most = text_width(rows[i].name);
    return narrow(p) && most > 27 ? 28 : most + 1;
}

/* The widths of a table of counters. */
typedef struct {
    int names, number, ratio;
    bool two, units;
} counter_columns;

static int columns_used(const counter_columns *c) {
    return 2 + c->names + (c->two ? 2 * c->number + c->ratio : c->number);
}

/* Returns the width of the numbers and their titles, with a blank. */
static int number_columns(const show_row *rows, size_t n, const char *const heads[2]) {
    char buf[32];
    int most = 10;
    for (size_t i = 0; i < 2 * n + 2; i++) {
        const show_row *w = &rows[i / 2];
        const char *s =
            i >= 2 * n ? heads[i - 2 * n] : show_number(buf, i % 2 ? w->beside : w->mine);
        if (s && text_width(s) > most) most = text_width(s);
    }
    return most + 1 < NUMBER_COLUMNS ? most + 1 : NUMBER_COLUMNS;
}

/* Units are left out if there is no room for the longest. Before that, numbers move closer
 * together. */
static counter_columns columns_of(const show_place *p, const show_row *rows, size_t n,
                                  const char *const heads[2]) {
    bool two = heads[1] != NULL;
    int unit = text_width(lib_word(p->lang, W_GRADE_NAME_UNIT));
    for (size_t i = 0; i < n; i++) {
        int w = text_width(grade_unit_word(unit_of(rows[i].name), p->lang, false));
        if (w > unit) unit = w;
    }
    counter_columns c = {name_columns(p, rows, n), NUMBER_COLUMNS, RATIO_COLUMNS, two, true};
    if (!narrow(p) && columns_used(&c) + 2 + unit <= p->out->width) return c;
    c.number = number_columns(rows, n, heads), c.ratio = NARROW_RATIO_COLUMNS;
    c.units = columns_used(&c) + 2 + unit <= p->out->width;
    int over = columns_used(&c) - p->out->width;
    if (narrow(p) && over > 0 && over < c.names - 20) c.names -= over;
    if (!c.units && !narrow(p)) c.number = NUMBER_COLUMNS, c.ratio = RATIO_COLUMNS;
    return c;
}

static void counter_row(const show_place *p, const show_row *w, const counter_columns *c) {
    char a[32], b[32];
    text_put(p->out, TEXT_PLAIN, "  ");
    text_cell(p->out, TEXT_CODE, c->names, "%s", w->name);
    text_cell(p->out, TEXT_STRONG, -c->number, "%s", w->has_mine ? show_number(a, w->mine) : "-");
    if (c->two) {
        bool ratio = w->has_mine && w->has_beside && w->beside != 0;
        text_cell(p->out, TEXT_PLAIN, -c->number, "%s",
                  w->has_beside ? show_number(b, w->beside) : "-");
        if (ratio)
            text_cell(p->out, TEXT_DIM, -c->ratio, "%s", lib_figure(a, 3, w->mine / w->beside));
        else text_cell(p->out, TEXT_DIM, c->ratio, "%s", "");
    }
    if (c->units)
        text_put(p->out, TEXT_DIM, "  %s", grade_unit_word(unit_of(w->name), p->lang, false));
    text_put(p->out, TEXT_PLAIN, "\n");
}

void show_counters(const show_place *p, const show_row *rows, size_t n, const char *const heads[2],
                   bool docs) {
    counter_columns c = columns_of(p, rows, n, heads);
    text_put(p->out, TEXT_PLAIN, "  ");
    text_cell(p->out, TEXT_DIM, c.names, "%s", lib_word(p->lang, W_GRADE_NAME_COUNTER));
    text_cell(p->out, TEXT_DIM, -c.number, "%s", heads[0]);
    if (c.two) {
        text_cell(p->out, TEXT_DIM, -c.number, "%s", heads[1]);
        text_cell(p->out, TEXT_DIM, -c.ratio, "%s", lib_word(p->lang, W_GRADE_NAME_RATIO));
    }
    if (c.units) text_put(p->out, TEXT_DIM, "  %s", lib_word(p->lang, W_GRADE_NAME_UNIT));
    text_put(p->out, TEXT_PLAIN, "\n");
    for (size_t i = 0; i < n; i++) {
        counter_row(p, &rows[i], &c);
        const char *doc = docs ? grade_meaning(rows[i].name, p->lang) : "";
        if (*doc) text_line(p->out, TEXT_DIM, 4, "%s", doc);
    }
}

/* ---- models ---- */

static char name_of(unsigned i) {
    return (char)(i < 26 ? 'A' + (int)i : i < 52 ? 'a' + (int)i - 26 : '?');
}

/* Writes "lane 0 8 16 24 " above a row with one character per lane. */
static void lane_ruler(const show_place *p, unsigned lanes) {
    text_put(p->out, TEXT_PLAIN, "  ");
    text_cell(p->out, TEXT_DIM, 8, "%s", lib_word(p->lang, W_GRADE_NAME_LANE));
    for (unsigned i = 0; i < lanes; i += 8) text_cell(p->out, TEXT_DIM, 8, "%u", i);
    text_put(p->out, TEXT_PLAIN, "\n  ");
}

void show_lanes(const show_place *p, const double *address, unsigned lanes) {
    enum { MOST = 64 };
    if (lanes > 32) lanes = 32;
    double sector[MOST];
    unsigned char words[MOST] = {0};
    unsigned n = 0, active = 0;
    char letters[33];
    for (unsigned i = 0; i < lanes; i++) {
        letters[i] = '.';
        if (address[i] < 0) continue;
        active++;
        double s = floor(address[i] / 32);
        unsigned k = 0;
        while (k < n && sector[k] != s) k++;
        if (k == n) sector[n++] = s;
        words[k] |= (unsigned char)(1u << (unsigned)(fmod(address[i], 32) / 4));
        letters[i] = name_of(k);
    }
    letters[lanes] = 0;
    unsigned used = 0, across = narrow(p) ? 4 : p->out->width < 112 ? 6 : 8;
    for (unsigned k = 0; k < n; k++) used += 4 * (unsigned)__builtin_popcount(words[k]);
    lane_ruler(p, lanes);
    text_cell(p->out, TEXT_DIM, 8, "%s", lib_word(p->lang, W_GRADE_NAME_SECTOR));
    text_put(p->out, TEXT_STRONG, "%s\n\n", letters);
    for (unsigned k = 0; k < n; k++) {
        char cells[9];
        for (int w = 0; w < 8; w++) cells[w] = words[k] >> w & 1 ? '#' : '.';
        cells[8] = 0;
        text_put(p->out, TEXT_PLAIN, "%s%c[", k % across ? " " : "  ", name_of(k));
        text_put(p->out, words[k] == 0xff ? TEXT_GOOD : TEXT_WARN, "%s", cells);
        text_put(p->out, TEXT_PLAIN, "]%s", k % across == across - 1 || k + 1 == n ? "\n" : "");
    }
    text_put(p->out, TEXT_PLAIN, "\n");
    text_words(p->out, TEXT_STRONG, 2, p->lang,
               w_grade_show_lanes_sum(active, n, 32 * n, used, n ? 100.0 * used / (32 * n) : 0.0));
    text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_LANES_KEY));
}

/* Writes which lanes meet in the fullest banks, for the first of these banks. */
static void bank_lanes(const show_place *p, const int *bank, unsigned lanes,
                       const unsigned *different, unsigned most) {
    enum { SHOWN = 3 };
    unsigned shown = 0;
    for (int b = 0; most > 1 && b < 32 && shown < SHOWN; b++) {
        char list[160] = "";
        if (different[b] != most) continue;
        for (unsigned i = 0; i < lanes; i++) {
            size_t used = strlen(list);
            if (bank[i] == b) snprintf(list + used, sizeof list - used, "%s%u", used ? " " : "", i);
        }
        text_words(p->out, TEXT_PLAIN, 2, p->lang, w_grade_show_bank_lanes(b, list));
        shown++;
    }
}

void show_bankmap(const show_place *p, const double *address, unsigned lanes) {
    if (lanes > 32) lanes = 32;
    double word[32] = {0};
    int bank[32];
    unsigned different[32] = {0}, most = 0;
    for (unsigned i = 0; i < lanes; i++) {
        bank[i] = -1;
        if (address[i] < 0) continue;
        word[i] = floor(address[i] / 4);
        bank[i] = (int)fmod(word[i], 32);
        bool seen = false; /* lanes that read the same word need only one pass */
        for (unsigned k = 0; k < i; k++) seen |= bank[k] == bank[i] && word[k] == word[i];
        if (!seen && ++different[bank[i]] > most) most = different[bank[i]];
    }
    char row[33];
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
    for (unsigned i = 0; i < lanes; i++) row[i] = bank[i] < 0 ? '.' : digits[bank[i]];
    row[lanes] = 0;
    lane_ruler(p, lanes);
    text_cell(p->out, TEXT_DIM, 7, "%s", lib_word(p->lang, W_GRADE_NAME_BANK));
    text_put(p->out, TEXT_PLAIN, " ");
    text_put(p->out, TEXT_STRONG, "%s\n\n  ", row);
    text_cell(p->out, TEXT_DIM, 7, "%s", lib_word(p->lang, W_GRADE_NAME_BANK));
    text_put(p->out, TEXT_PLAIN, " ");
    text_put(p->out, TEXT_DIM, "%s\n  ", digits);
    text_cell(p->out, TEXT_DIM, 7, "%s", lib_word(p->lang, W_GRADE_NAME_WORDS));
    text_put(p->out, TEXT_PLAIN, " ");
    for (int b = 0; b < 32; b++)
        text_put(p->out,
                 different[b] > 1 ? TEXT_BAD
                 : different[b]   ? TEXT_GOOD
                                  : TEXT_DIM,
                 "%c", different[b] ? digits[different[b] < 32 ? different[b] : 31] : '.');
    text_put(p->out, TEXT_PLAIN, "\n");
    bank_lanes(p, bank, lanes, different, most);
    text_words(p->out, TEXT_STRONG, 2, p->lang, w_grade_show_banks_sum(most));
    text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_BANKMAP_KEY));
}

void show_rounds(const show_place *p, const bool *works, unsigned lanes, unsigned rounds) {
    /* lanes per cell */
    unsigned per = lanes <= (narrow(p) ? 32u : 64u) ? 1
                   : lanes <= 64                    ? 2
                   : lanes <= 256                   ? 8
                                                    : 32,
             warps = (lanes + 31) / 32;
    bool tight = (lanes > 48 && lanes <= 64 && per == 1) || (narrow(p) && lanes > 32);
    for (unsigned r = 0; r < rounds; r++) {
        const bool *w = works + (size_t)r * lanes;
        unsigned busy = 0;
        text_cell_words(p->out, TEXT_DIM, 9, p->lang, w_grade_show_round(r + 1));
        for (unsigned first = 0; first < lanes; first += 32) {
            unsigned in_warp = 0, last = first + 32 < lanes ? first + 32 : lanes;
            if (first && per < 32) text_put(p->out, TEXT_DIM, "|");
            for (unsigned i = first; i < last; i += per) {
                unsigned n = 0, all = 0;
                for (unsigned k = i; k < i + per && k < last; k++, all++) n += w[k];
                in_warp += n;
                text_put(p->out, n ? TEXT_GOOD : TEXT_DIM, "%c", n == all ? '#' : n ? '+' : '.');
            }
            busy += in_warp > 0;
        }
        text_put(p->out, TEXT_PLAIN, "%s", tight ? " " : "  ");
        if (tight) text_put(p->out, TEXT_STRONG, "%u/%u\n", busy, warps);
        else
            text_put_words(p->out, TEXT_STRONG, p->lang, w_grade_show_round_warps(busy, warps)),
                text_put(p->out, TEXT_PLAIN, "\n");
    }
    text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_ROUND_KEY));
}
