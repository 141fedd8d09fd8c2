/* Handlers of loads, stores and atomics. The checks, counters and caches are access.h's; here the
 * addresses are made, and atomics applied to the host pointers that it gives. */
#include "runner/sim/exec/lanes.h"
#include "runner/sim/exec/isa.h"

/* R[aux[k]] (or R[d]) := M[R[a] + offset] */
#define LOAD(name, T)                                                                              \
    static void name(sim_warp *w, const sim_insn *i) {                                             \
        const T *a = LANES(const T, i->a);                                                         \
        T moved[SIM_WARP_LANES] __attribute__((aligned(64)));                                      \
        if (i->offset) {                                                                           \
            T by = (T)i->offset;                                                                   \
            EACH_LANE moved[l] = a[l] + by;                                                        \
            a = moved;                                                                             \
        }                                                                                          \
        const sim_site *s = i->site;                                                               \
        void *dst[8];                                                                              \
        const sim_opnd *regs = i->aux;                                                             \
        dst[0] = sim_slot(w, i->d);                                                                \
        for (unsigned k = 0; regs && k < s->vec; k++)                                              \
            dst[k] = regs[k] == SIM_NO_SLOT ? NULL : sim_slot(w, regs[k]);                         \
        if (s->load(w->access, s, a, w->mask, dst) != w->mask) sim_memory_fault(w);                \
    }
/* M[R[a] + offset] := R[aux[k]] (or R[b]) */
#define STORE(name, T)                                                                             \
    static void name(sim_warp *w, const sim_insn *i) {                                             \
        const T *a = LANES(const T, i->a);                                                         \
        T moved[SIM_WARP_LANES] __attribute__((aligned(64)));                                      \
        if (i->offset) {                                                                           \
            T by = (T)i->offset;                                                                   \
            EACH_LANE moved[l] = a[l] + by;                                                        \
            a = moved;                                                                             \
        }                                                                                          \
        const sim_site *s = i->site;                                                               \
        const void *src[8];                                                                        \
        const sim_opnd *regs = i->aux;                                                             \
        src[0] = sim_slot(w, i->b);                                                                \
        for (unsigned k = 0; regs && k < s->vec; k++) src[k] = sim_slot(w, regs[k]);               \
        if (s->store(w->access, s, a, w->mask, src) != w->mask) sim_memory_fault(w);               \
    }
LOAD(load_a64, uint64_t)
LOAD(load_a32, uint32_t)
STORE(store_a64, uint64_t)
STORE(store_a32, uint32_t)

/* R[d] := M[R[a] + offset]; M := M op R[b] (cas: M == R[b] ? R[c] : M). aux: sim_atom_info. */
#define ATOM(name, T)                                                                              \
    static void name(sim_warp *w, const sim_insn *i) {                                             \
        const T *a = LANES(const T, i->a);                                                         \
        T moved[SIM_WARP_LANES] __attribute__((aligned(64)));                                      \
        EACH_LANE moved[l] = a[l] + (T)i->offset;                                                  \
        void *ptr[SIM_WARP_LANES];                                                                 \
        uint32_t got = i->site->ptr(w->access, i->site, moved, w->mask, ptr);                      \
        if (got) sim_atom_apply(w, i, got, ptr);                                                   \
        if (got != w->mask) sim_memory_fault(w);                                                   \
    }
ATOM(atom_a64, uint64_t)
ATOM(atom_a32, uint32_t)

const sim_exec_row SIM_ISA_NAME(exec_mem_rows)[] = {
    {PTX_OP_ld, PTX_B64, PTX_NONE, 0, 0, {load_a64, load_a64}},
    {PTX_OP_ld, PTX_B32, PTX_NONE, 0, 0, {load_a32, load_a32}},
    {PTX_OP_st, PTX_B64, PTX_NONE, 0, 0, {store_a64, store_a64}},
    {PTX_OP_st, PTX_B32, PTX_NONE, 0, 0, {store_a32, store_a32}},
    {PTX_OP_atom, PTX_B64, PTX_NONE, 0, 0, {atom_a64, atom_a64}},
    {PTX_OP_atom, PTX_B32, PTX_NONE, 0, 0, {atom_a32, atom_a32}},
};
const size_t SIM_ISA_NAME(exec_mem_count) = sizeof SIM_ISA_NAME(exec_mem_rows) /
                                            sizeof SIM_ISA_NAME(exec_mem_rows)[0];
