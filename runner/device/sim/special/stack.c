/* Memory that threads allocate on their stacks (PTX ISA 9.7.9.17 to 9.7.9.19): alloca, stacksave,
 * stackrestore. A frame's stack is in local memory above its .local variables and grows upwards. A
 * slot of the frame (sim_func.stack) has the bytes that a lane has taken. The slot is zero when the
 * function begins, so a return frees the memory. A stack pointer is an address in local memory:
 * that of the first free byte. */
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/machine/fault.h"
#include "runner/device/sim/special/call.h"
#include "words/finding.h"
#include <stdio.h>

static uint64_t lane_get(sim_warp *w, sim_opnd o, bool wide, unsigned l) {
    return wide ? LANES(const uint64_t, o)[l] : LANES(const uint32_t, o)[l];
}
static void lane_put(sim_warp *w, sim_opnd o, bool wide, unsigned l, uint64_t v) {
    if (wide) LANES(uint64_t, o)[l] = v;
    else LANES(uint32_t, o)[l] = (uint32_t)v;
}

/* R[d] := the address of R[a] new bytes, aligned to imm; c: operands of 64 bits */
static void exec_alloca(sim_warp *w, const sim_insn *i) {
    uint32_t *taken = LANES(uint32_t, w->frame->func->stack), end = sim_frame_end(w->frame),
             most = w->block->run->local_bytes;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t bytes = lane_get(w, i->a, i->c, l),
                 at = ((uint64_t)end + taken[l] + i->imm - 1) & ~((uint64_t)i->imm - 1);
        if (at > most || bytes > most - at) {
            sim_fail_at(
                w, i->ptx, 1u << l, SIM_STACK_OVERFLOW, SIM_FIND_STACK,
                w_finding_stack_room((long long)bytes, most, at > most ? 0 : most - (uint32_t)at));
            return;
        }
        taken[l] = (uint32_t)(at + bytes) - end;
        lane_put(w, i->d, i->c, l, at);
    }
}

/* R[d] := the stack pointer */
static void exec_stacksave(sim_warp *w, const sim_insn *i) {
    const uint32_t *taken = LANES(const uint32_t, w->frame->func->stack);
    uint32_t end = sim_frame_end(w->frame);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        lane_put(w, i->d, i->c, l, end + taken[l]);
    }
}

/* the stack pointer := R[a]; this frees what was allocated since the stack pointer had that
 * value */
static void exec_stackrestore(sim_warp *w, const sim_insn *i) {
    uint32_t *taken = LANES(uint32_t, w->frame->func->stack), end = sim_frame_end(w->frame);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t to = lane_get(w, i->a, i->c, l);
        if (to < end || to - end > taken[l]) {
            sim_fail_at(w, i->ptx, 1u << l, SIM_ILLEGAL_ADDRESS, SIM_FIND_TRAP,
                        w_finding_stack_pointer((long long)to));
            return;
        }
        taken[l] = (uint32_t)to - end;
    }
}

void sim_decode_stack(sim_decoder *d) {
    enum { LEAST = 8 }; /* "the minimum guaranteed alignment" */
    const ptx_insn *p = d->insn;
    unsigned slot = sim_slot_of(p->type[0]), align = LEAST;
    bool saves = p->op == PTX_OP_stacksave, restores = p->op == PTX_OP_stackrestore;
    sim_opnd a = saves ? 0 : sim_source(d, &p->opnd[!restores], slot, p->type[0]),
             to = restores ? 0 : sim_destination(d, &p->opnd[0], slot, p->type[0]);
    if (p->nopnds > 2 && p->opnd[2].imm > LEAST) align = (unsigned)p->opnd[2].imm;
    sim_exec_fn *fn = saves ? exec_stacksave : restores ? exec_stackrestore : exec_alloca;
    sim_insn *i = sim_emit(d, fn, fn);
    i->d = to, i->a = a, i->c = slot == SIM_SLOT_64;
    i->imm = align;
}
