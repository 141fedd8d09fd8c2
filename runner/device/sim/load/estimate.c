/* Estimates registers without the assembler: the largest number of values alive at once. */
#include <stdlib.h>
#include "runner/device/sim/load/resources.h"

typedef sim_resource_span span;

/* `at` ascends from call to call. */
static void touch_reg(span *live, int32_t reg, uint32_t at) {
    if (reg < 0) return;
    if (live[reg].first == UINT32_MAX) live[reg].first = at;
    live[reg].last = at;
}

static void touch(span *live, const ptx_opnd *o, uint32_t at) {
    touch_reg(live, o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR ? o->reg : -1, at);
    for (unsigned i = 0; o->elem && i < o->count; i++)
        touch_reg(live, o->elem[i].kind == PTX_OPND_REG ? o->elem[i].reg : -1, at);
}

/* Returns the last instruction that is known to be in one loop with x. */
static uint32_t loops_end(uint32_t *up, uint32_t x) {
    while (up[x] != x) x = up[x] = up[up[x]];
    return x;
}

/* A value that is live at the beginning of a loop (the target of a branch backwards) is live until
 * the loop's end. This concerns a value made before the loop, and then again the loop around it.
 * The values are visited from the last made to the first, so that the loops that begin after them
 * are known; loops that overlap count as one. */
static bool live_in_loops(const ptx_func *f, span *live, size_t n) {
    size_t count = f->insn_count;
    uint32_t *up = malloc((count + 1) * sizeof *up), *next = calloc(n + 1, sizeof *next),
             *made = calloc(count + 1, sizeof *made), *last = calloc(count + 1, sizeof *last);
    bool ok = up && next && made && last;
    for (uint32_t i = 0; ok && i <= count; i++) up[i] = i;
    for (uint32_t i = 0; ok && i < count; i++)
        for (unsigned k = 0; k < f->insns[i].nopnds; k++) {
            const ptx_opnd *o = &f->insns[i].opnd[k];
            if (o->kind == PTX_OPND_LABEL && o->target <= i) last[o->target] = i;
        }
    for (size_t v = 0; ok && v < n; v++) {
        if (live[v].first == UINT32_MAX) continue;
        next[v] = made[live[v].first];
        made[live[v].first] = (uint32_t)v + 1;
    }
    for (size_t i = count; ok && i-- > 0;) {
        for (uint32_t v = made[i]; v; v = next[v - 1])
            live[v - 1].last = loops_end(up, live[v - 1].last);
        for (uint32_t x = loops_end(up, (uint32_t)i); x < last[i]; x = loops_end(up, x))
            up[x] = x + 1;
    }
    free(up), free(next), free(made), free(last);
    return ok;
}

bool sim_resources_spans(const ptx_func *f, sim_resource_span *live) {
    for (size_t i = 0; i < f->reg_count; i++) live[i] = (span){.first = UINT32_MAX};
    for (size_t i = 0; i < f->insn_count; i++) {
        const ptx_insn *in = &f->insns[i];
        touch_reg(live, in->guard, (uint32_t)i);
        for (unsigned k = 0; k < in->nopnds; k++) touch(live, &in->opnd[k], (uint32_t)i);
    }
    return live_in_loops(f, live, f->reg_count);
}

/* The assembler needs fewer registers than these spans say because it recomputes values, and more
 * because it aligns pairs. For the kernels of tests/truth the error is a few registers. */
sim_resource sim_resources_estimate(const ptx_func *f) {
    sim_resource r = {.registers = 16, .shared = f->shared_bytes, .stack = f->local_bytes};
    size_t n = f->reg_count;
    span *live = calloc(n + 1, sizeof *live);
    int *change = calloc(f->insn_count + 2, sizeof *change);
    if (!live || !change || !sim_resources_spans(f, live)) goto done;
    for (size_t v = 0; v < n; v++) {
        if (live[v].first == UINT32_MAX || f->reg_type[v] == PTX_PRED) continue;
        int size = ptx_type_size(f->reg_type[v]) > 4 ? 2 : 1;
        change[live[v].first] += size;
        change[live[v].last] -= size;
    }
    int now = 0, most = 0;
    for (size_t i = 0; i < f->insn_count; i++) {
        now += change[i];
        if (now > most) most = now;
    }
    r.registers = (unsigned)(most + 6) < 16 ? 16 : (unsigned)(most + 6) / 2 * 2;
    if (r.registers > 255) r.registers = 255;
    if (f->maxnreg && r.registers > f->maxnreg) r.registers = f->maxnreg;
done:
    free(live);
    free(change);
    return r;
}
