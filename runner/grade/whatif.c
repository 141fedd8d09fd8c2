/* The picture `whatif`: what a run would save without each of its costs (sim/costs.def). */
#include "runner/grade/pictures.h"

#include <string.h>
#include "runner/term/i18n.h"

enum { ROWS = 8, BARS = 24 };
/* Less than this part of the launches is not worth a row. */
#define WORTH 0.02
#define T(id) i18n(p->lang, MSG_##id)

static void put_line(const show_place *p, const grade_cost *c, unsigned k) {
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

void show_what_if(const show_place *p, const grade_result *r) {
    unsigned order[SIM_COST_COUNT], n = 0;
    for (unsigned k = 0; r->costs && k < SIM_COST_COUNT; k++) {
        if (r->costs[k].saves_us < WORTH * r->costs_us) continue;
        unsigned at = n++;
        for (; at && r->costs[order[at - 1]].saves_us < r->costs[k].saves_us; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
    if (!n) {
        text_line(p->out, TEXT_DIM, 2, "%s", r->costs ? T(SHOW_IF_NOTHING) : T(SHOW_NO_LAUNCHES));
        return;
    }
    text_line(p->out, TEXT_STRONG, 2, T(SHOW_IF_HEAD), r->costs_us);
    for (unsigned i = 0; i < n && i < ROWS; i++) {
        const grade_cost *c = &r->costs[order[i]];
        const sim_cost_info *info = sim_cost_at(order[i]);
        double left = 1 - c->saves_us / r->costs_us;
        int bars = p->out->width < 72 ? BARS / 2 : BARS, filled = (int)(left * bars + 0.5);
        text_put(p->out, TEXT_PLAIN, "  ");
        text_cell(p->out, TEXT_PLAIN, p->out->width < 72 ? 20 : 24, "%s",
                  p->lang == LIB_ZH ? info->title_zh : info->title);
        for (int x = 0; x < bars; x++)
            text_put(p->out, x < filled ? TEXT_WARN : TEXT_DIM, "%c", x < filled ? '#' : '.');
        text_put(p->out, TEXT_PLAIN, " %9.2f %s", r->costs_us - c->saves_us, T(SHOW_IF_UNIT));
        if (left > 0) text_put(p->out, TEXT_PLAIN, " %6.2fx", 1 / left);
        text_put(p->out, TEXT_PLAIN, "\n");
        for (unsigned k = 0; i < 3 && k < c->line_count && k < 2 && c->part[k] >= 0.1; k++)
            put_line(p, c, k);
    }
    text_line(p->out, TEXT_DIM, 2, "%s", T(SHOW_IF_READ));
}
