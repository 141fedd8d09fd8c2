/* A kernel on the page: costs, cycles, roofline, occupancy, memory paths, source lines. */
#include "runner/profile/page_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/say.h"
#include "runner/profile/code.h"
#include "runner/profile/hardware.h"
#include "runner/profile/words.h"
#include "words/count.h"
#include "words/listing.h"
#include "words/profile.h"
#include "words/term.h"

static double figure(const sim_counters *c, const char *name) {
    double v = 0;
    sim_counter_get(c, name, &v);
    return v;
}

static bool counted(const profile_kernel *k) {
    return k->counters.warp_inst > 0;
}

static void put_costs(FILE *f, const profile_kernel *k) {
    unsigned costs[SIM_COST_COUNT];
    size_t n = profile_costs(k, 1.02, costs);
    if (!n) return;
    fputs("<section>", f);
    page_heading(f, 3, w_profile_title_what_if());
    static const page_column columns[] = {{W_PROFILE_COLUMN_COST, false},
                                          {W_PROFILE_COLUMN_THEN, true},
                                          {W_PROFILE_COLUMN_FACTOR, true},
                                          {W_PROFILE_COLUMN_SAVED, false},
                                          {W_PROFILE_COLUMN_PAID_AT, false}};
    fputs("<table>", f);
    page_columns(f, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < n; i++) {
        const sim_cost_info *info = sim_cost_at(costs[i]);
        const sim_what_if *w = &k->what_if[costs[i]];
        fputs("<tr><td>", f);
        page_both(f, lib_words_of(info->title));
        page_time_cell(f, w->time_us);
        fprintf(f, "<td class=n>%.2fx", w->time_us > 0 ? k->asked_us / w->time_us : 0);
        page_bar(f, 1 - w->time_us / k->asked_us);
        fputs("<td>", f);
        for (unsigned x = 0; x < w->line_count && x < 3 && (double)w->part[x] >= 0.05; x++) {
            const profile_place *p = &k->places[w->line[x]];
            const char *slash = strrchr(p->file, '/');
            if (x) page_both(f, lib_words_of(W_TERM_LIST_COMMA));
            char *place =
                lib_format("%s:%u", *p->file ? slash ? slash + 1 : p->file : "PTX", p->line);
            page_both(f, w_profile_payer(place, 100 * (double)w->part[x]));
            free(place);
        }
        fputs("</tr>\n", f);
    }
    fputs("</table></section>\n", f);
}

static void put_cycles(FILE *f, const profile_kernel *k) {
    if (k->told_us <= 0) return;
    fputs("<section>", f);
    page_heading(f, 3, w_profile_title_cycles());
    static const page_column columns[] = {{W_PROFILE_COLUMN_STATE, false},
                                          {W_PROFILE_COLUMN_SCHEDULERS, true},
                                          {0, false},
                                          {W_PROFILE_COLUMN_WARPS, true}};
    fputs("<table>", f);
    page_columns(f, columns, sizeof columns / sizeof *columns);
    for (unsigned s = 0; s <= SIM_STALL_COUNT; s++) {
        bool none = s == SIM_STALL_COUNT;
        double a = (none ? k->stalls.empty_pct : k->stalls.scheduler_pct[s]) / k->told_us,
               b = none ? 0 : k->stalls.warp_pct[s] / k->told_us;
        if (a < 0.5 && b < 0.5) continue;
        const sim_stall_info *info = none ? NULL : sim_stall_at(s);
        fputs("<tr><td>", f);
        if (none) page_both(f, w_profile_no_warp_resident());
        else page_both(f, lib_words_of(info->title));
        fprintf(f, "<td class=n>%.1f%%", a);
        page_bar(f, a / 100);
        if (none) fputs("<td class=n>-</tr>\n", f);
        else fprintf(f, "<td class=n>%.1f%%</tr>\n", b);
    }
    fputs("</table></section>\n", f);
}

/* From 2^-6 to 2^10 operations per byte, and four decades below the peak. */
static double roof_x(double intensity) {
    double x = log2(intensity);
    return 60 + (x < -6 ? 0 : x > 10 ? 16 : x + 6) * 22;
}
static double roof_y(double gflops, double peak) {
    double y = log10(gflops / peak);
    return 20 + (y < -4 ? 4 : y > 0 ? 0 : -y) * 45;
}

static void put_roofline(FILE *f, const profile_kernel *k, const sim_profile *p) {
    double flop = (double)(k->counters.flop_sp + k->counters.flop_dp),
           bytes = (double)(k->counters.dram_read + k->counters.dram_write);
    if (!p || flop <= 0 || bytes <= 0 || k->time_us <= 0) return;
    double peak = p->rate_fp32 * 64 * p->sms * p->clock_ghz, ridge = peak / p->dram_gbs,
           got = flop / (k->time_us * 1e3);
    fputs("<section>", f);
    page_heading(f, 3, w_profile_title_roofline());
    double first = p->dram_gbs * 0x1p-6,
           start = first < peak * 1e-4 ? peak * 1e-4 / p->dram_gbs : 0x1p-6;
    fprintf(f,
            "<svg viewBox=\"0 0 430 240\" width=430 role=img><polyline fill=none "
            "style=\"stroke:var(--dim)\" stroke-width=2 points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>",
            roof_x(start), roof_y(start * p->dram_gbs, peak), roof_x(ridge), 20.0, 412.0, 20.0);
    fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=6 style=\"fill:var(--a)\"/>",
            roof_x(flop / bytes), roof_y(got, peak));
    char tick[32];
    for (int e = -6; e <= 10; e += 4)
        fprintf(f, "<text x=\"%.1f\" y=218 text-anchor=middle>%s</text>", roof_x(ldexp(1, e)),
                lib_figure(tick, 4, ldexp(1, e)));
    for (int d = 0; d <= 4; d++) {
        fprintf(f, "<text x=54 y=\"%.1f\" text-anchor=end>", 24.0 + 45 * d);
        page_figure(f, peak / pow(10, d));
        fputs("</text>", f);
    }
    fputs("<text x=236 y=236 text-anchor=middle>", f);
    page_both_drawn(f, w_profile_title_flop_a_byte());
    fputs("</text><text x=64 y=14>GFLOP/s</text></svg><p>", f);
    double roof = flop / bytes * p->dram_gbs < peak ? flop / bytes * p->dram_gbs : peak;
    char gflops[32], intensity[32];
    page_both(f, w_profile_page_roof(page_figure_text(gflops, got),
                                     page_figure_text(intensity, flop / bytes), 100 * got / roof));
    fputs("</p></section>\n", f);
}

static void put_occupancy(FILE *f, const profile_kernel *k, const sim_profile *p) {
    const sim_occupancy *o = &k->occupancy;
    if (!p || !o->blocks) return;
    fputs("<section>", f);
    page_heading(f, 3, w_profile_title_slots());
    unsigned all = p->max_threads_sm / 32;
    fputs("<div class=slots>", f);
    for (unsigned i = 0; i < all && i < 128; i++)
        fputs(i < o->warps ? "<i class=on></i>" : "<i class=off></i>", f);
    fputs("</div><p>", f);
    page_both(f, w_profile_page_resident(o->warps, all, o->pct, o->blocks));
    page_both(f, w_profile_page_fit(o->by_blocks, o->by_warps, o->by_registers, k->registers,
                                    o->by_shared, (long long)k->shared));
    page_both(f, w_profile_page_achieved(k->achieved_pct / (double)k->launches));
    fputs("</p></section>\n", f);
}

static void put_arrow(FILE *f, int x, double bytes, double most, const char *name) {
    double w = bytes > 0 ? 1 + 11 * (bytes / most) : 0;
    fprintf(f,
            "<line x1=%d y1=50 x2=%d y2=50 style=\"stroke:var(--a)\" stroke-width=\"%.1f\"/>"
            "<text x=%d y=30 text-anchor=middle>",
            x, x + 70, w, x + 35);
    page_both_drawn(f, w_profile_size((long long)bytes));
    fprintf(f, "</text><text x=%d y=78 text-anchor=middle>%s</text>", x + 35, name);
}

static void put_memory(FILE *f, const profile_kernel *k) {
    const sim_counters *c = &k->counters;
    double asked = (double)(c->gld_bytes + c->gst_bytes), l2 = 32 * (double)c->l2_sectors,
           dram = (double)(c->dram_read + c->dram_write), most = asked > l2 ? asked : l2;
    if (most < dram) most = dram;
    if (most <= 0) return;
    fputs("<section>", f);
    page_heading(f, 3, w_profile_title_memory());
    fputs("<svg viewBox=\"0 0 430 96\" width=430 role=img>", f);
    static const lib_word_id boxes[] = {W_PROFILE_BOX_LANES, W_PROFILE_BOX_L1, W_PROFILE_BOX_L2,
                                        W_PROFILE_BOX_DRAM};
    for (int i = 0; i < 4; i++) {
        fprintf(
            f,
            "<rect x=%d y=34 width=50 height=32 rx=4 fill=none style=\"stroke:var(--dim)\"/><text "
            "x=%d y=54 text-anchor=middle>",
            5 + 122 * i, 30 + 122 * i);
        page_both_drawn(f, lib_words_of(boxes[i]));
        fputs("</text>", f);
    }
    char hit[2][32] = {"", ""};
    if (c->l1_sectors) snprintf(hit[0], sizeof hit[0], "L1 %.0f%%", figure(c, "l1_hit_pct"));
    if (c->l2_sectors) snprintf(hit[1], sizeof hit[1], "L2 %.0f%%", figure(c, "l2_hit_pct"));
    put_arrow(f, 56, asked, most, "");
    put_arrow(f, 178, l2, most, hit[0]);
    put_arrow(f, 300, dram, most, hit[1]);
    fputs("</svg></section>\n", f);
}

/* ---- source ---- */

enum { SOURCE_LINES = 400, SOURCE_COLUMNS = 8 };

static int source_order(const void *a, const void *b) {
    const sim_line *x = a, *y = b;
    int c = strcmp(x->file, y->file);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

static double line_us(const sim_line *l) {
    double us = 0;
    for (unsigned s = 0; s < SIM_STALL_COUNT; s++) us += (double)l->stall_us[s];
    return us;
}

static void put_figure(FILE *f, double v, bool applies) {
    if (applies) page_count(f, v);
    else fputs("<td class=n>-", f);
}

static void page_put_row(FILE *f, const sim_line *l, unsigned number, const char *text, size_t n,
                         double all) {
    double us = l ? line_us(l) : 0, part = all > 0 ? us / all : 0;
    fprintf(f, "<tr style=\"background:rgba(var(--hot),%.2f)\"><td class=n>%u", part * 0.6, number);
    if (l) {
        page_time_cell(f, us);
        put_figure(f, figure(&l->counters, "gld_sectors_per_request"), l->counters.gld_requests);
        put_figure(f, figure(&l->counters, "gst_sectors_per_request"), l->counters.gst_requests);
        put_figure(f, (double)(l->counters.shared_ld_conflicts + l->counters.shared_st_conflicts),
                   l->counters.shared_ld_requests + l->counters.shared_st_requests);
        put_figure(f, figure(&l->counters, "active_lanes_avg"), l->counters.warp_inst);
    } else fputs("<td><td><td><td><td>", f);
    unsigned worst = 0;
    for (unsigned s = 1; l && s < SIM_STALL_COUNT; s++)
        if (l->stall_us[s] > l->stall_us[worst] || !worst) worst = s;
    fputs("<td>", f);
    if (l && worst && (double)l->stall_us[worst] > 0.01 * all)
        page_both(f, lib_words_of(sim_stall_at(worst)->title));
    fputs("<td>", f);
    char piece[256];
    snprintf(piece, sizeof piece, "%.*s", (int)(n < 200 ? n : 200), text ? text : "");
    page_text(f, piece);
    fputs("</tr>\n", f);
}

/* Writes what a line became. The file is found by its name without folders. */
static void put_code(FILE *f, const listing *code, const char *file, unsigned line) {
    const char *slash = strrchr(file, '/');
    for (size_t i = 0; code && i < code->line_count; i++)
        if (code->lines[i].line == line && !strcmp(code->lines[i].file, slash ? slash + 1 : file))
            page_listing_line(f, code, &code->lines[i], SOURCE_COLUMNS);
}

/* Writes a file's counted lines, and gaps of at most three lines between them. */
static void put_file(FILE *f, const sim_line *lines, size_t n, double all, const listing *code) {
    char *text = *lines->file ? lib_read_file(lines->file, 4 << 20, NULL, NULL) : NULL;
    const char *at = text;
    unsigned number = 1, shown = 0;
    fputs("<p class=dim>", f);
    page_text(f, *lines->file ? lines->file : "PTX");
    static const page_column columns[] = {{0, true},
                                          {W_PROFILE_COLUMN_US, true},
                                          {W_PROFILE_COLUMN_LD, true},
                                          {W_PROFILE_COLUMN_ST, true},
                                          {W_PROFILE_COLUMN_BANK, true},
                                          {W_PROFILE_COLUMN_ACTIVE_LANES, true},
                                          {W_PROFILE_COLUMN_MOSTLY, false},
                                          {0, false}};
    fputs("</p><div class=scroll><table class=src>", f);
    page_columns(f, columns, sizeof columns / sizeof *columns);

    for (size_t i = 0; i < n && shown < SOURCE_LINES; i++) {
        unsigned from =
            i && lines[i].line - lines[i - 1].line <= 4 ? lines[i - 1].line + 1 : lines[i].line;
        for (; number < from && at; number++) {
            at = strchr(at, '\n');
            at = at ? at + 1 : NULL;
        }
        for (unsigned x = from; x <= lines[i].line; x++, shown++) {
            size_t len = at ? strcspn(at, "\r\n") : 0;
            page_put_row(f, x == lines[i].line ? &lines[i] : NULL, x, at, len, all);
            put_code(f, code, lines->file, x);
            if (x < lines[i].line && at) {
                at = strchr(at, '\n');
                at = at ? at + 1 : NULL;
                number++;
            }
        }
    }
    fputs("</table></div>\n", f);
    free(text);
}

static void put_source(FILE *f, const profile_kernel *k, const listing *code) {
    if (!k->line_count) return;
    sim_line *lines = malloc(k->line_count * sizeof *lines);
    if (!lines) return;
    memcpy(lines, k->lines, k->line_count * sizeof *lines);
    qsort(lines, k->line_count, sizeof *lines, source_order);
    double all = 0;
    for (size_t i = 0; i < k->line_count; i++) all += line_us(&lines[i]);
    page_heading(f, 3, w_profile_page_source());
    if (code && lib_message_any(&code->why)) {
        fputs("<p class=dim>", f);
        page_both(f, w_listing_uncounted(&code->why));
        fputs("</p>\n", f);
    }
    for (size_t i = 0, end; i < k->line_count; i = end) {
        for (end = i + 1; end < k->line_count && !strcmp(lines[i].file, lines[end].file);) end++;
        put_file(f, lines + i, end - i, all, code);
    }
    free(lines);
}

/* ---- all ---- */

void page_kernel(FILE *f, profile_report *r, const profile_kernel *k, const sim_profile *p) {
    fputs("<h2>", f);
    page_text(f, k->kernel);
    fprintf(f, "</h2><p>&lt;&lt;&lt;(%u,%u,%u), (%u,%u,%u)&gt;&gt;&gt; &middot; ", k->grid[0],
            k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2]);
    page_both(f, w_count_launches((long long)k->launches));
    fputs(" &middot; ", f);
    page_us(f, k->time_us / (double)(k->launches ? k->launches : 1));
    fputs(" &middot; ", f);
    page_limiter(f, counted(k) ? k->limiter : NULL);
    fputs(" &middot; ", f);
    page_both(f,
              counted(k) ? w_profile_page_registers(k->registers) : w_profile_page_no_registers());
    fputs(" &middot; ", f);
    page_both(f, counted(k) ? w_profile_page_lanes(figure(&k->counters, "active_lanes_avg"))
                            : w_profile_page_no_lanes());
    if (k->failed) {
        fputs(" &middot; ", f);
        page_both(f, w_profile_page_failed((long long)k->failed));
    }
    fputs("</p>\n<div class=grid>", f);
    put_costs(f, k);
    put_cycles(f, k);
    put_roofline(f, k, p);
    fputs("<div>", f);
    put_occupancy(f, k, p);
    put_memory(f, k);
    fputs("</div>", f);
    profile_page_hardware(f, r, k);
    fputs("</div>\n", f);
    listing *code = profile_listing(r, k);
    put_source(f, k, code);
    listing_free(code);
}
