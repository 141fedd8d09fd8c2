/* Instructions among the lanes of a warp (shuffles, votes, matches, reductions, elect) and block
 * barriers: decoding and handlers. Those with a mask end a segment: warp.c calls the handler when
 * every lane of the mask (operand e) has arrived; w->mask is then those lanes. Reading a lane that
 * is not active gives the contents of its register: PTX leaves the value open (exec/stray.h reports
 * it). */
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/exec/lanes.h"

/* ---- shuffle: R[d] := R[a] of the lane that R[b], R[c] and the mode (imm) select; P[offset] :=
 * that lane is in range ---- */

static void exec_shfl(sim_warp *w, const sim_insn *i) {
    const uint32_t *a = LANES(const uint32_t, i->a), *b = LANES(const uint32_t, i->b),
                   *c = LANES(const uint32_t, i->c);
    uint32_t *d = LANES(uint32_t, i->d), m = w->mask,
             r[SIM_WARP_LANES] __attribute__((aligned(64))), ok[SIM_WARP_LANES];
    for (uint32_t l = 0; l < SIM_WARP_LANES; l++) {
        uint32_t in, j = sim_shfl_from(i->imm, l, b[l], c[l], &in);
        ok[l] = in;
        r[l] = in ? a[j] : a[l];
    }
    EACH_LANE d[l] = LANE_ON(m) ? r[l] : d[l];
    if (i->offset != SIM_NO_SLOT) {
        uint32_t bits = 0;
        for (unsigned l = 0; l < SIM_WARP_LANES; l++) bits |= (ok[l] & 1) << l;
        sim_set_pred(w, (sim_opnd)i->offset, bits);
    }
}

static sim_opnd all_lanes(sim_decoder *d) {
    return sim_const(d, SIM_SLOT_32, SIM_ALL_LANES);
}

void sim_decode_shfl(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    bool pair = p->flags >> PTX_F_PAIR & 1, sync = p->flags >> PTX_F_sync & 1;
    unsigned at = pair ? 2 : 1;
    sim_opnd s[4];
    for (unsigned k = 0; k < 3; k++) s[k] = sim_source(d, &p->opnd[at + k], SIM_SLOT_32, PTX_B32);
    s[3] = sync ? sim_source(d, &p->opnd[at + 3], SIM_SLOT_32, PTX_B32) : all_lanes(d);
    sim_opnd to = sim_destination(d, &p->opnd[0], SIM_SLOT_32, PTX_B32);
    sim_opnd ok = pair ? sim_destination(d, &p->opnd[1], SIM_SLOT_PRED, PTX_PRED) : SIM_NO_SLOT;
    sim_insn *i = sim_emit(d, exec_shfl, exec_shfl);
    i->d = to, i->a = s[0], i->b = s[1], i->c = s[2], i->e = s[3];
    i->imm = p->field[PTX_FIELD_SHFL];
    i->offset = ok;
    i->slots = SIM_SLOTS(SIM_SLOT_32, SIM_SLOT_32, SIM_SLOT_32, SIM_SLOT_32) |
               (pair ? SIM_SLOT_PRED << 16 : 0);
}

/* ---- vote: over P[a] of the active lanes ---- */

static void exec_vote(sim_warp *w, const sim_insn *i) {
    uint32_t m = w->mask, yes = PRED(i->a) & m;
    bool r = i->imm == PTX_VOTE_all   ? yes == m
             : i->imm == PTX_VOTE_any ? yes != 0
                                      : yes == m || yes == 0;
    sim_set_pred(w, i->d, r ? SIM_ALL_LANES : 0);
}
static void exec_ballot(sim_warp *w, const sim_insn *i) {
    uint32_t m = w->mask, yes = PRED(i->a) & m, *d = LANES(uint32_t, i->d);
    EACH_LANE d[l] = LANE_ON(m) ? yes : d[l];
}
void sim_decode_vote(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    bool ballot = p->field[PTX_FIELD_VOTE] == PTX_VOTE_ballot;
    sim_opnd a = sim_source(d, &p->opnd[1], SIM_SLOT_PRED, PTX_PRED);
    sim_opnd mask = p->flags >> PTX_F_sync & 1 ? sim_source(d, &p->opnd[2], SIM_SLOT_32, PTX_B32)
                                               : all_lanes(d);
    sim_opnd to = sim_destination(d, &p->opnd[0], ballot ? SIM_SLOT_32 : SIM_SLOT_PRED, p->type[0]);
    sim_insn *i = sim_emit(d, ballot ? exec_ballot : exec_vote, ballot ? exec_ballot : exec_vote);
    i->d = to, i->a = a, i->e = mask;
    i->imm = p->field[PTX_FIELD_VOTE];
    i->slots = SIM_SLOTS(ballot ? SIM_SLOT_32 : SIM_SLOT_PRED, SIM_SLOT_PRED, 0, 0);
}

/* ---- match: lanes whose R[a] are equal ---- */

#define MATCH(name, T)                                                                             \
    static void name##_any(sim_warp *w, const sim_insn *i) {                                       \
        const T *a = LANES(const T, i->a);                                                         \
        uint32_t *d = LANES(uint32_t, i->d), r[SIM_WARP_LANES] = {0};                              \
        for (uint32_t left = w->mask; left;) {                                                     \
            T v = a[__builtin_ctz(left)];                                                          \
            uint32_t same = 0;                                                                     \
            for (unsigned l = 0; l < SIM_WARP_LANES; l++) same |= (uint32_t)(a[l] == v) << l;      \
            same &= w->mask;                                                                       \
            for (uint32_t k = same; k; k &= k - 1) r[__builtin_ctz(k)] = same;                     \
            left &= ~same;                                                                         \
        }                                                                                          \
        for (uint32_t k = w->mask; k; k &= k - 1) d[__builtin_ctz(k)] = r[__builtin_ctz(k)];       \
    }                                                                                              \
    static void name##_all(sim_warp *w, const sim_insn *i) {                                       \
        const T *a = LANES(const T, i->a);                                                         \
        uint32_t *d = LANES(uint32_t, i->d), m = w->mask;                                          \
        T v = a[__builtin_ctz(m)];                                                                 \
        bool same = true;                                                                          \
        for (uint32_t k = m; k; k &= k - 1) same &= a[__builtin_ctz(k)] == v;                      \
        uint32_t r = same ? m : 0;                                                                 \
        EACH_LANE d[l] = LANE_ON(m) ? r : d[l];                                                    \
        if (i->offset != SIM_NO_SLOT)                                                              \
            sim_set_pred(w, (sim_opnd)i->offset, same ? SIM_ALL_LANES : 0);                        \
    }
MATCH(exec_match32, uint32_t)
MATCH(exec_match64, uint64_t)

void sim_decode_match(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    bool pair = p->flags >> PTX_F_PAIR & 1, any = p->field[PTX_FIELD_VOTE] == PTX_VOTE_any,
         wide = ptx_type_size(p->type[0]) == 8;
    unsigned at = pair ? 2 : 1;
    sim_opnd a = sim_source(d, &p->opnd[at], wide ? SIM_SLOT_64 : SIM_SLOT_32, p->type[0]);
    sim_opnd mask = sim_source(d, &p->opnd[at + 1], SIM_SLOT_32, PTX_B32);
    sim_opnd to = sim_destination(d, &p->opnd[0], SIM_SLOT_32, PTX_B32);
    sim_opnd ok = pair ? sim_destination(d, &p->opnd[1], SIM_SLOT_PRED, PTX_PRED) : SIM_NO_SLOT;
    sim_exec_fn *fn = wide  ? (any ? exec_match64_any : exec_match64_all)
                      : any ? exec_match32_any
                            : exec_match32_all;
    sim_insn *i = sim_emit(d, fn, fn);
    i->d = to, i->a = a, i->e = mask;
    i->offset = ok;
    i->slots = SIM_SLOTS(SIM_SLOT_32, wide ? SIM_SLOT_64 : SIM_SLOT_32, 0, 0) |
               (pair ? SIM_SLOT_PRED << 16 : 0);
}

/* ---- redux: R[d] := reduction of R[a] over the active lanes; imm: ptx_atomop | signed << 8
 * ---- */

static void exec_redux(sim_warp *w, const sim_insn *i) {
    const uint32_t *a = LANES(const uint32_t, i->a);
    uint32_t *d = LANES(uint32_t, i->d), m = w->mask, r = a[__builtin_ctz(m)];
    bool sign = i->imm >> 8;
    for (uint32_t k = m & (m - 1); k; k &= k - 1) {
        uint32_t x = a[__builtin_ctz(k)];
        bool less = sign ? (int32_t)x < (int32_t)r : x < r;
        switch (i->imm & 0xff) {
        case PTX_ATOM_add: r += x; break;
        case PTX_ATOM_min: r = less ? x : r; break;
        case PTX_ATOM_max: r = less ? r : x; break;
        case PTX_ATOM_and: r &= x; break;
        case PTX_ATOM_or: r |= x; break;
        default: r ^= x; break;
        }
    }
    EACH_LANE d[l] = LANE_ON(m) ? r : d[l];
}
void sim_decode_redux(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    if (p->type[0] == PTX_F32) {
        sim_decode_fail(d, "redux.sync on f32 is not supported");
        return;
    }
    sim_opnd a = sim_source(d, &p->opnd[1], SIM_SLOT_32, p->type[0]),
             mask = sim_source(d, &p->opnd[2], SIM_SLOT_32, PTX_B32);
    sim_opnd to = sim_destination(d, &p->opnd[0], SIM_SLOT_32, p->type[0]);
    sim_insn *i = sim_emit(d, exec_redux, exec_redux);
    i->d = to, i->a = a, i->e = mask;
    i->imm = p->field[PTX_FIELD_ATOM] | (p->type[0] == PTX_S32 ? 256u : 0);
    i->slots = SIM_SLOTS(SIM_SLOT_32, SIM_SLOT_32, 0, 0);
}

/* ---- elect, activemask ---- */

static void exec_elect(sim_warp *w, const sim_insn *i) { /* the leader is the lowest lane */
    uint32_t m = w->mask, *d = LANES(uint32_t, i->d), leader = (uint32_t)__builtin_ctz(m);
    EACH_LANE d[l] = LANE_ON(m) ? leader : d[l];
    if (i->offset != SIM_NO_SLOT) sim_set_pred(w, (sim_opnd)i->offset, 1u << leader);
}
void sim_decode_elect(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    bool pair = p->flags >> PTX_F_PAIR & 1;
    sim_opnd mask = sim_source(d, &p->opnd[pair ? 2 : 1], SIM_SLOT_32, PTX_B32);
    sim_opnd to = p->opnd[0].kind == PTX_OPND_SINK
                      ? d->sink
                      : sim_destination(d, &p->opnd[0], SIM_SLOT_32, PTX_B32);
    sim_opnd ok = pair ? sim_destination(d, &p->opnd[1], SIM_SLOT_PRED, PTX_PRED) : SIM_NO_SLOT;
    sim_insn *i = sim_emit(d, exec_elect, exec_elect);
    i->d = to, i->e = mask;
    i->offset = ok;
    i->slots = SIM_SLOTS(SIM_SLOT_32, 0, 0, 0) | (pair ? SIM_SLOT_PRED << 16 : 0);
}
static void exec_activemask(sim_warp *w, const sim_insn *i) {
    uint32_t m = w->mask, *d = LANES(uint32_t, i->d);
    EACH_LANE d[l] = LANE_ON(m) ? m : d[l];
}
void sim_decode_activemask(sim_decoder *d) {
    sim_opnd to = sim_destination(d, &d->insn->opnd[0], SIM_SLOT_32, PTX_B32);
    sim_emit(d, exec_activemask, exec_activemask)->d = to;
}

/* ---- barriers: block.c does the waiting ---- */

static void exec_warp_sync(sim_warp *w, const sim_insn *i) {
    (void)i;
    sim_warp_sync(w->access, w->mask);
}
void sim_decode_bar_warp(sim_decoder *d) {
    sim_opnd mask = sim_source(d, &d->insn->opnd[0], SIM_SLOT_32, PTX_B32);
    sim_emit(d, exec_warp_sync, exec_warp_sync)->e = mask;
}

/* a: the barrier, b: threads (SIM_NO_SLOT: all), c: the predicate of a reduction, imm: sim_bar_kind
 * | SIM_BAR_ALIGNED */
void sim_decode_bar(sim_decoder *d) {
    enum { WAIT, ARRIVE, REDUCE };
    static const struct {
        uint8_t does;
        bool loose; /* its warps need not be converged, unless .aligned is written */
    } forms[PTX_OP_COUNT] = {
        [PTX_OP_bar_sync] = {WAIT, false},        [PTX_OP_bar_cta_sync] = {WAIT, false},
        [PTX_OP_bar_arrive] = {ARRIVE, false},    [PTX_OP_bar_cta_arrive] = {ARRIVE, false},
        [PTX_OP_bar_red] = {REDUCE, false},       [PTX_OP_bar_cta_red] = {REDUCE, false},
        [PTX_OP_barrier_sync] = {WAIT, true},     [PTX_OP_barrier_cta_sync] = {WAIT, true},
        [PTX_OP_barrier_arrive] = {ARRIVE, true}, [PTX_OP_barrier_cta_arrive] = {ARRIVE, true},
        [PTX_OP_barrier_red] = {REDUCE, true},    [PTX_OP_barrier_cta_red] = {REDUCE, true},
    };
    const ptx_insn *p = d->insn;
    bool red = forms[p->op].does == REDUCE, arrive = forms[p->op].does == ARRIVE;
    unsigned at = red, last = red ? p->nopnds - 1u : p->nopnds;
    sim_opnd a = sim_source(d, &p->opnd[at], SIM_SLOT_32, PTX_U32);
    sim_opnd b =
        at + 1 < last ? sim_source(d, &p->opnd[at + 1], SIM_SLOT_32, PTX_U32) : SIM_NO_SLOT;
    sim_opnd c = red ? sim_source(d, &p->opnd[last], SIM_SLOT_PRED, PTX_PRED) : 0;
    sim_opnd to =
        red ? sim_destination(d, &p->opnd[0], p->type[0] == PTX_PRED ? SIM_SLOT_PRED : SIM_SLOT_32,
                              p->type[0])
            : 0;
    d->image->counted_barriers |= b != SIM_NO_SLOT;
    sim_insn *i = sim_emit(d, NULL, NULL);
    i->d = to, i->a = a, i->b = b, i->c = c;
    i->imm = arrive ? SIM_BAR_ARRIVE : !red ? SIM_BAR_SYNC : SIM_BAR_POPC;
    if (red && p->field[PTX_FIELD_ATOM] != PTX_ATOM_popc)
        i->imm = p->field[PTX_FIELD_ATOM] == PTX_ATOM_and ? SIM_BAR_AND : SIM_BAR_OR;
    if (!forms[p->op].loose || p->flags >> PTX_F_aligned & 1) i->imm |= SIM_BAR_ALIGNED;
}
