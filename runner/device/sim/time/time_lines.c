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

/* Finds the position that a student should see, as counting names it: that of the outermost frame
 * of inlined code. */
static sim_line place_of(const time_text *x, size_t pc) {
    sim_line at = {.file = ""};
    if (!x->func || pc >= x->func->insn_count) return at;
    uint32_t place = x->func->insns[pc].place;
    while (x->machine->places[place].at) place = x->machine->places[place].at;
    at.file = x->machine->places[place].file, at.line = x->machine->places[place].line;
    return at;
}

/* Returns the index of an instruction's line; n if none of the line was counted. */
static size_t line_of(const time_text *x, size_t pc, const sim_line *lines, size_t n) {
    sim_line key = place_of(x, pc);
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

void time_lines(const time_text *text, const time_places *p, double time_us, sim_line *lines,
                size_t n) {
    double all = 0;
    for (size_t pc = p->first; pc < p->end; pc++) {
        if (!waited_at(p, pc)) continue;
        for (unsigned k = 0; k < SIM_STALL_COUNT; k++) all += p->stall[pc * SIM_STALL_COUNT + k];
    }
    for (size_t pc = p->first; all > 0 && pc < p->end; pc++) {
        size_t line = waited_at(p, pc) ? line_of(text, pc, lines, n) : n;
        const double *stall = p->stall + pc * SIM_STALL_COUNT;
        for (unsigned k = 0; line < n && k < SIM_STALL_COUNT; k++)
            if (stall[k] > 0) lines[line].stall_us[k] += (float)(stall[k] / all * time_us);
    }
}

void time_pay(const time_text *text, const double *paid, size_t n, const sim_line *lines,
              size_t line_count, sim_what_if *out) {
    double *sum = calloc(line_count + 1, sizeof *sum), all = 0;
    for (size_t pc = 0; sum && pc < n; pc++) {
        if (paid[pc] <= 0) continue;
        sum[line_of(text, pc, lines, line_count)] += paid[pc];
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
