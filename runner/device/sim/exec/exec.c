/* Finds the handler of an instruction in the tables of the device's instruction set. */
#include "runner/device/sim/exec/exec.h"
#include "runner/device/sim/exec/families.h"

static const sim_exec_row *search(const sim_exec_row *r, size_t n, unsigned op, unsigned t0,
                                  unsigned t1, uint32_t variant) {
    for (size_t k = 0; k < n; k++)
        if (r[k].op == op && r[k].t0 == t0 && r[k].t1 == t1 && r[k].variant == variant)
            return &r[k];
    return NULL;
}
static const sim_exec_row *search_all(sim_isa s, unsigned op, unsigned t0, unsigned t1,
                                      uint32_t variant) {
    const sim_exec_row *r = NULL;
#define FAMILY_SEARCH(isa, name)                                                                   \
    if (!r) r = search(name##_rows_##isa, name##_count_##isa, op, t0, t1, variant);
#define ISA_SEARCH(isa)                                                                            \
    if (s == SIM_ISA_##isa) {                                                                      \
        SIM_EXEC_FAMILIES_OF(FAMILY_SEARCH, isa)                                                   \
    }
    SIM_ISAS(ISA_SEARCH)
    return r;
}

const sim_exec_row *sim_exec_row_of(sim_isa s, sim_exec_fn *fn, unsigned *family, size_t *at) {
    unsigned f = 0;
#define FAMILY_LOOK(isa, name)                                                                     \
    for (size_t k = 0; k < name##_count_##isa; k++)                                                \
        if (name##_rows_##isa[k].fn[0] == fn) {                                                    \
            *family = f;                                                                           \
            *at = k;                                                                               \
            return &name##_rows_##isa[k];                                                          \
        }                                                                                          \
    f++;
#define ISA_LOOK(isa)                                                                              \
    if (s == SIM_ISA_##isa) {                                                                      \
        SIM_EXEC_FAMILIES_OF(FAMILY_LOOK, isa)                                                     \
    }
    SIM_ISAS(ISA_LOOK)
    return NULL;
}

static unsigned untyped(unsigned t) {
    switch (t) {
    case PTX_PRED:
    case PTX_NONE: return t;
    default: break;
    }
    switch (ptx_type_size(t)) {
    case 1: return PTX_B8;
    case 2: return PTX_B16;
    case 4: return PTX_B32;
    case 8: return PTX_B64;
    default: return t;
    }
}

const sim_exec_row *sim_exec_find(sim_isa s, unsigned op, unsigned t0, unsigned t1,
                                  uint32_t variant) {
    const sim_exec_row *r = search_all(s, op, t0, t1, variant);
    if (!r) r = search_all(s, op, untyped(t0), t1, variant);
    if (!r && t1 != PTX_NONE) r = search_all(s, op, t0, untyped(t1), variant);
    return r;
}

/* ---- clocks ---- */

sim_exec_fn *sim_clock_handler(sim_isa s, unsigned sreg) {
#define ISA_CLOCK(isa)                                                                             \
    for (size_t k = 0; s == SIM_ISA_##isa && k < SIM_CLOCKS; k++)                                  \
        if (exec_clocks_##isa[k].sreg == sreg) return exec_clocks_##isa[k].fn;
    SIM_ISAS(ISA_CLOCK)
    return NULL;
}

bool sim_is_clock(sim_exec_fn *fn) {
#define ISA_IS_CLOCK(isa)                                                                          \
    for (size_t k = 0; k < SIM_CLOCKS; k++)                                                        \
        if (exec_clocks_##isa[k].fn == fn) return true;
    SIM_ISAS(ISA_IS_CLOCK)
    return false;
}
