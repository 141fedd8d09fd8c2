/* Loaded values that have not arrived yet, by register. See wait.h. */
#include "runner/device/sim/exec/wait.h"
#include "runner/device/sim/machine/device.h"

/* Returns the time on the warp's clock, in cycles, at which the issue of the instruction began. */
static uint64_t wait_now(const sim_warp *w, uint32_t behind) {
    return (w->block->clock - behind - 1) * SIM_ISSUE_CYCLES + w->late;
}

static void wait_until(sim_warp *w, uint64_t when, uint32_t behind) {
    uint64_t now = wait_now(w, behind);
    if (when > now) w->late += when - now;
}

static void wait_forget(sim_warp *w, unsigned k) {
    w->pending[k] = w->pending[--w->pending_count];
}

/* Returns the index in w->pending of a register of the running frame, or pending_count. */
static unsigned wait_find(const sim_warp *w, int32_t reg) {
    unsigned k = 0;
    while (k < w->pending_count &&
           (w->pending[k].reg != reg || w->pending[k].frame != w->frame->serial))
        k++;
    return k;
}

static void wait_read(sim_warp *w, const ptx_opnd *o, uint32_t behind) {
    for (unsigned k = 0; o->kind == PTX_OPND_VEC && k < o->count; k++)
        wait_read(w, &o->elem[k], behind);
    if ((o->kind != PTX_OPND_REG && o->kind != PTX_OPND_ADDR) || o->reg < 0) return;
    unsigned k = wait_find(w, o->reg);
    if (k == w->pending_count) return;
    wait_until(w, w->pending[k].ready, behind);
    wait_forget(w, k);
}

static void wait_overwritten(sim_warp *w, const ptx_opnd *o) {
    for (unsigned k = 0; o->kind == PTX_OPND_VEC && k < o->count; k++)
        wait_overwritten(w, &o->elem[k]);
    if (o->kind != PTX_OPND_REG) return;
    unsigned k = wait_find(w, o->reg);
    if (k < w->pending_count) wait_forget(w, k);
}

static bool wait_is_result(const ptx_insn *p, unsigned k) {
    if (!ptx_op_writes(p->op) || p->opnd[k].kind == PTX_OPND_ADDR) return false;
    return k == 0 || (k == 1 && p->flags >> PTX_F_PAIR & 1);
}

void sim_wait_for(sim_warp *w, const ptx_insn *p, uint32_t behind) {
    if (!w->pending_count) return;
    for (unsigned k = 0; k < p->nopnds; k++)
        if (!wait_is_result(p, k)) wait_read(w, &p->opnd[k], behind);
    for (unsigned k = 0; k < p->nopnds; k++)
        if (wait_is_result(p, k)) wait_overwritten(w, &p->opnd[k]);
}

static double wait_latency(const sim_warp *w, const ptx_insn *p) {
    const sim_profile *h = w->block->run->device->profile;
    const sim_access_cost *c = sim_access_last(w->access);
    bool atomic = p->klass == PTX_CLASS_ATOM;
    switch (c->space) {
    case SIM_SPACE_SHARED: return (atomic ? h->lat_atom_shared : h->lat_shared) + c->passes - 1;
    case SIM_SPACE_CONST: return h->lat_const;
    case SIM_SPACE_PARAM: return 0;
    default: break;
    }
    if (atomic) return h->lat_atom_global;
    return c->sectors && c->l1_hits == c->sectors ? h->lat_l1 : h->lat_l2;
}

static void wait_add(sim_warp *w, const ptx_opnd *o, uint64_t ready, uint32_t behind) {
    for (unsigned k = 0; o->kind == PTX_OPND_VEC && k < o->count; k++)
        wait_add(w, &o->elem[k], ready, behind);
    if (o->kind != PTX_OPND_REG) return;
    if (w->pending_count == SIM_PENDING) { /* no room: wait for the first to arrive */
        unsigned first = 0;
        for (unsigned k = 1; k < SIM_PENDING; k++)
            if (w->pending[k].ready < w->pending[first].ready) first = k;
        wait_until(w, w->pending[first].ready, behind);
        wait_forget(w, first);
    }
    w->pending[w->pending_count++] =
        (sim_pending){.frame = w->frame->serial, .reg = o->reg, .ready = ready};
}

void sim_wait_begin(sim_warp *w, const ptx_insn *p, uint32_t behind) {
    if ((p->klass != PTX_CLASS_LOAD && p->klass != PTX_CLASS_ATOM) || !ptx_op_writes(p->op)) return;
    uint64_t ready = wait_now(w, behind) + (uint64_t)wait_latency(w, p);
    for (unsigned k = 0; k < p->nopnds; k++)
        if (wait_is_result(p, k)) wait_add(w, &p->opnd[k], ready, behind);
}

/* Segments of a waiting loop after which its time passes faster, and by which part each then adds.
 * Whoever also asks what others do asks ASKED times first: meanwhile each of them has had many
 * turns, so what has not come then comes with the time or never. */
enum { IDLE = 64, ASKED = 1 << 13, IDLE_PART = 32 };

void sim_wait_idle(sim_warp *w, const sim_seg *s) {
    if (!s->waits) {
        w->idle = 0;
        return;
    }
    uint64_t now = w->block->clock * SIM_ISSUE_CYCLES + w->late;
    if (!w->idle) w->idle_since = now;
    if (w->idle < (s->asks ? ASKED : IDLE)) {
        w->idle++;
        return;
    }
    uint64_t skip = (now - w->idle_since) / IDLE_PART;
    w->late += skip;
    w->skipped += skip;
    if (w->skipped > w->block->skipped) w->block->skipped = w->skipped;
}

void sim_wait_together(sim_block *b, const uint32_t *took) {
    uint64_t late = 0, skipped = 0;
    for (uint32_t k = 0; k < b->warp_count; k++) {
        if (took[k] && b->warps[k].late > late) late = b->warps[k].late;
        if (took[k] && b->warps[k].skipped > skipped) skipped = b->warps[k].skipped;
    }
    for (uint32_t k = 0; k < b->warp_count; k++)
        if (took[k]) b->warps[k].late = late, b->warps[k].skipped = skipped;
}
