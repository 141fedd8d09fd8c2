/* The modelled time of a launch by source line: what the replay tells of each pc, put to the lines
 * that were counted. */
#include "runner/sim/time/time.h"
#include <stdlib.h>
#include <string.h>

static int lines_by_place(const void *a, const void *b) {
    const sim_line *x = a, *y = b;
    int c = strcmp(x->file, y->file);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

/* The line of an instruction, named as counting names it; NULL if nothing of it was counted. */
static sim_line *line_of(const ptx_module *m, const ptx_insn *i, sim_line *lines, size_t n) {
    sim_line key = {.file = ""};
    if (i->loc) ptx_source(m, i->loc, &key.file, &key.line);
    if (!key.line) key.file = "", key.line = i->ptx_line;
    return bsearch(&key, lines, n, sizeof key, lines_by_place);
}

void time_lines(const ptx_module *m, const time_places *p, double time_us, sim_line *lines,
                size_t n) {
    double all = 0;
    for (size_t k = 0; k < (size_t)p->count * SIM_STALL_COUNT; k++) all += p->stall[k];
    uint32_t pc = 0;
    for (size_t f = 0; all > 0 && f < m->func_count; f++)
        for (size_t i = 0; i < m->funcs[f]->insn_count && pc < p->count; i++, pc++) {
            const double *stall = p->stall + (size_t)pc * SIM_STALL_COUNT;
            sim_line *line = NULL;
            for (unsigned k = 0; k < SIM_STALL_COUNT; k++) {
                if (stall[k] <= 0) continue;
                if (!line && !(line = line_of(m, &m->funcs[f]->insns[i], lines, n))) break;
                line->stall_us[k] += (float)(stall[k] / all * time_us);
            }
        }
}
