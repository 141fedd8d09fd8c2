/* Resident blocks and warps per multiprocessor, by the vendor's rules.
 *
 * Modern devices allocate registers per warp in units of `register_unit`, separately in each
 * scheduler's quarter of the register file. Compute capability 1.x allocated them per block (CUDA
 * occupancy calculator, "Block" allocation). Shared memory is rounded up to `shared_unit` after the
 * driver's own part is added. Names follow cuda_occupancy.h, with which the tests compare. */
#include "runner/device/sim/profile.h"
#include "runner/device/sim/sim.h"

#define NO_LIMIT 0x7fffffffu

static uint64_t round_up(uint64_t n, uint64_t unit) {
    return (n + unit - 1) / unit * unit;
}

static unsigned by_registers(const sim_profile *p, unsigned warps, unsigned registers) {
    if (!registers) return NO_LIMIT;
    if (registers > p->max_registers_allocated) return 0;
    if (p->registers_by_block) {
        uint64_t block = round_up(round_up(warps, p->warp_unit) * 32 * registers, p->register_unit);
        return (unsigned)(p->registers_sm / block);
    }
    uint64_t warp = round_up((uint64_t)registers * 32, p->register_unit);
    /* the hardware's limit for one block */
    if (warp * round_up(warps, p->warp_unit) > p->registers_sm) return 0;
    uint64_t warps_sm = p->registers_sm / p->schedulers / warp * p->schedulers;
    return (unsigned)(warps_sm / warps);
}

static unsigned by_shared(const sim_profile *p, uint64_t shared, uint64_t carveout) {
    uint64_t most = shared > p->shared_block ? p->shared_block_optin : p->shared_block;
    if (shared > most) return 0;
    uint64_t block = round_up(shared + p->shared_reserved, p->shared_unit);
    if (!block) return NO_LIMIT;
    if (block > most + p->shared_reserved) return 0;
    return (unsigned)((carveout ? carveout : p->shared_sm) / block);
}

sim_status sim_occupancy_get(const sim_profile *p, unsigned threads, unsigned registers,
                             uint64_t shared, uint64_t carveout, sim_occupancy *out) {
    *out = (sim_occupancy){.limiter = "warps"};
    if (!threads || threads > p->max_threads_block) return SIM_BAD_ARGUMENT;
    unsigned warps = (threads + 31) / 32, max_warps = p->max_threads_sm / 32;
    out->by_blocks = p->max_blocks_sm;
    out->by_warps = max_warps / warps;
    out->by_registers = by_registers(p, warps, registers);
    out->by_shared = by_shared(p, shared, carveout);
    /* The binding limit: the first that is smallest, so that a tie names the limit that a student
     * can change last. */
    const struct {
        unsigned limit;
        const char *name;
    } order[] = {{out->by_warps, "warps"},
                 {out->by_blocks, "blocks"},
                 {out->by_registers, "registers"},
                 {out->by_shared, "shared"}};
    out->blocks = NO_LIMIT;
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        if (order[i].limit < out->blocks)
            out->blocks = order[i].limit, out->limiter = order[i].name;
    out->warps = out->blocks * warps;
    out->pct = 100.0 * out->warps / max_warps;
    return SIM_OK;
}

unsigned sim_resources_registers(const sim_profile *p, unsigned registers, unsigned threads) {
    if (!p->registers_by_block || !threads) return registers;
    unsigned warps = (threads + 31) / 32,
             rounded = (warps + p->warp_unit - 1) / p->warp_unit * p->warp_unit * 32;
    unsigned most = p->registers_sm / rounded, narrow = (2 * registers + 2) / 3;
    return narrow < most ? narrow : most;
}
