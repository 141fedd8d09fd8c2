/* Loops that wait for what another thread writes: they branch by what a volatile, relaxed or acquire
 * load, or an atomic, in them has read.
 *
 *   the loop's blocks --what memory gave, and all that is made of it, a bit a register-->
 *     is a branch's guard among it? --> ptx_block.polls */
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/parse/finish.h"
#include "runner/base/cancel.h"

/* Times that values go round a loop: chains that come back more often are rare. */
enum { PASSES = 4 };

static bool polls_reads(const ptx_insn *p) {
    return p->klass == PTX_CLASS_ATOM ||
           (p->klass == PTX_CLASS_LOAD &&
            (p->field[PTX_FIELD_ORDER] >= PTX_ORDER_volatile || (p->flags >> PTX_F_mmio & 1)));
}

static bool polls_marked(const ptx_opnd *o, const uint64_t *marks) {
    if (o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR)
        return o->reg >= 0 && marks[o->reg / 64] >> (o->reg % 64) & 1;
    for (unsigned k = 0; o->kind == PTX_OPND_VEC && k < o->count; k++)
        if (polls_marked(&o->elem[k], marks)) return true;
    return false;
}
/* True: it was not marked before. */
static bool polls_mark(const ptx_opnd *o, uint64_t *marks) {
    bool fresh = false;
    if (o->kind == PTX_OPND_REG && o->reg >= 0) {
        fresh = !polls_marked(o, marks);
        marks[o->reg / 64] |= 1ull << (o->reg % 64);
    }
    for (unsigned k = 0; o->kind == PTX_OPND_VEC && k < o->count; k++)
        fresh |= polls_mark(&o->elem[k], marks);
    return fresh;
}

/* What the instruction makes of marked registers is marked. True: something new was. */
static bool polls_follow(const ptx_insn *p, uint64_t *marks) {
    if (!p->nopnds || p->klass == PTX_CLASS_STORE || p->klass == PTX_CLASS_BRANCH) return false;
    unsigned from = p->flags >> PTX_F_PAIR & 1 ? 2 : 1;
    bool on = polls_reads(p) || (p->guard >= 0 && marks[p->guard / 64] >> (p->guard % 64) & 1);
    for (unsigned k = from; k < p->nopnds && !on; k++) on = polls_marked(&p->opnd[k], marks);
    bool fresh = false;
    for (unsigned k = 0; on && k < from && k < p->nopnds; k++)
        fresh |= polls_mark(&p->opnd[k], marks);
    return fresh;
}

/* The innermost loop whose head is that block. `marks` is zeroed. */
static bool polls_loop(const ptx_func *f, const ptx_block *b, int32_t head, uint64_t *marks) {
    bool more = true;
    for (unsigned pass = 0; more && pass < PASSES; pass++) {
        more = false;
        for (size_t k = 0; k < f->block_count; k++)
            for (uint32_t n = b[k].first; b[k].loop_head == head && n <= b[k].last; n++)
                more |= polls_follow(&f->insns[n], marks);
    }
    for (size_t k = 0; k < f->block_count; k++) {
        const ptx_insn *p = &f->insns[b[k].last];
        if (b[k].loop_head == head && p->klass == PTX_CLASS_BRANCH && p->guard >= 0 &&
            (marks[p->guard / 64] >> (p->guard % 64) & 1))
            return true;
    }
    return false;
}

bool ptx_polls(ptx_func *f, ptx_block *b, const volatile int *stop) {
    size_t words = f->reg_count / 64 + 1;
    uint64_t *marks = NULL;
    for (size_t k = 0; k < f->block_count; k++) {
        int32_t head = b[k].loop_head;
        if (!b[k].spin_loop || head < 0 || b[k].polls) continue;
        if (lib_raised(stop)) break;
        if (!marks && !(marks = malloc(words * sizeof *marks))) return false;
        memset(marks, 0, words * sizeof *marks);
        bool polls = polls_loop(f, b, head, marks);
        for (size_t i = 0; polls && i < f->block_count; i++) b[i].polls |= b[i].loop_head == head;
    }
    free(marks);
    return true;
}
