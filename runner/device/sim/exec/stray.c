/* Undefined values of shuffles, register by register and lane by lane. See stray.h. */
#include "runner/device/sim/exec/stray.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/machine/fault.h"
#include <stdio.h>

static sim_opnd stray_slot(const sim_warp *w, int32_t reg) {
    return reg < 0 ? SIM_NO_SLOT : w->frame->func->reg_at[reg];
}

static sim_stray *stray_at(sim_warp *w, sim_opnd at) {
    for (unsigned k = 0; k < w->strays; k++)
        if (w->stray[k].at == at && w->stray[k].frame == w->frame) return &w->stray[k];
    return NULL;
}

static void stray_drop(sim_warp *w) {
    unsigned n = 0;
    for (unsigned k = 0; k < w->strays; k++)
        if (w->stray[k].lanes) w->stray[n++] = w->stray[k];
    w->strays = (uint8_t)n;
}

/* `on` write the register: those of `lanes` what `like` says, the others a value of their own. */
static void stray_set(sim_warp *w, sim_opnd at, uint32_t on, uint32_t lanes, sim_stray like) {
    sim_stray *s = stray_at(w, at);
    if (s) {
        uint32_t keep = s->lanes & ~on;
        if (lanes & on) {
            like.frame = w->frame, like.at = at;
            *s = like;
        }
        s->lanes = keep | (lanes & on);
    } else if (lanes & on && w->strays < SIM_STRAYS && at != SIM_NO_SLOT) {
        like.frame = w->frame, like.at = at, like.lanes = lanes & on;
        w->stray[w->strays++] = like;
    }
}

/* The lanes in which an operand is undefined; *like: by which shuffle, if there are any. */
static uint32_t stray_lanes(sim_warp *w, const ptx_opnd *o, sim_stray *like) {
    uint32_t lanes = 0;
    if (o->kind == PTX_OPND_VEC)
        for (unsigned k = 0; k < o->count; k++) lanes |= stray_lanes(w, &o->elem[k], like);
    if (o->kind != PTX_OPND_REG && o->kind != PTX_OPND_ADDR) return lanes;
    const sim_stray *s = o->reg < 0 ? NULL : stray_at(w, stray_slot(w, o->reg));
    if (s && s->lanes & w->mask) *like = *s, lanes = s->lanes & w->mask;
    return lanes;
}

static void stray_told(sim_warp *w, const ptx_insn *p, uint32_t lanes, const sim_stray *s) {
    char text[256];
    const char *file;
    unsigned line;
    ptx_source_near(w->block->run->image->module, p->loc, p->ptx_line, &file, &line);
    snprintf(
        text, sizeof text,
        "reads lane %u in a shfl of which only lanes 0x%08x take part: the value is undefined, "
        "and %sline %u uses it",
        s->lane, s->there, line ? "" : "PTX ", line ? line : p->ptx_line);
    sim_report(w, s->from, 1u << s->reader, SIM_FIND_BARRIER, text);
    const ptx_insn *from = s->from;
    for (unsigned k = 0; k < w->strays; k++)
        if (w->stray[k].from == from) w->stray[k].lanes &= ~lanes;
    stray_drop(w);
}

static void stray_write(sim_warp *w, const ptx_opnd *o, uint32_t on, uint32_t lanes,
                        const sim_stray *like) {
    if (o->kind == PTX_OPND_VEC)
        for (unsigned k = 0; k < o->count; k++) stray_write(w, &o->elem[k], on, lanes, like);
    if (o->kind == PTX_OPND_REG) stray_set(w, stray_slot(w, o->reg), on, lanes, *like);
}

/* Of P[c] ? a : b only what is chosen counts. */
static uint32_t stray_chosen(sim_warp *w, const ptx_insn *p, sim_stray *like) {
    uint32_t a = stray_lanes(w, &p->opnd[1], like), b = stray_lanes(w, &p->opnd[2], like),
             c = stray_lanes(w, &p->opnd[3], like);
    sim_opnd chooses = stray_slot(w, p->opnd[3].reg);
    if (chooses == SIM_NO_SLOT) return 0;
    uint32_t yes = PRED(chooses);
    return c | (a & yes) | (b & ~yes);
}

static bool stray_seen_there(const ptx_insn *p) {
    return p->space != PTX_SPACE_LOCAL && p->space != PTX_SPACE_PARAM;
}

void sim_stray_step(sim_warp *w, const ptx_insn *p) {
    sim_stray like = {0};
    uint32_t on = w->mask, guard = 0, lanes = 0;
    bool memory = p->op == PTX_OP_ld || p->op == PTX_OP_st || p->op == PTX_OP_atom ||
                  p->op == PTX_OP_red,
         writes = ptx_op_writes(p->op), pair = p->flags >> PTX_F_PAIR & 1;
    if (p->guard >= 0) {
        const sim_stray *g = stray_at(w, stray_slot(w, p->guard));
        uint32_t yes = PRED(stray_slot(w, p->guard)) ^ (p->guard_negated ? SIM_ALL_LANES : 0);
        if (g) guard = g->lanes & on, like = *g;
        on &= yes;
    }
    if (p->op == PTX_OP_selp && p->opnd[3].kind == PTX_OPND_REG) lanes = stray_chosen(w, p, &like);
    else
        for (unsigned k = 0; k < p->nopnds; k++)
            if (p->opnd[k].kind == PTX_OPND_ADDR || !writes || (k && !(pair && k == 1)))
                lanes |= stray_lanes(w, &p->opnd[k], &like);
    if (memory && stray_seen_there(p) && lanes & on & ~guard)
        stray_told(w, p, lanes & on & ~guard, &like);
    if (writes) {
        if (memory) lanes = 0;
        stray_write(w, &p->opnd[0], on, lanes | guard, &like);
        if (pair) stray_write(w, &p->opnd[1], on, lanes | guard, &like);
    }
    stray_drop(w);
}

/* A shuffle's own lanes: who reads one that is not there, or one whose value is undefined. */
static uint32_t stray_read(sim_warp *w, const sim_insn *i, sim_stray *like) {
    const uint32_t *b = LANES(const uint32_t, i->b), *c = LANES(const uint32_t, i->c);
    const sim_stray *a = stray_at(w, i->a);
    uint32_t lanes = 0;
    if (a) *like = *a;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m), in, j = sim_shfl_from(i->imm, l, b[l], c[l], &in);
        if (!in) j = l;
        if (a && a->lanes >> j & 1) lanes |= 1u << l;
        if (w->mask >> j & 1) continue;
        if (!lanes)
            *like = (sim_stray){
                .from = i->ptx, .there = w->mask, .reader = (uint8_t)l, .lane = (uint8_t)j};
        lanes |= 1u << l;
    }
    return lanes;
}

void sim_stray_sync(sim_warp *w, const sim_insn *i) {
    if (i->ptx->op != PTX_OP_shfl) {
        sim_stray_step(w, i->ptx);
        return;
    }
    sim_stray like = {0};
    uint32_t lanes = stray_read(w, i, &like);
    stray_set(w, i->d, w->mask, lanes, like);
    stray_drop(w);
}

void sim_stray_exited(sim_warp *w, uint32_t lanes) {
    for (unsigned k = 0; k < w->strays; k++) w->stray[k].lanes &= ~lanes;
    stray_drop(w);
}
