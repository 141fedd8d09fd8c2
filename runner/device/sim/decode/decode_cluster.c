/* Instructions of clusters: shared addresses of other blocks (PTX ISA 9.7.9, mapa and getctarank),
 * the window of a generic address, the cluster's barrier. Addresses: access.h. */
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/exec/lanes.h"

/* Returns the same place in the block of that rank. There is no memory after the cluster's last
 * block. */
static inline uint32_t rank_address(uint32_t address, uint32_t rank) {
    return sim_shared_offset(address) | (rank < 255 ? rank : 255) << SIM_RANK_SHIFT;
}

/* R[d] := R[a] in block R[b]; shared addresses */
static void exec_mapa32(sim_warp *w, const sim_insn *i) {
    const uint32_t *a = LANES(const uint32_t, i->a), *b = LANES(const uint32_t, i->b);
    uint32_t *d = LANES(uint32_t, i->d), m = w->mask;
    EACH_LANE d[l] = LANE_ON(m) ? rank_address(a[l], b[l]) : d[l];
}
/* imm: the window of generic addresses, 0 for shared ones. An address outside of shared memory
 * becomes an invalid one. */
static void exec_mapa64(sim_warp *w, const sim_insn *i) {
    const uint64_t *a = LANES(const uint64_t, i->a);
    const uint32_t *b = LANES(const uint32_t, i->b);
    uint64_t *d = LANES(uint64_t, i->d), base = i->offset;
    uint32_t m = w->mask;
    EACH_LANE {
        bool inside = a[l] - base < SIM_WINDOW_BYTES;
        uint64_t to = base + rank_address((uint32_t)a[l], inside ? b[l] : UINT32_MAX);
        d[l] = LANE_ON(m) ? to : d[l];
    }
}
void sim_decode_mapa(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    bool wide = ptx_type_size(p->type[0]) == 8;
    unsigned slot = wide ? SIM_SLOT_64 : SIM_SLOT_32;
    sim_opnd a = sim_source(d, &p->opnd[1], slot, p->type[0]),
             b = sim_source(d, &p->opnd[2], SIM_SLOT_32, PTX_U32),
             to = sim_destination(d, &p->opnd[0], slot, p->type[0]);
    sim_exec_fn *fn = wide ? exec_mapa64 : exec_mapa32;
    sim_insn *i = sim_emit(d, fn, fn);
    i->d = to, i->a = a, i->b = b;
    i->offset = p->space == PTX_SPACE_SHARED ? 0 : SIM_SHARED_WINDOW;
}

/* R[d] := the rank in the address R[a] */
static void exec_rank32(sim_warp *w, const sim_insn *i) {
    const uint32_t *a = LANES(const uint32_t, i->a);
    uint32_t *d = LANES(uint32_t, i->d), m = w->mask;
    EACH_LANE d[l] = LANE_ON(m) ? sim_shared_rank(a[l]) : d[l];
}
static void exec_rank64(sim_warp *w, const sim_insn *i) {
    const uint64_t *a = LANES(const uint64_t, i->a);
    uint32_t *d = LANES(uint32_t, i->d), m = w->mask;
    EACH_LANE d[l] = LANE_ON(m) ? sim_shared_rank((uint32_t)a[l]) : d[l];
}
void sim_decode_getctarank(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    bool wide = ptx_type_size(p->type[0]) == 8;
    sim_opnd a = sim_source(d, &p->opnd[1], wide ? SIM_SLOT_64 : SIM_SLOT_32, p->type[0]),
             to = sim_destination(d, &p->opnd[0], SIM_SLOT_32, PTX_U32);
    sim_exec_fn *fn = wide ? exec_rank64 : exec_rank32;
    sim_insn *i = sim_emit(d, fn, fn);
    i->d = to, i->a = a;
}

/* imm: sim_cluster_step. run/cluster.c does the waiting. */
void sim_decode_cluster_barrier(sim_decoder *d) {
    d->image->cluster_barrier = true;
    sim_emit(d, NULL, NULL)->imm =
        d->insn->op == PTX_OP_barrier_cluster_wait ? SIM_CLUSTER_WAIT : SIM_CLUSTER_ARRIVE;
}
