#include "runner/device/sim/time/spread.h"
#include "runner/device/sim/time/time_internal.h"
#include <math.h>
#include <string.h>

void sim_spread_begin(sim_spread *s, unsigned sms, unsigned resident) {
    memset(s, 0, sizeof *s);
    if (sms <= sizeof s->load / sizeof *s->load) s->sms = sms;
    s->full = (uint64_t)sms * resident;
}

/* From the first block that had to wait on, load[] is a heap. Which multiprocessor an entry belongs
 * to no longer matters. */
static void sift(sim_spread *s, unsigned k) {
    for (unsigned child; (child = 2 * k + 1) < s->sms; k = child) {
        if (child + 1 < s->sms && s->load[child + 1] < s->load[child]) child++;
        if (s->load[k] <= s->load[child]) return;
        uint64_t x = s->load[k];
        s->load[k] = s->load[child], s->load[child] = x;
    }
}

void sim_spread_block(sim_spread *s, uint64_t warp_instructions) {
    if (!s->sms) return;
    if (s->count < s->full) {
        s->load[s->count++ % s->sms] += warp_instructions;
        return;
    }
    for (unsigned k = s->sms / 2; s->count == s->full && k--;) sift(s, k);
    s->count++;
    s->load[0] += warp_instructions;
    sift(s, 0);
}

double sim_spread_worst(const sim_spread *s) {
    uint64_t most = 0, all = 0;
    for (unsigned k = 0; k < s->sms; k++) {
        all += s->load[k];
        if (s->load[k] > most) most = s->load[k];
    }
    double seen = s->count > s->full ? (double)all / s->sms
                  : s->sms           ? (double)s->load[s->first]
                                     : 0;
    return seen > 0 && (double)most > seen ? (double)most / seen : 1;
}

/* ---- how long a stretch of code takes a warp that has the multiprocessor for itself. This
 * separates blocks that execute equally many instructions, some one after another and others in
 * parallel.
 *
 *   PTX --each when its operands have arrived; the whole a second time after itself--> cycles
 *
 * It serves to compare blocks, so it knows only how long results take. An instruction waits for its
 * operands, not for those before it, because the assembler puts loads first. Loads and copies from
 * global memory take what the caller says. Loads are waited for at the end of a stretch that is no
 * loop: who uses them comes later. Who waits for all groups of copies but n has n + 1 on their way,
 * so a stretch has that part of a copy's latency. */

/* Instructions of an integer division. */
#define DIVISION 20

static double alone_latency(const sim_profile *p, const ptx_insn *i, double load) {
    bool shared = i->space == PTX_SPACE_SHARED;
    switch ((ptx_class)i->klass) {
    case PTX_CLASS_LOAD:
        if (i->space == PTX_SPACE_PARAM) return 0;
        if (i->space == PTX_SPACE_CONST) return p->lat_const;
        return shared ? p->lat_shared : i->space == PTX_SPACE_LOCAL ? p->lat_l1 : load;
    case PTX_CLASS_TEX: return load;
    case PTX_CLASS_ATOM: return shared ? p->lat_atom_shared : p->lat_atom_global;
    case PTX_CLASS_SHUFFLE: return p->lat_shuffle;
    case PTX_CLASS_SFU: return p->lat_sfu;
    case PTX_CLASS_IDIV: return DIVISION * p->lat_alu;
    case PTX_CLASS_FP64: return p->lat_fp64;
    default: return i->op == PTX_OP_mov || i->op == PTX_OP_cvta ? 0 : p->lat_alu;
    }
}

static double alone_slots(const sim_profile *p, const ptx_insn *i) {
    if (i->op == PTX_OP_mov || i->op == PTX_OP_cvta || i->space == PTX_SPACE_PARAM) return 0;
    return (i->klass == PTX_CLASS_IDIV ? DIVISION : 1) * p->schedulers / p->issue_per_cycle;
}

static bool alone_of_memory(const ptx_insn *i) {
    return i->klass == PTX_CLASS_LOAD || i->klass == PTX_CLASS_ATOM || i->klass == PTX_CLASS_TEX;
}

/* Returns how many operands the instruction writes: they are the first ones. */
static unsigned results_of(const ptx_insn *i) {
    if (!i->nopnds || !ptx_op_writes(i->op)) return 0;
    return i->flags >> PTX_F_PAIR & 1 && i->nopnds > 1 ? 2 : 1;
}

typedef void reg_fn(void *user, int32_t reg);
static void each_reg(const ptx_opnd *o, reg_fn *fn, void *user) {
    if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg >= 0) fn(user, o->reg);
    for (unsigned k = 0; o->elem && k < o->count; k++) each_reg(&o->elem[k], fn, user);
}

typedef struct {
    double *ready, at;
} alone_regs;
static void wait_for(void *user, int32_t reg) {
    alone_regs *r = user;
    r->at = fmax(r->at, r->ready[reg]);
}
static void unset(void *user, int32_t reg) {
    ((double *)user)[reg] = 0;
}
static void arrives(void *user, int32_t reg) {
    alone_regs *r = user;
    r->ready[reg] = r->at;
}

static unsigned fence_scope(const ptx_insn *i) {
    unsigned scope = i->field[PTX_FIELD_SCOPE];
    return scope == PTX_SCOPE_sys ? 2 : scope == PTX_SCOPE_gpu ? 1 : 0;
}

/* Executes one of the stretch's instructions, not before `floor`. Returns the time of its issue. */
static double alone_insn(const sim_profile *p, const ptx_insn *i, double floor, double load,
                         double *ready, double *there) {
    alone_regs r = {ready, floor};
    unsigned out = results_of(i);
    for (unsigned k = out; k < i->nopnds; k++) each_reg(&i->opnd[k], wait_for, &r);
    if (i->guard >= 0) wait_for(&r, i->guard);
    double at = r.at;
    *there = r.at = at + alone_latency(p, i, load);
    for (unsigned k = 0; k < out; k++) each_reg(&i->opnd[k], arrives, &r);
    return at;
}

double time_alone(const sim_profile *p, const ptx_func *f, time_stretch s, double load,
                  double *ready) {
    double start = 0, before = 0, end = 0;
    for (unsigned round = 0; round < 2; round++) {
        double floor = start, slots = 0, copied = start, there;
        before = start, end = start;
        for (uint32_t k = s.first; k < s.first + s.count; k++) {
            const ptx_insn *i = &f->insns[k];
            double at = alone_insn(p, i, floor, load, ready, &there);
            slots += alone_slots(p, i);
            start = fmax(start, at + alone_slots(p, i));
            if (ptx_op_is(i->op, PTX_IS_COPIES)) copied = at;
            if (i->op == PTX_OP_cp_async_wait_all || i->op == PTX_OP_cp_async_wait_group) {
                bool given = i->nopnds && i->opnd[0].kind == PTX_OPND_IMM;
                floor = fmax(floor, copied + load / (given ? (double)i->opnd[0].imm + 1 : 1));
            }
            if (i->op == PTX_OP_membar || i->op == PTX_OP_fence)
                floor = fmax(floor, at) + time_fence_latency(p, fence_scope(i));
            if (!s.loop && results_of(i) && alone_of_memory(i)) end = fmax(end, there);
        }
        start = fmax(fmax(start, floor), before + slots);
        end = fmax(end, start);
    }
    for (uint32_t k = s.first; k < s.first + s.count; k++)
        for (unsigned q = 0; q < results_of(&f->insns[k]); q++)
            each_reg(&f->insns[k].opnd[q], unset, ready);
    return end - before;
}
