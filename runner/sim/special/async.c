/* Asynchronous copies and mbarriers (PTX ISA 9.7.9.25, 9.7.13.15). A copy is done at once; the
 * groups only count. An mbarrier object is a 64-bit word of shared memory whose inside PTX leaves
 * open; here:
 *
 *   bits  0..19  arrivals still missing
 *   bits 20..39  arrivals a phase expects
 *   bits 40..62  bytes still expected (signed)
 *   bit  63      the phase's parity
 *
 * The state that an arrival returns is the word before it; a phase is over when the parity has
 * changed. */
#include "runner/sim/emit/emit.h"
#include "runner/sim/exec/lanes.h"
#include "runner/sim/machine/fault.h"

#define PENDING(v)  ((uint32_t)(v)&0xfffff)
#define EXPECTED(v) ((uint32_t)((v) >> 20) & 0xfffff)
#define BYTES(v)    ((int32_t)((int64_t)((v) << 1) >> 41))

static uint64_t mbarrier_pack(uint32_t pending, uint32_t expected, int32_t bytes, uint64_t parity) {
    return (pending & 0xfffff) | (uint64_t)(expected & 0xfffff) << 20 |
           ((uint64_t)bytes & 0x7fffff) << 40 | parity << 63;
}
/* The next phase begins when nothing is missing. */
static uint64_t mbarrier_settle(uint64_t v) {
    if (PENDING(v) || BYTES(v)) return v;
    return mbarrier_pack(EXPECTED(v), EXPECTED(v), 0, ~v >> 63);
}

enum { INIT, INVAL, EXPECT_TX, COMPLETE_TX, ARRIVE, DROP, TEST, TEST_PARITY, ASYNC_ARRIVE };
typedef struct {
    uint8_t kind;
    bool expect, no_complete, result;
} bar_info;

/* a: address, b: count, state or bytes, d: result */
static void exec_mbarrier(sim_warp *w, const sim_insn *i) {
    const bar_info *k = i->aux;
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
        memcpy(&v, ptr[l], 8);
        old = v;
        uint32_t b = k->kind == TEST ? 0 : LANES(const uint32_t, i->b)[l];
        switch (k->kind) {
        case INIT: v = mbarrier_pack(b, b, 0, 0); break;
        case INVAL: v = 0; break;
        case EXPECT_TX:
            v = mbarrier_settle(
                mbarrier_pack(PENDING(v), EXPECTED(v), BYTES(v) + (int32_t)b, v >> 63));
            break;
        case COMPLETE_TX:
            v = mbarrier_settle(
                mbarrier_pack(PENDING(v), EXPECTED(v), BYTES(v) - (int32_t)b, v >> 63));
            break;
        case TEST: done |= (uint32_t)((LANES(const uint64_t, i->b)[l] ^ v) >> 63) << l; break;
        case TEST_PARITY: done |= (uint32_t)((v >> 63) != (b & 1)) << l; break;
        default: {
            uint32_t n = k->expect || k->kind == ASYNC_ARRIVE ? 1 : b;
            int32_t bytes = BYTES(v) + (k->expect ? (int32_t)b : 0);
            if (n > PENDING(v)) {
                sim_fail_at(w, i->ptx, 1u << l, SIM_TRAP, SIM_FIND_BARRIER,
                            "arrives at an mbarrier that expects no more arrivals");
                return;
            }
            v = mbarrier_settle(mbarrier_pack(
                PENDING(v) - n, EXPECTED(v) - (k->kind == DROP ? n : 0), bytes, v >> 63));
            break;
        }
        }
        if (k->kind != TEST && k->kind != TEST_PARITY) memcpy(ptr[l], &v, 8);
        if (k->result && k->kind != TEST && k->kind != TEST_PARITY) LANES(uint64_t, i->d)[l] = old;
    }
    if (k->kind == TEST || k->kind == TEST_PARITY) sim_set_pred(w, i->d, done);
    if (got != w->mask) sim_memory_fault(w);
}

/* R[d] := arrivals that the state R[a] still missed */
static void exec_pending(sim_warp *w, const sim_insn *i) {
    const uint64_t *a = LANES(const uint64_t, i->a);
    uint32_t *d = LANES(uint32_t, i->d), m = w->mask;
    EACH_LANE d[l] = LANE_ON(m) ? PENDING(a[l]) : d[l];
}
/* a copy that is done already has nothing to arrive for, unless the program counted it (.noinc) */
static void exec_nothing(sim_warp *w, const sim_insn *i) {
    (void)w, (void)i;
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
    bar_info *k = sim_decode_alloc(d, sizeof *k);
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
            sim_emit(d, exec_nothing, exec_nothing);
            return;
        }
        break;
    default:
        test = dst = true;
        state = !(p->flags >> PTX_F_parity & 1);
        k->kind = state ? TEST : TEST_PARITY;
        break;
    }
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
    s->flags |= SIM_SITE_STRONG | SIM_SITE_ACQUIRE | SIM_SITE_RELEASE;
    sim_site_done(d, s);
    sim_insn *i = sim_emit(d, exec_mbarrier, exec_mbarrier);
    i->d = to, i->a = base, i->b = b;
    i->offset = offset;
    i->site = s;
    i->aux = k;
}

/* ---- cp.async: M[shared a] := imm bytes of M[global b], of which R[c] are read and the rest zero ---- */

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
        ignore = k->ignore == SIM_NO_SLOT ? 0 : PRED(k->ignore);
    uint64_t from[SIM_WARP_LANES];
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
        to[l] = a[l] + k->to_by;
        from[l] = b[l] + k->from_by;
        n[l] = ignore >> l & 1 ? 0 : c[l] < k->bytes ? c[l] : k->bytes;
    }
    if (sim_copy_async(w->access, k->from, k->to, from, to, w->mask, n) != w->mask)
        sim_memory_fault(w);
}

void sim_decode_cp_async(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    uint32_t bytes = (uint32_t)p->opnd[2].imm;
    if (bytes != 4 && bytes != 8 && bytes != 16) {
        sim_decode_fail(d, "cp.async copies 4, 8 or 16 bytes, not %u", bytes);
        return;
    }
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
    bool policy = o && o->kind == PTX_OPND_REG && !pred &&
                  sim_slot_of(d->ptx->reg_type[o->reg]) == SIM_SLOT_64;
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
void sim_decode_cp_async_group(sim_decoder *d) {
    sim_emit(d, exec_nothing, exec_nothing);
}
