/* The modelled time of a launch by source line: assigns the replay's times by pc to the counted
 * lines. */
#include "runner/device/sim/time/time.h"
#include <stdlib.h>
#include <string.h>

static int lines_by_place(const void *a, const void *b) {
    const sim_line *x = a, *y = b;
    int c = strcmp(x->file, y->file);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

/* Returns the index of an instruction's line, named as counting names it; n if none of the line was
 * counted. */
static size_t line_of(const ptx_module *m, const ptx_insn *i, const sim_line *lines, size_t n) {
    sim_line key = {.file = ""};
    if (i->loc) ptx_source(m, i->loc, &key.file, &key.line);
    if (!key.line) key.file = "", key.line = i->ptx_line;
    const sim_line *l = n ? bsearch(&key, lines, n, sizeof key, lines_by_place) : NULL;
    return l ? (size_t)(l - lines) : n;
}

/* A launch waits at only a few of a module's instructions. */
static bool waited_at(const time_places *p, size_t pc) {
    const double *stall = p->stall + pc * SIM_STALL_COUNT;
    uint64_t any = 0, bits;
    for (unsigned k = 0; k < SIM_STALL_COUNT; k++) {
        memcpy(&bits, &stall[k], sizeof bits);
        any |= bits;
    }
    return any;
}

void time_lines(const ptx_module *m, const time_places *p, double time_us, sim_line *lines,
                size_t n) {
    double all = 0;
    for (size_t pc = p->first; pc < p->end; pc++) {
        if (!waited_at(p, pc)) continue;
        for (unsigned k = 0; k < SIM_STALL_COUNT; k++) all += p->stall[pc * SIM_STALL_COUNT + k];
    }
    uint32_t begin = 0; /* the function's first pc */
    for (size_t f = 0; all > 0 && f < m->func_count && begin < p->end; f++) {
        uint32_t end = begin + (uint32_t)m->funcs[f]->insn_count;
        for (uint32_t pc = begin < p->first ? p->first : begin; pc < end && pc < p->end; pc++) {
            if (!waited_at(p, pc)) continue;
            const double *stall = p->stall + (size_t)pc * SIM_STALL_COUNT;
            size_t line = n;
            for (unsigned k = 0; k < SIM_STALL_COUNT; k++) {
                if (stall[k] <= 0) continue;
                if (line == n &&
                    (line = line_of(m, &m->funcs[f]->insns[pc - begin], lines, n)) == n)
                    break;
                lines[line].stall_us[k] += (float)(stall[k] / all * time_us);
            }
        }
        begin = end;
    }
}

void time_pay(const ptx_module *m, const double *paid, size_t n, const sim_line *lines,
              size_t line_count, sim_what_if *out) {
    double *sum = calloc(line_count + 1, sizeof *sum), all = 0;
    size_t pc = 0;
    for (size_t f = 0; sum && f < m->func_count; f++)
        for (size_t i = 0; i < m->funcs[f]->insn_count && pc < n; i++, pc++) {
            if (paid[pc] <= 0) continue;
            sum[line_of(m, &m->funcs[f]->insns[i], lines, line_count)] += paid[pc];
            all += paid[pc];
        }
    for (out->line_count = 0; sum && out->line_count < SIM_IF_LINES; out->line_count++) {
        size_t most = 0;
        for (size_t k = 1; k < line_count; k++)
            if (sum[k] > sum[most]) most = k;
        if (!line_count || sum[most] <= 0) break;
        out->line[out->line_count] = (uint32_t)most;
        out->part[out->line_count] = (float)(sum[most] / all);
        sum[most] = 0;
    }
    free(sum);
}
