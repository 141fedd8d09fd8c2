/* Live registers: those that some path reads before it writes them. */
#include "runner/device/sim/decode/live.h"
#include "runner/base/cancel.h"
#include <stdlib.h>
#include <string.h>

bool sim_has_destination(const ptx_insn *p) {
    /* a call's first operand receives the return value */
    return p->nopnds && (p->op == PTX_OP_call || ptx_op_writes(p->op));
}

/* The accumulators of a wgmma are both its destination and an addend. */
static bool reads_destination(const ptx_insn *p) {
    return p->op == PTX_OP_wgmma_mma_async || p->op == PTX_OP_wgmma_mma_async_sp;
}

static void mark_uses(const ptx_opnd *o, uint64_t *use, const uint64_t *def) {
    if (o->kind == PTX_OPND_REG || (o->kind == PTX_OPND_ADDR && o->reg >= 0)) {
        if (!(def[o->reg / 64] >> (o->reg % 64) & 1)) use[o->reg / 64] |= 1ull << (o->reg % 64);
    } else if (o->kind == PTX_OPND_VEC) {
        for (unsigned k = 0; k < o->count; k++) mark_uses(&o->elem[k], use, def);
    }
}
static void mark_defs(const ptx_opnd *o, uint64_t *def) {
    if (o->kind == PTX_OPND_REG) def[o->reg / 64] |= 1ull << (o->reg % 64);
    if (o->kind == PTX_OPND_VEC)
        for (unsigned k = 0; k < o->count; k++) mark_defs(&o->elem[k], def);
}

/* Sets what a block reads before it writes it, and what it always writes. */
static void mark_block(const ptx_func *f, const ptx_block *b, uint64_t *use, uint64_t *def) {
    for (uint32_t k = b->first; k <= b->last && k < f->insn_count; k++) {
        const ptx_insn *p = &f->insns[k];
        bool dst = sim_has_destination(p), pair = p->flags >> PTX_F_PAIR & 1;
        for (unsigned o = 0; o < p->nopnds; o++)
            if (!dst || (o && !(pair && o == 1)) || p->opnd[o].kind == PTX_OPND_ADDR ||
                (!o && reads_destination(p)))
                mark_uses(&p->opnd[o], use, def);
        if (p->guard >= 0) {
            ptx_opnd g = {.kind = PTX_OPND_REG, .reg = p->guard};
            mark_uses(&g, use, def);
        } else if (dst) {
            mark_defs(&p->opnd[0], def);
            if (pair) mark_defs(&p->opnd[1], def);
        }
    }
}

void sim_live_out(const ptx_func *f, const uint64_t *in, size_t words, size_t block,
                  uint64_t *out) {
    const ptx_block *b = &f->blocks[block];
    memset(out, 0, words * sizeof *out);
    for (unsigned s = 0; s < 2; s++)
        if (b->succ[s] >= 0)
            for (size_t k = 0; k < words; k++) out[k] |= in[(size_t)b->succ[s] * words + k];
    for (uint32_t t = 0; t < b->target_count; t++)
        for (size_t k = 0; k < words; k++) out[k] |= in[b->targets[t] * words + k];
}

uint64_t *sim_live_in(const ptx_func *f, const volatile int *stop, size_t *words_out) {
    size_t words = *words_out = f->reg_count / 64 + 1, nb = f->block_count;
    if (nb + 1 > SIM_LIVE_BYTES / (2 * sizeof(uint64_t)) / words) return NULL;
    uint64_t *in = calloc((nb + 1) * words, sizeof *in),
             *def = calloc((nb + 1) * words, sizeof *def);
    if (!in || !def) {
        free(in);
        free(def);
        return NULL;
    }
    for (size_t b = 0; b < nb; b++) mark_block(f, &f->blocks[b], in + b * words, def + b * words);
    uint64_t *out = def + nb * words;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = nb; b-- > 0;) {
            if (lib_raised(stop)) {
                free(in), free(def);
                return NULL;
            }
            sim_live_out(f, in, words, b, out);
            for (size_t k = 0; k < words; k++) {
                uint64_t v = in[b * words + k] | (out[k] & ~def[b * words + k]);
                changed |= v != in[b * words + k];
                in[b * words + k] = v;
            }
        }
    }
    free(def);
    return in;
}

static bool opnd_names(const ptx_opnd *o, int32_t reg) {
    if (o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) return o->reg == reg;
    if (o->kind == PTX_OPND_VEC)
        for (unsigned k = 0; k < o->count; k++)
            if (opnd_names(&o->elem[k], reg)) return true;
    return false;
}
static bool insn_reads(const ptx_insn *p, int32_t reg) {
    bool dst = sim_has_destination(p), pair = p->flags >> PTX_F_PAIR & 1;
    if (p->guard == reg) return true;
    for (unsigned o = 0; o < p->nopnds; o++)
        if ((!dst || (o && !(pair && o == 1)) || p->opnd[o].kind == PTX_OPND_ADDR ||
             (!o && reads_destination(p))) &&
            opnd_names(&p->opnd[o], reg))
            return true;
    return false;
}
static bool insn_writes(const ptx_insn *p, int32_t reg) {
    if (!sim_has_destination(p)) return false;
    if (p->opnd[0].kind != PTX_OPND_ADDR && opnd_names(&p->opnd[0], reg)) return true;
    return p->flags >> PTX_F_PAIR & 1 && opnd_names(&p->opnd[1], reg);
}

typedef void uses_note(sim_uses *u, int32_t reg, uint32_t at);
static void uses_operand(const ptx_opnd *o, uint32_t at, sim_uses *u, uses_note *note) {
    if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg >= 0) note(u, o->reg, at);
    for (unsigned k = 0; o->kind == PTX_OPND_VEC && k < o->count; k++)
        uses_operand(&o->elem[k], at, u, note);
}
/* Calls `note` for each register that the instruction names. */
static void uses_each(const ptx_insn *p, uint32_t at, sim_uses *u, uses_note *note) {
    if (p->guard >= 0) note(u, p->guard, at);
    for (unsigned o = 0; o < p->nopnds; o++) uses_operand(&p->opnd[o], at, u, note);
}
static void uses_count(sim_uses *u, int32_t reg, uint32_t at) {
    (void)at;
    u->first[reg + 2]++;
}
static void uses_place(sim_uses *u, int32_t reg, uint32_t at) {
    u->at[u->first[reg + 1]++] = at;
}

bool sim_uses_find(sim_uses *u, const ptx_func *f) {
    *u = (sim_uses){.first = calloc(f->reg_count + 3, sizeof *u->first)};
    if (!u->first) return false;
    for (uint32_t k = 0; k < f->insn_count; k++) uses_each(&f->insns[k], k, u, uses_count);
    for (size_t r = 0; r <= f->reg_count; r++) u->first[r + 1] += u->first[r];
    u->at = malloc((u->first[f->reg_count + 1] + 1) * sizeof *u->at);
    if (!u->at) return false;
    for (uint32_t k = 0; k < f->insn_count; k++) uses_each(&f->insns[k], k, u, uses_place);
    return true;
}

void sim_uses_free(sim_uses *u) {
    free(u->first);
    free(u->at);
    *u = (sim_uses){0};
}

bool sim_live_after(const ptx_func *f, const sim_uses *u, const uint64_t *in, size_t words,
                    size_t at, int32_t reg) {
    size_t block = f->block_of[at];
    const ptx_block *b = &f->blocks[block];
    uint32_t low = u->first[reg], high = u->first[reg + 1];
    while (low < high) { /* the first after `at` */
        uint32_t middle = low + (high - low) / 2;
        if (u->at[middle] <= at) low = middle + 1;
        else high = middle;
    }
    /* If the rest of the block reads or writes the register, that decides; otherwise its successors
     * do. */
    for (; low < u->first[reg + 1] && u->at[low] <= b->last; low++) {
        const ptx_insn *p = &f->insns[u->at[low]];
        if (insn_reads(p, reg)) return true;
        if (p->guard < 0 && insn_writes(p, reg)) return false;
    }
    size_t word = (size_t)reg / 64;
    for (unsigned s = 0; s < 2; s++)
        if (b->succ[s] >= 0 && in[(size_t)b->succ[s] * words + word] >> (reg % 64) & 1) return true;
    for (uint32_t t = 0; t < b->target_count; t++)
        if (in[b->targets[t] * words + word] >> (reg % 64) & 1) return true;
    return false;
}
