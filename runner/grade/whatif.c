/* The picture `whatif`: what a run would save without each of its costs (device/sim/costs.def). If
 * the run copies or pauses, also what the whole run would save without that. */
#include "runner/grade/pictures.h"

#include <stdlib.h>
#include <string.h>
#include "runner/base/say.h"
#include "runner/term/i18n.h"
#include "words/grade.h"

enum { ROWS = 8, BARS = 24 };
/* Parts smaller than this share of the launches have no row. */
#define WORTH 0.02

static void whatif_put_line(const show_place *p, const grade_cost *c, unsigned k) {
    const char *slash = c->file[k] ? strrchr(c->file[k], '/') : NULL, *name = slash ? slash + 1
                                                                              : c->file[k]
                                                                                  ? c->file[k]
                                                                                  : "";
    text_put(p->out, TEXT_DIM, "      %3.0f%%  %s:%u  ", 100 * c->part[k], *name ? name : "PTX",
             c->line[k]);
    const char *s = p->file && strcmp(name, p->file) ? NULL : p->source;
    for (unsigned i = 1; s && i < c->line[k]; i++) {
        s = strchr(s, '\n');
        if (s) s++;
    }
    if (s) {
        s += strspn(s, " \t");
        text_cell(p->out, TEXT_CODE, p->out->width < 72 ? 30 : 50, "%.*s", (int)strcspn(s, "\r\n"),
                  s);
    }
    text_put(p->out, TEXT_PLAIN, "\n");
}

/* Draws a bar of the share of `us` that remains. */
static void whatif_put_row(const show_place *p, const char *title, double us, double then_us) {
    double left = then_us / us;
    bool narrow = p->out->width < 72;
    int bars = narrow ? BARS / 2 : BARS, filled = (int)(left * bars + 0.5);
    text_put(p->out, TEXT_PLAIN, "  ");
    text_cell(p->out, TEXT_PLAIN, narrow ? 20 : 24, "%s", title);
    for (int x = 0; x < bars; x++)
        text_put(p->out, x < filled ? TEXT_WARN : TEXT_DIM, "%c", x < filled ? '#' : '.');
    char plain[32], time[48];
    snprintf(plain, sizeof plain, "%.2f", then_us);
    text_put(p->out, TEXT_PLAIN, " %9s %s", lib_group(time, sizeof time, plain),
             lib_word(p->lang, W_GRADE_NAME_US));
    if (left > 0) text_put(p->out, TEXT_PLAIN, " %6.2fx", 1 / left);
    text_put(p->out, TEXT_PLAIN, "\n");
}

/* Returns false if nothing deserves a row. */
static bool put_whole(const show_place *p, const grade_result *r) {
    dev_span *v = calloc(r->op_count + 1, sizeof *v);
    dev_whole w = {0};
    for (size_t i = 0; v && i < r->op_count; i++)
        v[i] = (dev_span){r->ops[i].op, r->ops[i].start_us, r->ops[i].end_us};
    if (v) dev_whole_of(v, r->op_count, &w);
    free(v);
    bool any = false;
    for (unsigned k = 0; k < DEV_IF_COUNT; k++) {
        if (w.us - w.then_us[k] < WORTH * w.us || w.us <= 0) continue;
        if (!any) text_words(p->out, TEXT_STRONG, 2, p->lang, w_grade_show_if_whole(w.us));
        whatif_put_row(p, lib_word(p->lang, dev_whole_title(k)), w.us, w.then_us[k]);
        any = true;
    }
    return any;
}

static unsigned put_costs(const show_place *p, const grade_result *r) {
    unsigned order[SIM_COST_COUNT], n = 0;
    for (unsigned k = 0; r->costs && k < SIM_COST_COUNT; k++) {
        if (r->costs[k].saves_us < WORTH * r->costs_us) continue;
        unsigned at = n++;
        for (; at && r->costs[order[at - 1]].saves_us < r->costs[k].saves_us; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
    if (n) text_words(p->out, TEXT_STRONG, 2, p->lang, w_grade_show_if_head(r->costs_us));
    for (unsigned i = 0; i < n && i < ROWS; i++) {
        const grade_cost *c = &r->costs[order[i]];
        const sim_cost_info *info = sim_cost_at(order[i]);
        whatif_put_row(p, lib_word(p->lang, info->title), r->costs_us, r->costs_us - c->saves_us);
        for (unsigned k = 0; i < 3 && k < c->line_count && k < 2 && c->part[k] >= 0.1; k++)
            whatif_put_line(p, c, k);
    }
    return n;
}

void show_what_if(const show_place *p, const grade_result *r) {
    unsigned n = put_costs(p, r);
    if (!n)
        text_line(p->out, TEXT_DIM, 2, "%s",
                  r->costs ? lib_word(p->lang, W_GRADE_SHOW_IF_NOTHING)
                           : lib_word(p->lang, W_GRADE_SHOW_NO_LAUNCHES));
    if (put_whole(p, r) || n)
        text_line(p->out, TEXT_DIM, 2, "%s", lib_word(p->lang, W_GRADE_SHOW_IF_READ));
}
