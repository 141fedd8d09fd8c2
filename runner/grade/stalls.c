/* The picture `stalls`: what warps waited for (device/sim/stalls.def), and the source lines at
 * which they waited. */
#include "runner/grade/pictures.h"

#include <string.h>
#include "runner/term/i18n.h"
#include "words/grade.h"
#include "words/term.h"

enum { BARS = 24, LINES = 6 };
/* Smaller shares have no row. */
#define WORTH 0.02

static double stalls_us(const sim_line *l) {
    double us = 0;
    for (unsigned k = 0; k < SIM_STALL_COUNT; k++) us += (double)l->stall_us[k];
    return us;
}

static const char *title_of(const show_place *p, unsigned k) {
    return lib_word(p->lang, sim_stall_at(k)->title);
}

/* Returns the largest state of `us` that is not taken yet; SIM_STALL_COUNT if none deserves a
 * row. */
static unsigned next_state(const double us[SIM_STALL_COUNT], double all,
                           bool taken[SIM_STALL_COUNT]) {
    unsigned best = SIM_STALL_COUNT;
    for (unsigned k = 0; k < SIM_STALL_COUNT; k++)
        if (!taken[k] && us[k] >= WORTH * all && (best == SIM_STALL_COUNT || us[k] > us[best]))
            best = k;
    if (best < SIM_STALL_COUNT) taken[best] = true;
    return best;
}

static void put_states(const show_place *p, const double us[SIM_STALL_COUNT], double all) {
    bool taken[SIM_STALL_COUNT] = {false}, narrow = p->out->width < 72;
    for (unsigned k; (k = next_state(us, all, taken)) < SIM_STALL_COUNT;) {
        int bars = narrow ? BARS / 2 : BARS, filled = (int)(us[k] / all * bars + 0.5);
        text_put(p->out, TEXT_PLAIN, "  ");
        text_cell(p->out, TEXT_PLAIN, narrow ? 20 : 24, "%s", title_of(p, k));
        for (int x = 0; x < bars; x++)
            text_put(p->out, x < filled ? TEXT_WARN : TEXT_DIM, "%c", x < filled ? '#' : '.');
        text_put(p->out, TEXT_PLAIN, " %6.1f%%\n", 100 * us[k] / all);
    }
}

static void put_text(const show_place *p, const sim_line *l, const char *name) {
    const char *s = p->file && strcmp(name, p->file) ? NULL : p->source;
    for (unsigned i = 1; s && i < l->line; i++) {
        s = strchr(s, '\n');
        if (s) s++;
    }
    if (!s) return;
    s += strspn(s, " \t");
    text_cell(p->out, TEXT_CODE, p->out->width < 72 ? 30 : 50, "%.*s", (int)strcspn(s, "\r\n"), s);
}

static void stalls_put_line(const show_place *p, const sim_line *l, double all) {
    const char *slash = l->file ? strrchr(l->file, '/') : NULL, *name = slash     ? slash + 1
                                                                        : l->file ? l->file
                                                                                  : "";
    double us[SIM_STALL_COUNT], mine = stalls_us(l);
    bool taken[SIM_STALL_COUNT] = {false};
    text_put(p->out, TEXT_PLAIN, "  %6.1f%%  %s:%u  ", 100 * mine / all, *name ? name : "PTX",
             l->line);
    put_text(p, l, name);
    text_put(p->out, TEXT_PLAIN, "\n           ");
    for (unsigned k = 0; k < SIM_STALL_COUNT; k++) us[k] = (double)l->stall_us[k];
    for (unsigned i = 0, k; i < (p->out->width < 72 ? 2 : 3); i++) {
        if ((k = next_state(us, mine, taken)) == SIM_STALL_COUNT) break;
        text_put(p->out, TEXT_DIM, "%s%s %.0f%%", i ? lib_word(p->lang, W_TERM_LIST_COMMA) : "",
                 title_of(p, k), 100 * us[k] / mine);
    }
    text_put(p->out, TEXT_PLAIN, "\n");
}

void show_stalls(const show_place *p, const grade_result *r) {
    double us[SIM_STALL_COUNT] = {0}, all = 0;
    for (size_t i = 0; i < r->line_count; i++)
        for (unsigned k = 0; k < SIM_STALL_COUNT; k++) {
            us[k] += (double)r->lines[i].stall_us[k];
            all += (double)r->lines[i].stall_us[k];
        }
    if (all <= 0) {
        text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_NO_LINES));
        return;
    }
    text_words(p->out, TEXT_STRONG, 2, p->lang, w_grade_show_stall_head(all));
    put_states(p, us, all);
    text_line(p->out, TEXT_STRONG, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_STALL_LINES));
    double below = 1e300;
    const sim_line *last = NULL;
    /* takes the next smaller line; of equal ones, the next one */
    for (unsigned n = 0; n < LINES; n++) {
        const sim_line *best = NULL;
        for (size_t i = 0; i < r->line_count; i++) {
            const sim_line *l = &r->lines[i];
            double v = stalls_us(l);
            if (v < WORTH * all || v > below || (v >= below && l <= last)) continue;
            if (!best || v > stalls_us(best)) best = l;
        }
        if (!best) break;
        stalls_put_line(p, best, all);
        below = stalls_us(best), last = best;
    }
    text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_STALL_READ));
}
