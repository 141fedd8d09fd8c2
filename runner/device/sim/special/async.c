/* Asynchronous copies and mbarriers (PTX ISA 9.7.9.25, 9.7.13.15). A copy is done at once. Only the
 * check of races (access/race_bulk.c) looks whether the program has waited for it. An mbarrier
 * object is a 64-bit word of shared memory, whose format PTX leaves open. Here:
 *
 *   bits  0..19  arrivals still missing
 *   bits 20..39  arrivals a phase expects
 *   bits 40..62  bytes still expected (signed)
 *   bit  63      the phase's parity
 *
 * An arrival returns the word before it as the state. A phase is over when the parity has
 * changed. */
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/machine/fault.h"
#include "runner/device/sim/special/async.h"
#include "words/finding.h"
#include <stdio.h>

#define PENDING(v)  ((uint32_t)(v)&0xfffff)
#define EXPECTED(v) ((uint32_t)((v) >> 20) & 0xfffff)
#define BYTES(v)    ((int32_t)((int64_t)((v) << 1) >> 41))
/* Limit of arrivals, and of bytes in either direction (PTX ISA 9.7.13.15.2, "Contents of the
 * mbarrier object"). */
enum { MOST = (1 << 20) - 1 };

static uint64_t mbarrier_pack(uint32_t pending, uint32_t expected, int32_t bytes, uint64_t parity) {
    return (pending & 0xfffff) | (uint64_t)(expected & 0xfffff) << 20 |
           ((uint64_t)bytes & 0x7fffff) << 40 | parity << 63;
}
/* Starts the next phase if nothing is missing. */
static uint64_t mbarrier_settle(uint64_t v) {
    if (PENDING(v) || BYTES(v)) return v;
    return mbarrier_pack(EXPECTED(v), EXPECTED(v), 0, ~v >> 63);
}

enum { INIT, INVAL, EXPECT_TX, COMPLETE_TX, ARRIVE, DROP, TEST, TEST_PARITY, ASYNC_ARRIVE };
typedef struct {
    uint8_t kind;
    bool expect, no_complete, result, acquires, gives_up; /* gives_up: ptx_block.gives_up */
} bar_info;

static bool mbarrier_wrong(sim_warp *w, const sim_insn *i, unsigned l, lib_words why) {
    sim_fail_at(w, i->ptx, 1u << l, SIM_TRAP, SIM_FIND_BARRIER, why);
    return false;
}

/* Makes the barrier expect that many bytes more, or less. */
static bool mbarrier_bytes(sim_warp *w, const sim_insn *i, unsigned l, uint64_t *v, int64_t more) {
    int64_t bytes = BYTES(*v) + more;
    if (bytes > MOST || bytes < -MOST) return mbarrier_wrong(w, i, l, w_finding_mbarrier_bytes());
    *v = mbarrier_settle(mbarrier_pack(PENDING(*v), EXPECTED(*v), (int32_t)bytes, *v >> 63));
    return true;
}

static bool mbarrier_arrive(sim_warp *w, const sim_insn *i, unsigned l, uint64_t *v, uint32_t b) {
    const bar_info *k = i->aux;
    uint32_t n = k->expect || k->kind == ASYNC_ARRIVE ? 1 : b, drop = k->kind == DROP ? n : 0;
    int64_t bytes = BYTES(*v) + (int64_t)(k->expect ? b : 0);
    if (bytes > MOST) return mbarrier_bytes(w, i, l, v, b);
    if (n > PENDING(*v) || drop > EXPECTED(*v))
        return mbarrier_wrong(w, i, l, w_finding_mbarrier_arrival());
    if (k->no_complete && n == PENDING(*v) && !bytes)
        return mbarrier_wrong(w, i, l, w_finding_mbarrier_no_complete());
    *v = mbarrier_settle(
        mbarrier_pack(PENDING(*v) - n, EXPECTED(*v) - drop, (int32_t)bytes, *v >> 63));
    return true;
}

/* Does one lane's operation on the barrier *v. *done: the phase that it asks for is over. */
static bool mbarrier_step(sim_warp *w, const sim_insn *i, unsigned l, uint64_t *v, bool *done) {
    const bar_info *k = i->aux;
    uint64_t state = k->kind == TEST ? LANES(const uint64_t, i->b)[l] : 0;
    uint32_t b = k->kind == TEST ? 0 : LANES(const uint32_t, i->b)[l];
    switch (k->kind) {
    case INIT:
        if (!b || b > MOST) return mbarrier_wrong(w, i, l, w_finding_mbarrier_count());
        *v = mbarrier_pack(b, b, 0, 0);
        return true;
    case INVAL: *v = 0; return true;
    case EXPECT_TX: return mbarrier_bytes(w, i, l, v, b);
    case COMPLETE_TX: return mbarrier_bytes(w, i, l, v, -(int64_t)b);
    case TEST: *done = (state ^ *v) >> 63; return true;
    case TEST_PARITY: *done = *v >> 63 != (b & 1); return true;
    default: return mbarrier_arrive(w, i, l, v, b);
    }
}

/* Waits of the lanes have found phases over: the data copied in these phases have arrived. */
static void mbarriers_seen(sim_warp *w, void *const ptr[SIM_WARP_LANES], uint32_t lanes) {
    const uint8_t *shared = sim_block_shared(w->block->mem);
    while (lanes) {
        const uint8_t *bar = ptr[__builtin_ctz(lanes)];
        uint32_t same = 0;
        for (uint32_t m = lanes; m; m &= m - 1)
            if (ptr[__builtin_ctz(m)] == bar) same |= m & -m;
        uint64_t v;
        memcpy(&v, bar, 8);
        sim_bulk_seen(w->access, same, (uint32_t)(bar - shared), !(v >> 63));
        lanes &= ~same;
    }
}

/* cp.async.mbarrier.arrive: the current phase waits for the lane's copies so far. */
static void track_copies(sim_warp *w, unsigned l, const void *bar, uint64_t v) {
    const uint8_t *shared = sim_block_shared(w->block->mem);
    sim_copy_track(w->access, l, (uint32_t)((const uint8_t *)bar - shared), v >> 63);
}

/* The same for an mbarrier at R[a] for which the program has not counted the arrival (without
 * .noinc): its number of arrivals stays. */
static void exec_track(sim_warp *w, const sim_insn *i) {
    uint8_t *shared = sim_block_shared(w->block->mem);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t x = i->imm ? LANES(const uint64_t, i->a)[l] - SIM_SHARED_WINDOW
                            : LANES(const uint32_t, i->a)[l];
        uint32_t at = sim_own_offset(w, (uint32_t)(x + i->offset));
        uint64_t v;
        if (at % 8 || (uint64_t)at + 8 > w->block->run->shared_bytes) continue;
        memcpy(&v, shared + at, 8);
        track_copies(w, l, shared + at, v);
    }
}

/* Phases end whenever they do, so who ignores the answer of a wait must not be right. Where orders
 * are drawn, one wait in four is told that the phase is not over. A thread that may go on without
 * the answer yes is told so OFTEN in one of 64 waits, and in one wait of a drawn block up to 2^LONG
 * times, longer than copies take: then a fixed number of waits is no order either. (Not a warp
 * whose time is looked at.) */
static bool mbarrier_refuses(sim_warp *w, bool gives_up) {
    enum { OFTEN = 64, SHORT = 10, LONG = 14 };
    sim_block *b = w->block;
    const sim_run_state *r = b->run;
    if (!r->turns) return false;
    if (!w->refusals) {
        uint64_t draw = sim_trace_draw(r->turns + b->linear, ++b->looks, 64);
        w->refusals = 1 + (draw <= 16);
        if (draw == 16 && !w->trace) w->refusals = 1 + OFTEN;
        if (!w->trace && gives_up && !b->waits_long &&
            b->linear == sim_trace_draw(r->turns, 1, r->grid_blocks)) {
            b->waits_long = true;
            w->refusals = 1 + (1u << (SHORT + sim_trace_draw(r->turns, 2, LONG - SHORT + 1)));
        }
    }
    if (!gives_up && w->refusals > 2) w->refusals = 2;
    w->worker->acted = true; /* what comes is no repetition */
    return --w->refusals;
}

/* a: address, b: count, state or bytes, d: result */
static void exec_mbarrier(sim_warp *w, const sim_insn *i) {
    const bar_info *k = i->aux;
    bool test = k->kind == TEST || k->kind == TEST_PARITY;
    void *ptr[SIM_WARP_LANES];
    uint64_t wide[SIM_WARP_LANES];
    uint32_t narrow[SIM_WARP_LANES];
    const void *addr = narrow;
    if (i->site->space == PTX_SPACE_SHARED) {
        const uint32_t *a = LANES(const uint32_t, i->a);
        EACH_LANE narrow[l] = a[l] + (uint32_t)i->offset;
    } else {
        const uint64_t *a = LANES(const uint64_t, i->a);
        EACH_LANE wide[l] = a[l] + i->offset;
        addr = wide;
    }
    uint32_t got = i->site->ptr(w->access, i->site, addr, w->mask, ptr), done = 0;
    for (uint32_t m = got; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t v, old;
        bool over = false;
        memcpy(&v, ptr[l], 8);
        old = v;
        if (k->kind == ASYNC_ARRIVE) track_copies(w, l, ptr[l], v);
        if (!mbarrier_step(w, i, l, &v, &over)) return;
        done |= (uint32_t)over << l;
        if (test) continue;
        memcpy(ptr[l], &v, 8);
        if (k->result) LANES(uint64_t, i->d)[l] = old;
    }
    if (done && mbarrier_refuses(w, k->gives_up)) done = 0;
    if (test) sim_set_pred(w, i->d, done);
    w->worker->mbarrier_waits += done != 0;
    if (done && k->acquires) sim_fence(w->access, done, false);
    if (done && sim_bulk_any_flight(w->access)) mbarriers_seen(w, ptr, done);
    if (got != w->mask) sim_memory_fault(w);
}

/* R[d] := arrivals missing in the state R[a] */
static void exec_pending(sim_warp *w, const sim_insn *i) {
    const uint64_t *a = LANES(const uint64_t, i->a);
    uint32_t *d = LANES(uint32_t, i->d), m = w->mask;
    EACH_LANE d[l] = LANE_ON(m) ? PENDING(a[l]) : d[l];
}

/* Arrivals release; a wait that has found its phase over acquires, unless .relaxed. The others
 * order nothing (PTX ISA 9.7.13.15.9 and following). */
static void mbarrier_orders(const ptx_insn *p, bar_info *k, sim_site *s) {
    bool relaxed = p->field[PTX_FIELD_ORDER] == PTX_ORDER_relaxed;
    bool arrives = k->kind == ARRIVE || k->kind == DROP || k->kind == ASYNC_ARRIVE;
    s->flags &= (uint16_t) ~(SIM_SITE_ACQUIRE | SIM_SITE_RELEASE);
    /* initialising is not an access that orders */
    if (k->kind != INIT) s->flags |= SIM_SITE_STRONG;
    s->flags |= SIM_SITE_MBARRIER;
    if (arrives && !relaxed) s->flags |= SIM_SITE_RELEASE;
    k->acquires = !relaxed;
}

/* Returns whether the PTX ISA gives the architecture this instruction: barriers came with sm_80,
 * bytes and waits that sleep with sm_90. */
static bool mbarrier_allowed(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    unsigned least = p->op == PTX_OP_mbarrier_expect_tx || p->op == PTX_OP_mbarrier_complete_tx ||
                             p->op == PTX_OP_mbarrier_arrive_expect_tx ||
                             p->op == PTX_OP_mbarrier_arrive_drop_expect_tx ||
                             p->op == PTX_OP_mbarrier_try_wait
                         ? 90
                         : 80;
    if (d->image->module->target < least)
        sim_decode_fail(d, "%s needs .target sm_%u or higher", ptx_op_get(p->op)->mnemonic, least);
    return !d->failed;
}

void sim_decode_mbarrier(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    if (p->op == PTX_OP_mbarrier_pending_count) {
        sim_opnd a = sim_source(d, &p->opnd[1], SIM_SLOT_64, PTX_B64),
                 to = sim_destination(d, &p->opnd[0], SIM_SLOT_32, PTX_U32);
        sim_insn *i = sim_emit(d, exec_pending, exec_pending);
        i->d = to, i->a = a;
        return;
    }
    bar_info *k = mbarrier_allowed(d) ? sim_decode_alloc(d, sizeof *k) : NULL;
    if (!k) return;
    bool test = false, dst = false, state = false;
    switch (p->op) {
    case PTX_OP_mbarrier_init: k->kind = INIT; break;
    case PTX_OP_mbarrier_inval: k->kind = INVAL; break;
    case PTX_OP_mbarrier_expect_tx: k->kind = EXPECT_TX; break;
    case PTX_OP_mbarrier_complete_tx: k->kind = COMPLETE_TX; break;
    case PTX_OP_mbarrier_arrive_expect_tx: k->expect = true; /* fall through */
    case PTX_OP_mbarrier_arrive: k->kind = ARRIVE, dst = true; break;
    case PTX_OP_mbarrier_arrive_drop_expect_tx: k->expect = true; /* fall through */
    case PTX_OP_mbarrier_arrive_drop: k->kind = DROP, dst = true; break;
    case PTX_OP_cp_async_mbarrier_arrive:
        k->kind = ASYNC_ARRIVE;
        if (!(p->flags >> PTX_F_noinc & 1)) {
            sim_opnd at;
            uint64_t by;
            sim_address(d, &p->opnd[0], p->space, &at, &by);
            sim_insn *i = sim_emit(d, exec_track, exec_track);
            i->a = at, i->offset = by;
            i->imm = p->space != PTX_SPACE_SHARED;
            return;
        }
        break;
    default:
        test = dst = true;
        state = !(p->flags >> PTX_F_parity & 1);
        k->gives_up = d->ptx->blocks[d->ptx->block_of[p - d->ptx->insns]].gives_up;
        k->kind = state ? TEST : TEST_PARITY;
        break;
    }
    k->no_complete = p->flags >> PTX_F_noComplete & 1;
    unsigned at = dst;
    uint64_t offset;
    sim_opnd base;
    sim_address(d, &p->opnd[at], p->space, &base, &offset);
    sim_opnd b = state                ? sim_source(d, &p->opnd[at + 1], SIM_SLOT_64, PTX_B64)
                 : at + 1 < p->nopnds ? sim_source(d, &p->opnd[at + 1], SIM_SLOT_32, PTX_U32)
                                      : sim_const(d, SIM_SLOT_32, 1);
    k->result = dst && !test && p->opnd[0].kind == PTX_OPND_REG;
    sim_opnd to = !dst || (!test && !k->result)
                      ? d->sink
                      : sim_destination(d, &p->opnd[0], test ? SIM_SLOT_PRED : SIM_SLOT_64,
                                        test ? PTX_PRED : PTX_B64);
    sim_site *s =
        sim_site_add(d, p->space, k->kind == INIT ? SIM_ACCESS_STORE : SIM_ACCESS_ATOM, 8, 1, 8);
    if (!s) return;
    mbarrier_orders(p, k, s);
    sim_site_done(d, s);
    sim_insn *i = sim_emit(d, exec_mbarrier, exec_mbarrier);
    i->d = to, i->a = base, i->b = b;
    i->offset = offset;
    i->site = s;
    i->aux = k;
}

/* ---- transactions that other instructions complete ---- */

const sim_site *sim_mbarrier_site(sim_decoder *d) {
    sim_site *s = sim_site_add(d, PTX_SPACE_SHARED, SIM_ACCESS_ATOM, 8, 1, 8);
    if (!s) return NULL;
    s->flags &= (uint16_t) ~(SIM_SITE_ACQUIRE | SIM_SITE_RELEASE);
    s->flags |= SIM_SITE_STRONG;
    if (d->insn->space == PTX_SPACE_GENERIC) s->flags |= SIM_SITE_CLUSTER;
    sim_site_done(d, s);
    return s;
}

bool sim_mbarrier_complete(sim_warp *w, const sim_insn *i, const sim_site *s, unsigned lane,
                           uint32_t at, uint32_t bytes) {
    uint32_t addr[SIM_WARP_LANES];
    void *ptr[SIM_WARP_LANES];
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) addr[l] = at;
    if (!s->ptr(w->access, s, addr, 1u << lane, ptr)) {
        sim_memory_fault(w);
        return false;
    }
    uint64_t v;
    memcpy(&v, ptr[lane], 8);
    if (!mbarrier_bytes(w, i, lane, &v, -(int64_t)bytes)) return false;
    memcpy(ptr[lane], &v, 8);
    return true;
}

bool sim_mbarrier_parity(const sim_warp *w, uint32_t at) {
    uint64_t v;
    at = sim_own_offset(w, at);
    if (at % 8 || (uint64_t)at + 8 > w->block->run->shared_bytes) return false;
    memcpy(&v, (const uint8_t *)sim_block_shared(w->block->mem) + at, 8);
    return v >> 63;
}

/* Returns the wait that the fragment has just done, or is about to do. */
static const sim_insn *mbarrier_wait_of(const sim_frag *f) {
    const sim_func *fn = f->frame->func;
    const sim_seg *here = &fn->segs[f->seg];
    for (uint32_t k = 0; k < fn->seg_count; k++) {
        const sim_seg *s = &fn->segs[k];
        if (s->end == SIM_END_POLL && (s->next == f->seg || k == f->seg))
            return &fn->insns[s->first + s->count];
    }
    for (uint32_t n = here->first; n < here->first + here->count; n++)
        if (fn->insns[n].ptx && fn->insns[n].ptx->op == PTX_OP_mbarrier_test_wait &&
            fn->insns[n].aux)
            return &fn->insns[n];
    return NULL;
}

const ptx_insn *sim_mbarrier_missing(const sim_warp *w, const sim_frag *f, unsigned *arrivals,
                                     int *bytes) {
    const sim_insn *i = mbarrier_wait_of(f);
    if (!i) return NULL;
    unsigned l = (unsigned)__builtin_ctz(f->mask), base = i->a & 3;
    const uint8_t *slot = (base == SIM_BASE_REGS ? f->frame->regs : w->base[base]) + (i->a >> 2);
    uint64_t at = 0, v = 0;
    if (i->site->space == PTX_SPACE_SHARED)
        at = (uint32_t)(((const uint32_t *)(const void *)slot)[l] + i->offset);
    else at = ((const uint64_t *)(const void *)slot)[l] + i->offset - SIM_SHARED_WINDOW;
    if (at <= UINT32_MAX) at = sim_own_offset(w, (uint32_t)at);
    if (at + 8 <= w->block->run->shared_bytes)
        memcpy(&v, (const uint8_t *)sim_block_shared(w->block->mem) + at, 8);
    *arrivals = PENDING(v);
    *bytes = BYTES(v);
    return i->ptx;
}

/* ---- cp.async: M[shared a] := imm bytes of M[global b]; R[c] of them are read, the rest is zero
 * ---- */

typedef struct {
    const sim_site *from, *to;
    uint64_t from_by;
    uint32_t to_by, bytes;
    sim_opnd ignore; /* P: read nothing; SIM_NO_SLOT */
} copy_info;

static void exec_cp_async(sim_warp *w, const sim_insn *i) {
    const copy_info *k = i->aux;
    const uint32_t *a = LANES(const uint32_t, i->a), *c = LANES(const uint32_t, i->c);
    const uint64_t *b = LANES(const uint64_t, i->b);
    uint32_t to[SIM_WARP_LANES], n[SIM_WARP_LANES],
        over = 0, ignore = k->ignore == SIM_NO_SLOT ? 0 : PRED(k->ignore);
    uint64_t from[SIM_WARP_LANES];
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
        to[l] = a[l] + k->to_by;
        from[l] = b[l] + k->from_by;
        n[l] = ignore >> l & 1 ? 0 : c[l];
        over |= (uint32_t)(n[l] > k->bytes) << l;
    }
    if (over & w->mask) { /* undefined in PTX; an H200 reads at most as much as it copies */
        unsigned l = (unsigned)__builtin_ctz(over & w->mask);
        sim_fail_at(w, i->ptx, 1u << l, SIM_TRAP, SIM_FIND_TRAP,
                    w_finding_cp_async_size(n[l], k->bytes));
        return;
    }
    if (sim_copy_async(w->access, k->from, k->to, from, to, w->mask, n) != w->mask)
        sim_memory_fault(w);
}

void sim_decode_cp_async(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    uint32_t bytes = (uint32_t)p->opnd[2].imm; /* 4, 8 or 16 */
    copy_info *k = sim_decode_alloc(d, sizeof *k);
    if (!k) return;
    uint64_t to_by;
    sim_opnd to, from;
    sim_address(d, &p->opnd[0], PTX_SPACE_SHARED, &to, &to_by);
    sim_address(d, &p->opnd[1], PTX_SPACE_GLOBAL, &from, &k->from_by);
    k->to_by = (uint32_t)to_by;
    k->bytes = bytes;
    k->ignore = SIM_NO_SLOT;
    const ptx_opnd *o = p->nopnds > 3 ? &p->opnd[3] : NULL;
    bool pred = o && o->kind == PTX_OPND_REG && d->ptx->reg_type[o->reg] == PTX_PRED;
    bool policy = p->nopnds == 4 && p->flags >> PTX_F_L2_cache_hint & 1; /* the last, if any */
    if (pred) k->ignore = sim_source(d, o, SIM_SLOT_PRED, PTX_PRED);
    sim_opnd n = o && !pred && !policy ? sim_source(d, o, SIM_SLOT_32, PTX_U32)
                                       : sim_const(d, SIM_SLOT_32, bytes);
    unsigned elem = bytes == 4 ? 4 : 8, vec = bytes / elem;
    sim_site *g = sim_site_add(d, PTX_SPACE_GLOBAL, SIM_ACCESS_LOAD, elem, vec, elem);
    sim_site *s = sim_site_add(d, PTX_SPACE_SHARED, SIM_ACCESS_STORE, elem, vec, elem);
    if (!g || !s) return;
    sim_site_done(d, g);
    sim_site_done(d, s);
    k->from = g;
    k->to = s;
    sim_insn *i = sim_emit(d, exec_cp_async, exec_cp_async);
    i->a = to, i->b = from, i->c = n;
    i->site = g;
    i->aux = k;
}
/* imm: all groups are over except the newest imm; UINT32_MAX: waits for none */
static void exec_cp_async_group(sim_warp *w, const sim_insn *i) {
    if (i->c) sim_copy_commit(w->access, w->mask);
    if (i->imm != UINT32_MAX) sim_copy_wait(w->access, w->mask, i->imm);
}
void sim_decode_cp_async_group(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    bool group = p->op == PTX_OP_cp_async_wait_group;
    sim_insn *i = sim_emit(d, exec_cp_async_group, exec_cp_async_group);
    i->c = !group; /* it closes the open group */
    i->imm = group ? (uint32_t)p->opnd[0].imm : p->op == PTX_OP_cp_async_wait_all ? 0 : UINT32_MAX;
}
