/* Undefined values, by register and lane. See stray.h. */
#include "runner/device/sim/exec/stray.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/machine/fault.h"
#include "words/finding.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sim_opnd stray_slot(const sim_warp *w, int32_t reg) {
    return reg < 0 ? SIM_NO_SLOT : w->frame->func->reg_at[reg];
}

static sim_stray *stray_at(const sim_warp *w, sim_opnd at) {
    for (unsigned k = 0; k < w->strays; k++)
        if (w->stray->at[k].at == at && w->stray->at[k].frame == w->frame) return &w->stray->at[k];
    return NULL;
}

static bool stray_room(sim_warp *w) {
    if (!w->stray) w->stray = calloc(1, sizeof *w->stray);
    return w->stray && w->strays < SIM_STRAYS;
}

static void stray_drop(sim_warp *w) {
    unsigned n = 0;
    for (unsigned k = 0; k < w->strays; k++)
        if (w->stray->at[k].lanes) w->stray->at[n++] = w->stray->at[k];
    w->strays = (uint16_t)n;
}

static void stray_told(sim_warp *w, const ptx_insn *p, uint32_t lanes, const sim_stray *s);

/* The lanes `on` write the register. It then holds in `lanes` what `like` says, and in the others a
 * defined value. */
static void stray_set(sim_warp *w, const ptx_insn *p, sim_opnd at, uint32_t on, uint32_t lanes,
                      sim_stray like) {
    sim_stray *s = stray_at(w, at);
    if (s) {
        uint32_t keep = s->lanes & ~on;
        if (lanes & on) {
            like.frame = w->frame, like.at = at;
            *s = like;
        }
        s->lanes = keep | (lanes & on);
    } else if (lanes & on && at != SIM_NO_SLOT) {
        if (!stray_room(w)) {
            if (like.load) stray_told(w, p, lanes & on, &like);
            return;
        }
        like.frame = w->frame, like.at = at, like.lanes = lanes & on;
        w->stray->at[w->strays++] = like;
    }
}

/* Returns the lanes in which an operand is undefined; *like: the shuffle that made it so, if there
 * are any. */
static uint32_t stray_lanes(const sim_warp *w, const ptx_opnd *o, sim_stray *like) {
    uint32_t lanes = 0;
    if (o->kind == PTX_OPND_VEC)
        for (unsigned k = 0; k < o->count; k++) lanes |= stray_lanes(w, &o->elem[k], like);
    if (o->kind != PTX_OPND_REG && o->kind != PTX_OPND_ADDR) return lanes;
    const sim_stray *s = o->reg < 0 ? NULL : stray_at(w, stray_slot(w, o->reg));
    if (s && s->lanes & w->mask) *like = *s, lanes = s->lanes & w->mask;
    return lanes;
}

/* Stops following the value of that shuffle or load in these lanes. */
static void stray_forget(sim_warp *w, uint32_t lanes, const sim_stray *s) {
    const ptx_insn *from = s->from;
    uint8_t load = s->load;
    for (unsigned k = 0; k < w->strays; k++)
        if (w->stray->at[k].from == from && w->stray->at[k].load == load)
            w->stray->at[k].lanes &= ~lanes;
    stray_drop(w);
}

/* Reports lanes that read the value themselves. If the lanes have it from shuffles, reports the
 * first lane that did. */
static void stray_told_load(sim_warp *w, uint32_t lanes, const sim_stray *s) {
    const sim_stray_load *r = &w->stray->load[s->load - 1];
    uint32_t own = lanes & r->lanes;
    sim_access_blank(w->access, r->site, r->space, own ? own : r->lanes & -r->lanes, r->addr);
    stray_forget(w, lanes, s);
}

static void stray_told(sim_warp *w, const ptx_insn *p, uint32_t lanes, const sim_stray *s) {
    if (s->load) {
        stray_told_load(w, lanes, s);
        return;
    }
    const char *file;
    unsigned line;
    ptx_source_near(w->block->run->image->module, p->loc, p->ptx_line, &file, &line);
    lib_message user;
    lib_message_set(&user, line ? w_finding_line_here(line) : w_finding_line_ptx(p->ptx_line));
    sim_report(w, s->from, 1u << s->reader, SIM_FIND_BARRIER,
               w_finding_shfl(s->lane, s->there, &user));
    stray_forget(w, lanes, s);
}

static void stray_write(sim_warp *w, const ptx_insn *p, const ptx_opnd *o, uint32_t on,
                        uint32_t lanes, const sim_stray *like) {
    if (o->kind == PTX_OPND_VEC)
        for (unsigned k = 0; k < o->count; k++) stray_write(w, p, &o->elem[k], on, lanes, like);
    if (o->kind == PTX_OPND_REG) stray_set(w, p, stray_slot(w, o->reg), on, lanes, *like);
}

/* For P[c] ? a : b, only the chosen operand counts. */
static uint32_t stray_chosen(const sim_warp *w, const ptx_insn *p, sim_stray *like) {
    uint32_t a = stray_lanes(w, &p->opnd[1], like), b = stray_lanes(w, &p->opnd[2], like),
             c = stray_lanes(w, &p->opnd[3], like);
    sim_opnd chooses = stray_slot(w, p->opnd[3].reg);
    if (chooses == SIM_NO_SLOT) return 0;
    uint32_t yes = PRED(chooses);
    return c | (a & yes) | (b & ~yes);
}

/* For P[a] and P[b], one false operand decides; for `or`, one true operand. */
static uint32_t stray_undecided(const sim_warp *w, const ptx_insn *p, sim_stray *like) {
    uint32_t a = stray_lanes(w, &p->opnd[1], like), b = stray_lanes(w, &p->opnd[2], like);
    if (p->opnd[1].kind != PTX_OPND_REG || p->opnd[2].kind != PTX_OPND_REG) return a | b;
    uint32_t flip = p->op == PTX_OP_and ? SIM_ALL_LANES : 0,
             x = PRED(stray_slot(w, p->opnd[1].reg)) ^ flip,
             y = PRED(stray_slot(w, p->opnd[2].reg)) ^ flip;
    return (a | b) & ~(x & ~a) & ~(y & ~b);
}

/* Returns the lanes whose operands are undefined. */
static uint32_t stray_operands(const sim_warp *w, const ptx_insn *p, bool writes, bool pair,
                               sim_stray *like) {
    uint32_t lanes = 0;
    if (p->op == PTX_OP_selp && p->opnd[3].kind == PTX_OPND_REG) return stray_chosen(w, p, like);
    if ((p->op == PTX_OP_and || p->op == PTX_OP_or) && p->type[0] == PTX_PRED)
        return stray_undecided(w, p, like);
    for (unsigned k = 0; k < p->nopnds; k++)
        if (p->opnd[k].kind == PTX_OPND_ADDR || !writes || (k && !(pair && k == 1)))
            lanes |= stray_lanes(w, &p->opnd[k], like);
    return lanes;
}

/* Plain arithmetic: the undefined value passes on to its result. */
static bool stray_follows(const ptx_insn *p) {
    switch (p->klass) {
    case PTX_CLASS_INT:
    case PTX_CLASS_IMUL:
    case PTX_CLASS_IMUL64:
    case PTX_CLASS_IDIV:
    case PTX_CLASS_SHIFT:
    case PTX_CLASS_BITCOUNT:
    case PTX_CLASS_FP16:
    case PTX_CLASS_FP32:
    case PTX_CLASS_FP64:
    case PTX_CLASS_SFU:
    case PTX_CLASS_FDIV:
    case PTX_CLASS_DDIV:
    case PTX_CLASS_CONVERT:
    case PTX_CLASS_MOVE:
    case PTX_CLASS_SELECT:
    case PTX_CLASS_VIDEO: return true;
    default: return false;
    }
}

/* Others may see that the lanes have executed it. */
static bool stray_shows(const ptx_insn *p) {
    switch (p->klass) {
    case PTX_CLASS_STORE:
    case PTX_CLASS_ATOM:
    case PTX_CLASS_ASYNC:
    case PTX_CLASS_TEX:
    case PTX_CLASS_TENSOR:
    case PTX_CLASS_CALL: return true;
    case PTX_CLASS_SHUFFLE: return p->op != PTX_OP_bar_warp_sync && p->op != PTX_OP_activemask;
    default: return false;
    }
}

static bool stray_seen_there(const ptx_insn *p) {
    return p->space != PTX_SPACE_LOCAL && p->space != PTX_SPACE_PARAM;
}

/* Returns the lanes of w->mask that a branch on an undefined value sent here. */
static uint32_t stray_sway(const sim_warp *w, sim_stray *like) {
    const sim_stray *s = stray_at(w, SIM_SWAYED);
    uint32_t lanes = s ? s->lanes & w->mask : 0;
    if (lanes) *like = *s;
    return lanes;
}

/* The same for lanes whose guard is undefined. */
static uint32_t stray_guard(const sim_warp *w, const ptx_insn *p, sim_stray *like) {
    const sim_stray *s = p->guard < 0 ? NULL : stray_at(w, stray_slot(w, p->guard));
    uint32_t lanes = s ? s->lanes & w->mask : 0;
    if (lanes) *like = *s;
    return lanes;
}

/* Returns whether the instruction before p that wrote the register only brings the value there, as
 * a load or a move does. A sum that begins with such a value is reported where the value was
 * read. */
static bool stray_unchanged(const sim_warp *w, const ptx_insn *p, const ptx_opnd *o) {
    const ptx_func *f = w->frame->func->ptx;
    bool same = true;
    for (unsigned k = 0; o->kind == PTX_OPND_VEC && k < o->count; k++)
        same = same && stray_unchanged(w, p, &o->elem[k]);
    for (const ptx_insn *i = p; o->kind == PTX_OPND_REG && i-- > f->insns;) {
        if (!i->nopnds || !ptx_op_writes(i->op)) continue;
        const ptx_opnd *to = &i->opnd[0];
        bool writes = to->kind == PTX_OPND_REG && to->reg == o->reg;
        for (unsigned k = 0; to->kind == PTX_OPND_VEC && k < to->count; k++)
            writes = writes || (to->elem[k].kind == PTX_OPND_REG && to->elem[k].reg == o->reg);
        if (writes) return i->op == PTX_OP_ld || i->op == PTX_OP_mov;
    }
    return same;
}

/* A plain store to the block's own shared memory: the stored word counts as never written. */
static bool stray_parks(const sim_warp *w, const ptx_insn *p) {
    sim_stray address;
    return p->op == PTX_OP_st && p->space == PTX_SPACE_SHARED && p->opnd[0].reg >= 0 &&
           !w->block->cluster && !stray_lanes(w, &p->opnd[0], &address) &&
           stray_unchanged(w, p, &p->opnd[1]);
}

void sim_stray_parked(sim_warp *w, const sim_insn *i) {
    const ptx_insn *p = i->ptx;
    const ptx_opnd *values = &p->opnd[1];
    bool many = values->kind == PTX_OPND_VEC;
    sim_opnd at = stray_slot(w, p->opnd[0].reg);
    bool wide = ptx_type_size((ptx_type)w->frame->func->ptx->reg_type[p->opnd[0].reg]) == 8;
    uint32_t parked = w->stray->parked;
    w->stray->parked = 0;
    for (unsigned k = 0; k < i->site->vec; k++) {
        sim_stray like;
        uint32_t lanes = parked & stray_lanes(w, many ? &values->elem[k] : values, &like);
        for (; lanes; lanes &= lanes - 1) {
            unsigned l = (unsigned)__builtin_ctz(lanes);
            uint32_t from =
                wide ? (uint32_t)LANES(const uint64_t, at)[l] : LANES(const uint32_t, at)[l];
            sim_shared_unwritten(w->block->mem, from + (uint32_t)i->offset + k * i->site->elem,
                                 i->site->elem);
        }
    }
}

void sim_stray_step(sim_warp *w, const ptx_insn *p) {
    sim_stray like = {0}, by = {0}, went = {0};
    bool memory = p->op == PTX_OP_ld || p->op == PTX_OP_st || p->op == PTX_OP_atom ||
                  p->op == PTX_OP_red,
         writes = ptx_op_writes(p->op), pair = p->flags >> PTX_F_PAIR & 1, shows = stray_shows(p);
    uint32_t on = w->mask, guard = stray_guard(w, p, &by), sway = stray_sway(w, &went),
             lanes = stray_operands(w, p, writes, pair, &like), used;
    if (p->guard >= 0) on &= PRED(stray_slot(w, p->guard)) ^ (p->guard_negated ? SIM_ALL_LANES : 0);
    used = lanes & on & ~guard;
    w->stray->parked = used && like.load && stray_parks(w, p) ? used : 0;
    if (used && !w->stray->parked &&
        (like.load ? !stray_follows(p) : memory && stray_seen_there(p)))
        stray_told(w, p, used, &like), lanes = 0, guard &= ~used, sway &= ~used;
    if (guard && by.load && shows) stray_told(w, p, guard, &by), sway &= ~guard, guard = 0;
    if (sway & on && shows) stray_told(w, p, sway & on, &went), sway = 0;
    if (memory) lanes = 0;
    if (!lanes) like = guard ? by : went;
    if (writes) stray_write(w, p, &p->opnd[0], on, lanes | guard | sway, &like);
    if (writes && pair) stray_write(w, p, &p->opnd[1], on, lanes | guard | sway, &like);
    stray_drop(w);
}

/* The lanes branch on the value. Lanes that other branches in `like` have swayed to the same place
 * are joined with them. */
static void stray_branch(sim_warp *w, const ptx_insn *p, uint32_t lanes, sim_stray like) {
    const ptx_func *f = w->frame->func->ptx;
    sim_stray *s = stray_at(w, SIM_SWAYED);
    like.meets = f->blocks && f->block_of ? f->blocks[f->block_of[p - f->insns]].ipdom : -1;
    if (s && s->meets == like.meets) s->lanes |= lanes;
    else if (s && lanes & ~s->lanes) stray_told(w, p, lanes & ~s->lanes, &like);
    else if (!s) stray_set(w, p, SIM_SWAYED, lanes, lanes, like);
}

void sim_stray_end(sim_warp *w, const sim_insn *i) {
    const ptx_insn *p = i->ptx;
    sim_stray like = {0}, went = {0};
    uint32_t lanes = 0;
    if (p->klass != PTX_CLASS_BRANCH && p->klass != PTX_CLASS_CALL &&
        p->klass != PTX_CLASS_CONTROL) {
        sim_stray_step(w, p);
        return;
    }
    for (unsigned k = 0; k < p->nopnds; k++) lanes |= stray_lanes(w, &p->opnd[k], &like);
    lanes |= stray_guard(w, p, &like);
    bool calls = p->klass == PTX_CLASS_CALL && p->op != PTX_OP_ret;
    uint32_t sway = calls ? stray_sway(w, &went) : 0;
    if (lanes && like.load && calls) stray_told(w, p, lanes, &like);
    else if (lanes && like.load) stray_branch(w, p, lanes, like);
    if (sway) stray_told(w, p, sway, &went);
}

void sim_stray_arrive(sim_warp *w, const sim_seg *s) {
    const ptx_func *f = w->frame->func->ptx;
    sim_stray *e = stray_at(w, SIM_SWAYED);
    if (!e || e->meets < 0 || f->blocks[e->meets].first != s->ptx_first) return;
    e->lanes &= ~w->mask;
    stray_drop(w);
}

/* ---- loads ---- */

bool sim_stray_blank(void *worker, const sim_site *s, sim_space space, uint32_t lanes,
                     const uint32_t addr[SIM_WARP_LANES]) {
    sim_warp *w = ((sim_worker *)worker)->warp;
    bool used[SIM_STRAY_LOADS + 1] = {false};
    unsigned k = 0;
    if (!w || w->loaded || !stray_room(w)) return false;
    for (unsigned n = 0; n < w->strays; n++) used[w->stray->at[n].load] = true;
    while (k < SIM_STRAY_LOADS && used[k + 1]) k++;
    if (k == SIM_STRAY_LOADS) return false;
    sim_stray_load *l = &w->stray->load[k];
    *l = (sim_stray_load){.site = s, .space = space, .lanes = lanes};
    memcpy(l->addr, addr, sizeof l->addr);
    w->loaded = (uint8_t)(k + 1);
    w->until = NULL;
    w->steps_until = NULL;
    return true;
}

void sim_stray_loaded(sim_warp *w, const ptx_insn *p) {
    sim_stray like = {.load = w->loaded, .meets = -1};
    uint32_t lanes = w->stray->load[w->loaded - 1].lanes;
    w->loaded = 0;
    stray_write(w, p, &p->opnd[0], lanes, lanes, &like);
}

/* ---- shuffles ---- */

/* The lanes of a shuffle that read a lane which takes no part, or one whose value is undefined. */
static uint32_t stray_read(const sim_warp *w, const sim_insn *i, sim_stray *like) {
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
    uint32_t sway = stray_sway(w, &like), lanes = stray_read(w, i, &like);
    stray_set(w, i->ptx, i->d, w->mask, lanes | sway, like);
    stray_drop(w);
}

void sim_stray_exited(sim_warp *w, uint32_t lanes) {
    for (unsigned k = 0; k < w->strays; k++) w->stray->at[k].lanes &= ~lanes;
    stray_drop(w);
}

void sim_stray_returned(sim_warp *w, uint32_t lanes) {
    for (unsigned k = 0; k < w->strays; k++)
        if (w->stray->at[k].frame == w->frame) w->stray->at[k].lanes &= ~lanes;
    stray_drop(w);
}
