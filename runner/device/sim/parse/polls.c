/* Finds loops that wait for a store of another thread: they branch on what a volatile, relaxed or
 * acquire load, or an atomic, in them has read. Also finds loops that only wait for a clock
 * (ptx_block.waits).
 *
 *   the loop's blocks --values from memory and all that is computed from them, a bit a register-->
 *     is a branch's guard among them? --> ptx_block.polls
 *     does a round leave more than counters to the next? --> ptx_block.carries
 *     which rounds do no more than look? --> ptx_block.looks, ptx_block.again */
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/parse/finish.h"
#include "runner/base/cancel.h"

/* How often values are followed around a loop. Chains that return more often are rare. */
enum { PASSES = 4 };

static bool polls_reads(const ptx_insn *p) {
    return p->klass == PTX_CLASS_ATOM ||
           (p->klass == PTX_CLASS_LOAD &&
            (p->field[PTX_FIELD_ORDER] >= PTX_ORDER_volatile || (p->flags >> PTX_F_mmio & 1)));
}

static bool polls_reads_clock(const ptx_insn *p) {
    for (unsigned k = 0; k < p->nopnds; k++) {
        if (p->opnd[k].kind != PTX_OPND_SREG) continue;
        switch (p->opnd[k].sreg) {
        case PTX_SREG_clock:
        case PTX_SREG_clock_hi:
        case PTX_SREG_clock64:
        case PTX_SREG_globaltimer:
        case PTX_SREG_globaltimer_lo:
        case PTX_SREG_globaltimer_hi: return true;
        default: break;
        }
    }
    return false;
}

static bool polls_marked(const ptx_opnd *o, const uint64_t *marks) {
    if (o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR)
        return o->reg >= 0 && marks[o->reg / 64] >> (o->reg % 64) & 1;
    for (unsigned k = 0; o->kind == PTX_OPND_VEC && k < o->count; k++)
        if (polls_marked(&o->elem[k], marks)) return true;
    return false;
}
/* Returns true if it was not marked before. */
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

/* Whether an instruction gives a value for which a loop may wait. */
typedef bool polls_source(const ptx_insn *p);

/* Marks what the instruction computes from marked registers. Returns true if something new was
 * marked. */
static bool polls_follow(const ptx_insn *p, uint64_t *marks, polls_source *source) {
    if (!p->nopnds || p->klass == PTX_CLASS_STORE || p->klass == PTX_CLASS_BRANCH) return false;
    unsigned from = p->flags >> PTX_F_PAIR & 1 ? 2 : 1;
    bool on = source(p) || (p->guard >= 0 && marks[p->guard / 64] >> (p->guard % 64) & 1);
    for (unsigned k = from; k < p->nopnds && !on; k++) on = polls_marked(&p->opnd[k], marks);
    bool fresh = false;
    for (unsigned k = 0; on && k < from && k < p->nopnds; k++)
        fresh |= polls_mark(&p->opnd[k], marks);
    return fresh;
}

/* ---- values that a round leaves to the next one ---- */

/* Larger loops count as loops that compute something, so that a long text does not take long. */
enum { LOOP_INSNS = 2048, LOOP_BLOCKS = 256 };

/* The blocks from a loop's head to its last block, consecutive in the order, with inner loops. */
typedef struct {
    const ptx_func *f;
    const ptx_block *b;
    uint32_t head;
    uint32_t at[LOOP_BLOCKS];
    unsigned count;
} polls_body;

static bool polls_body_of(polls_body *x) {
    uint32_t from = x->b[x->head].order, to = from, insns = 0;
    for (size_t k = 0; k < x->f->block_count; k++)
        if (x->b[k].loop_head == (int32_t)x->head && x->b[k].order > to) to = x->b[k].order;
    for (size_t k = 0; k < x->f->block_count; k++) {
        if (x->b[k].order < from || x->b[k].order > to) continue;
        if (x->count == LOOP_BLOCKS) return false;
        x->at[x->count++] = (uint32_t)k;
        insns += x->b[k].last - x->b[k].first + 1;
    }
    return insns <= LOOP_INSNS;
}

/* The same for a block that branches to itself, whatever loops are around it. */
static bool polls_body_alone(polls_body *x) {
    x->at[x->count++] = x->head;
    return x->b[x->head].last - x->b[x->head].first < LOOP_INSNS;
}

static bool polls_names(const ptx_opnd *o, int32_t reg) {
    if (o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) return o->reg == reg;
    for (unsigned k = 0; o->kind == PTX_OPND_VEC && k < o->count; k++)
        if (polls_names(&o->elem[k], reg)) return true;
    return false;
}
static bool polls_is_result(const ptx_insn *p, unsigned k) {
    bool one = ptx_op_writes(p->op) && p->opnd[k].kind != PTX_OPND_ADDR;
    return one && (k == 0 || (k == 1 && p->flags >> PTX_F_PAIR & 1));
}
static bool polls_uses(const ptx_insn *p, int32_t reg, bool result) {
    if (!result && p->guard == reg) return true;
    for (unsigned k = 0; k < p->nopnds; k++)
        if (polls_is_result(p, k) == result && polls_names(&p->opnd[k], reg)) return true;
    return false;
}

/* Finds the loop's instruction that writes the register, from *n of block *k on. */
static const ptx_insn *polls_writer(const polls_body *x, int32_t reg, unsigned *k, uint32_t *n) {
    for (; *k < x->count; *n = 0, ++*k)
        for (const ptx_block *b = &x->b[x->at[*k]]; b->first + *n <= b->last; ++*n)
            if (polls_uses(&x->f->insns[b->first + *n], reg, true))
                return &x->f->insns[b->first + (*n)++];
    return NULL;
}
static bool polls_written(const polls_body *x, int32_t reg) {
    unsigned k = 0;
    uint32_t n = 0;
    return polls_writer(x, reg, &k, &n);
}

/* Returns whether some path from the head reads the register before it is written. */
static bool polls_is_old(const polls_body *x, int32_t reg) {
    uint32_t way[LOOP_BLOCKS];
    bool seen[LOOP_BLOCKS] = {false};
    unsigned n = 0;
    way[n++] = x->head;
    while (n) {
        const ptx_block *b = &x->b[way[--n]];
        bool written = false;
        for (uint32_t k = b->first; k <= b->last && !written; k++) {
            if (polls_uses(&x->f->insns[k], reg, false)) return true;
            written = x->f->insns[k].guard < 0 && polls_uses(&x->f->insns[k], reg, true);
        }
        for (unsigned k = 0; k < x->count && !written; k++) {
            bool next = b->succ[0] == (int32_t)x->at[k] || b->succ[1] == (int32_t)x->at[k];
            for (uint32_t t = 0; t < b->target_count; t++) next |= b->targets[t] == x->at[k];
            if (!next || seen[k] || x->at[k] == x->head) continue;
            seen[k] = true;
            way[n++] = x->at[k];
        }
    }
    return false;
}

static bool polls_counts(const polls_body *x, int32_t value, int32_t of, unsigned depth);

/* Returns whether at most one of the operands from `from` on comes from the counter. The sum of a
 * counter with itself counts as a computation. */
static bool polls_steps(const polls_body *x, const ptx_insn *p, unsigned from, unsigned to,
                        unsigned most, int32_t of, unsigned depth) {
    unsigned own = 0;
    for (unsigned s = from; s < to; s++) {
        const ptx_opnd *o = &p->opnd[s];
        if (o->kind == PTX_OPND_IMM) continue;
        if (o->kind != PTX_OPND_REG) return false;
        if (o->reg != of && !polls_written(x, o->reg)) continue;
        if (++own > most) return false;
        if (o->reg != of && (!depth || !polls_counts(x, o->reg, of, depth - 1))) return false;
    }
    return true;
}

/* Returns whether it is a counter, or a growing pause: its step stays the same, its limit, if any,
 * too, and nothing else that the loop computes decides whether it steps. */
static bool polls_counts(const polls_body *x, int32_t value, int32_t of, unsigned depth) {
    unsigned k = 0;
    uint32_t n = 0;
    for (const ptx_insn *p; (p = polls_writer(x, value, &k, &n));) {
        bool chooses = p->op == PTX_OP_selp, moves = p->op == PTX_OP_mov || chooses,
             compares = p->op == PTX_OP_setp && p->nopnds == 3,
             adds = p->op == PTX_OP_add || p->op == PTX_OP_sub || p->op == PTX_OP_shl ||
                    p->op == PTX_OP_min || p->op == PTX_OP_max;
        bool whole = compares || p->klass == PTX_CLASS_INT || p->klass == PTX_CLASS_SHIFT;
        if (!(moves || ((adds || compares) && whole)) || p->opnd[0].kind != PTX_OPND_REG ||
            p->opnd[0].reg != value)
            return false;
        if (p->guard >= 0 && polls_written(x, p->guard) &&
            (!depth || !polls_counts(x, p->guard, of, depth - 1)))
            return false;
        if (!polls_steps(x, p, 1, chooses ? 3 : p->nopnds, chooses ? 2 : 1, of, depth) ||
            (chooses && !polls_steps(x, p, 3, p->nopnds, 1, of, depth)))
            return false;
    }
    return true;
}

/* Returns whether a round of the loop depends on what the previous one computed. counters: these
 * are left out. alone: the loop is its head alone, which branches to itself. */
static bool polls_carries(const ptx_func *f, const ptx_block *b, int32_t head, uint64_t *done,
                          size_t words, bool counters, bool alone) {
    enum { DEPTH = 3 };
    polls_body x = {.f = f, .b = b, .head = (uint32_t)head};
    if (!(alone ? polls_body_alone(&x) : polls_body_of(&x))) return true;
    memset(done, 0, words * sizeof *done);
    for (unsigned k = 0; k < x.count; k++)
        for (uint32_t n = b[x.at[k]].first; n <= b[x.at[k]].last; n++) {
            const ptx_insn *p = &f->insns[n];
            for (unsigned o = 0; o < p->nopnds; o++) {
                if (!polls_is_result(p, o)) continue;
                const ptx_opnd *to = &p->opnd[o];
                const ptx_opnd *each = to->kind == PTX_OPND_VEC ? to->elem : to;
                for (unsigned e = 0; e < (to->kind == PTX_OPND_VEC ? to->count : 1u); e++)
                    if (each[e].kind == PTX_OPND_REG && polls_mark(&each[e], done) &&
                        polls_is_old(&x, each[e].reg) &&
                        !(counters && polls_counts(&x, each[e].reg, each[e].reg, DEPTH)))
                        return true;
            }
        }
    return false;
}

/* Returns whether a branch of the innermost loop whose head is that block (alone: of this block
 * alone) depends on what the sources gave. `marks` is zeroed. */
static bool polls_loop(const ptx_func *f, const ptx_block *b, int32_t head, bool alone,
                       uint64_t *marks, polls_source *source) {
    size_t from = alone ? (size_t)head : 0, end = alone ? from + 1 : f->block_count;
    bool more = true;
    for (unsigned pass = 0; more && pass < PASSES; pass++) {
        more = false;
        for (size_t k = from; k < end; k++)
            for (uint32_t n = b[k].first; (alone || b[k].loop_head == head) && n <= b[k].last; n++)
                more |= polls_follow(&f->insns[n], marks, source);
    }
    for (size_t k = from; k < end; k++) {
        const ptx_insn *p = &f->insns[b[k].last];
        if ((alone || b[k].loop_head == head) && p->klass == PTX_CLASS_BRANCH && p->guard >= 0 &&
            (marks[p->guard / 64] >> (p->guard % 64) & 1))
            return true;
    }
    return false;
}

/* Returns whether others can see nothing of the loop, and the loop only pauses its thread. *asks:
 * it looks at what others do. */
static bool polls_idle(const ptx_func *f, const ptx_block *b, int32_t head, bool *asks) {
    *asks = false;
    polls_body x = {.f = f, .b = b, .head = (uint32_t)head};
    if (!polls_body_of(&x)) return false;
    for (unsigned k = 0; k < x.count; k++)
        for (uint32_t n = b[x.at[k]].first; n <= b[x.at[k]].last; n++) {
            const ptx_insn *p = &f->insns[n];
            bool plain = p->klass >= PTX_CLASS_INT && p->klass <= PTX_CLASS_BRANCH;
            bool ask = ptx_op_is(p->op, PTX_IS_POLLS);
            *asks |= ask;
            if (!plain && !ask && p->op != PTX_OP_nanosleep) return false;
        }
    return true;
}

/* ---- where waits begin ---- */

/* A round of more blocks counts as one that does more than look. */
enum { ROUND_BLOCKS = 32 };

/* Returns whether a round that comes by this block may leave something to other threads there. An
 * atomic of the head is what the loop looks with. */
static bool polls_acts(const ptx_func *f, const ptx_block *b, bool head) {
    for (uint32_t n = b->first; n <= b->last; n++) {
        const ptx_insn *p = &f->insns[n];
        bool plain = p->klass >= PTX_CLASS_INT && p->klass <= PTX_CLASS_BRANCH;
        bool looks = p->klass == PTX_CLASS_LOAD || p->klass == PTX_CLASS_FENCE ||
                     p->klass == PTX_CLASS_SHUFFLE || ptx_op_is(p->op, PTX_IS_POLLS) ||
                     p->op == PTX_OP_nanosleep || (head && p->klass == PTX_CLASS_ATOM);
        if (!plain && !looks) return true;
    }
    return false;
}

/* Returns whether every way from the head to the loop's block number `last` only looks. */
static bool polls_looks_only(const polls_body *x, unsigned last) {
    unsigned way[ROUND_BLOCKS], n = 0;
    bool seen[ROUND_BLOCKS] = {false};
    seen[last] = true;
    way[n++] = last;
    while (n) {
        uint32_t at = x->at[way[--n]];
        if (polls_acts(x->f, &x->b[at], at == x->head)) return false;
        for (unsigned k = 0; k < x->count && at != x->head; k++) {
            const ptx_block *from = &x->b[x->at[k]];
            bool leads = from->succ[0] == (int32_t)at || from->succ[1] == (int32_t)at;
            for (uint32_t t = 0; t < from->target_count; t++) leads |= from->targets[t] == at;
            if (!leads || seen[k]) continue;
            seen[k] = true;
            way[n++] = k;
        }
    }
    return true;
}

/* Returns whether the loop reads by compare-and-swap alone, and a round needs what the one before
 * has read: it updates a word. */
static bool polls_updates(const ptx_func *f, const ptx_block *b, int32_t head) {
    for (size_t k = 0; k < f->block_count; k++)
        for (uint32_t n = b[k].first; b[k].loop_head == head && n <= b[k].last; n++)
            if (polls_reads(&f->insns[n]) && f->insns[n].field[PTX_FIELD_ATOM] != PTX_ATOM_cas)
                return false;
    return b[head].carries;
}

static void polls_waits(const ptx_func *f, ptx_block *b, int32_t head) {
    polls_body x = {.f = f, .b = b, .head = (uint32_t)head};
    if (polls_updates(f, b, head)) return;
    b[head].looks = true;
    if (!polls_body_of(&x) || x.count > ROUND_BLOCKS) return;
    for (unsigned k = 0; k < x.count; k++)
        b[x.at[k]].again = b[x.at[k]].succ[0] == head && polls_looks_only(&x, k);
}

static bool polls_has_clock(const ptx_func *f) {
    for (size_t k = 0; k < f->insn_count; k++)
        if (polls_reads_clock(&f->insns[k])) return true;
    return false;
}

/* Sets ptx_block.waits. `marks` has room for 2 * words. */
static void polls_clocks(const ptx_func *f, ptx_block *b, uint64_t *marks, size_t words,
                         const volatile int *stop) {
    for (size_t k = 0; k < f->block_count && !lib_raised(stop); k++) {
        int32_t head = b[k].loop_head;
        bool asks;
        if (!b[k].back_edge || head < 0 || b[k].waits || !polls_idle(f, b, head, &asks)) continue;
        memset(marks, 0, words * sizeof *marks);
        if (!polls_loop(f, b, head, false, marks, polls_reads_clock) ||
            polls_carries(f, b, head, marks + words, words, false, false))
            continue;
        for (size_t i = 0; i < f->block_count; i++) {
            b[i].waits |= b[i].loop_head == head;
            b[i].asks |= asks && b[i].loop_head == head;
        }
    }
}

static bool polls_looks(const ptx_func *f, const ptx_block *b) {
    for (uint32_t n = b->first; n <= b->last; n++)
        if (f->insns[n].op == PTX_OP_mbarrier_test_wait ||
            f->insns[n].op == PTX_OP_mbarrier_try_wait)
            return true;
    return false;
}

bool ptx_polls(ptx_func *f, ptx_block *b, const volatile int *stop) {
    size_t words = f->reg_count / 64 + 1;
    uint64_t *marks = NULL;
    for (size_t k = 0; k < f->block_count; k++) {
        int32_t head = b[k].loop_head;
        if (!b[k].spin_loop || head < 0 || b[k].polls) continue;
        if (lib_raised(stop)) break;
        if (!marks && !(marks = malloc(2 * words * sizeof *marks))) return false;
        memset(marks, 0, words * sizeof *marks);
        bool polls = polls_loop(f, b, head, false, marks, polls_reads);
        bool carries = polls && polls_carries(f, b, head, marks + words, words, true, false);
        for (size_t i = 0; polls && i < f->block_count; i++) {
            b[i].polls |= b[i].loop_head == head;
            b[i].carries |= carries && b[i].loop_head == head;
        }
    }
    /* A wait at the head of a loop has the loop's head: it is looked at alone. */
    for (size_t k = 0; marks && k < f->block_count && !lib_raised(stop); k++) {
        int32_t head = (int32_t)k;
        if (!b[k].carries || (b[k].succ[0] != head && b[k].succ[1] != head)) continue;
        memset(marks, 0, words * sizeof *marks);
        b[k].carries = !polls_loop(f, b, head, true, marks, polls_reads) ||
                       polls_carries(f, b, head, marks + words, words, true, true);
    }
    for (size_t k = 0; marks && k < f->block_count && !lib_raised(stop); k++)
        if (b[k].polls && b[k].loop_head == (int32_t)k) polls_waits(f, b, (int32_t)k);
    for (size_t k = 0; k < f->block_count && !lib_raised(stop); k++) {
        if (!polls_looks(f, &b[k])) continue;
        if (!marks && !(marks = malloc(2 * words * sizeof *marks))) return false;
        b[k].gives_up = b[k].loop_head < 0 ||
                        polls_carries(f, b, b[k].loop_head, marks + words, words, false, false);
    }
    bool clock = polls_has_clock(f);
    if (clock && !marks && !(marks = malloc(2 * words * sizeof *marks))) return false;
    if (clock) polls_clocks(f, b, marks, words, stop);
    free(marks);
    return true;
}
