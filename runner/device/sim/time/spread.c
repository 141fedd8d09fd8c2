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
 *   time_op --each when its operands have arrived; the whole a second time after itself--> cycles
 *
 * Loads and copies from global memory take what the caller says. Loads are waited for at the end of
 * a stretch that is no loop: who uses them comes later. Who waits for all groups of copies but n
 * has n + 1 on their way, so a stretch has that part of a copy's latency. */

static double alone_latency(const sim_profile *p, const ptx_insn *i, const time_op *o,
                            double load) {
    bool shared = i->space == PTX_SPACE_SHARED;
    switch (o->kind) {
    case TIME_LOAD:
    case TIME_TEX: return shared ? p->lat_shared : i->space == PTX_SPACE_LOCAL ? p->lat_l1 : load;
    case TIME_ATOM: return shared ? p->lat_atom_shared : p->lat_atom_global;
    case TIME_CONST: return p->lat_const;
    default: return (double)o->latency;
    }
}

static bool alone_of_memory(const time_op *o) {
    return o->kind == TIME_LOAD || o->kind == TIME_ATOM || o->kind == TIME_TEX;
}

double time_code_alone(const time_code *c, const ptx_func *f, uint32_t pc_base, time_stretch s,
                       double load, double *ready) {
    double now = 0, before = 0, end = 0, copied = 0;
    for (unsigned round = 0; round < 2; round++) {
        before = end = copied = now;
        for (uint32_t k = s.first; k < s.first + s.count; k++) {
            uint32_t pc = c->order[pc_base + k];
            if (pc - pc_base - s.first >= s.count) continue; /* belongs to another stretch */
            const time_op *o = &c->ops[pc];
            const uint32_t *regs = &c->regs[o->regs];
            for (unsigned r = 0; r < o->src_count; r++)
                now = fmax(now, ready[regs[o->dst_count + r]]);
            double there = now + alone_latency(c->profile, &f->insns[pc - pc_base], o, load);
            now += (double)o->slots;
            if (o->kind == TIME_COPY) copied = now;
            if (o->kind == TIME_WAIT) now = fmax(now, copied + load / (o->amount + 1.0));
            if (o->kind == TIME_FENCE) now += time_fence_latency(c->profile, o->amount);
            for (unsigned r = 0; r < o->dst_count; r++) ready[regs[r]] = there;
            if (!s.loop && o->dst_count && alone_of_memory(o)) end = fmax(end, there);
        }
        end = fmax(end, now);
    }
    for (uint32_t k = s.first; k < s.first + s.count; k++)
        for (unsigned r = 0; r < c->ops[pc_base + k].dst_count; r++)
            ready[c->regs[c->ops[pc_base + k].regs + r]] = 0;
    return end - before;
}

size_t time_code_registers(const time_code *c) {
    return c->reg_max;
}
