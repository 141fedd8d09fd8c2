/* What a device profile holds: a row of profiles.def. Everything a rule of the hardware needs is
 * here, so that a device is added by adding a row. Sources are named beside the rows; what a figure
 * means for the model of time is told in docs/model.md. */
#ifndef WARPLAB_PROFILE_H
#define WARPLAB_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { SIM_COALESCE_SECTORS, SIM_COALESCE_HALF_WARP_STRICT } sim_coalescing;

struct sim_profile {
    const char *name;            /* "h200" */
    const char *marketing;       /* "NVIDIA H200" */
    unsigned cc_major, cc_minor; /* compute capability that device queries answer */
    unsigned compile_arch;       /* what nvcc is asked to compile for, e.g. 90 */
    unsigned sms;
    /* memory: the clock that cudaDevAttrMemoryClockRate gives; two transfers a clock */
    double clock_ghz, memory_clock_ghz;
    unsigned bus_bits;
    uint64_t memory_bytes, l2_bytes; /* l2_bytes 0: no L2 for global memory */

    /* Limits of a multiprocessor: Programming Guide, "Technical Specifications per Compute
     * Capability". */
    unsigned max_threads_sm, max_blocks_sm, max_threads_block, registers_sm, max_registers_thread,
        schedulers;
    /* allocation granularity: registers per warp, warps per block */
    unsigned register_unit, warp_unit;
    /* compute capability 1.x: the unit is rounded per block, not per warp */
    bool registers_by_block;
    uint64_t shared_sm, shared_block, shared_block_optin, shared_reserved, shared_unit;
    /* L1 and shared memory together where they share an array, else L1 alone; 0: global
     * loads bypass */
    uint64_t l1_bytes;
    uint16_t shared_carveouts_kb[12]; /* sizes that shared memory can take of that array, ascending,
                                         0-terminated after the first */
    /* shared-memory banks of 4 bytes; conflicts are counted over `bank_lanes` lanes at
     * once (16 on G80) */
    unsigned banks;
    unsigned bank_lanes;
    sim_coalescing coalescing;

    /* Rates: warp instructions per SM and cycle, by class. */
    double issue_per_cycle, rate_fp32, rate_fp64, rate_int, rate_imul, rate_shift, rate_sfu,
        rate_convert, rate_ldst, rate_fp16;
    /* shuffles and votes; constant loads by address, all lanes the same word */
    double rate_shuffle, rate_uniform_const;
    /* Latencies in cycles. */
    double lat_alu, lat_imul, lat_fp64, lat_sfu, lat_shared, lat_const, lat_l1, lat_l2, lat_dram,
        lat_atom_shared, lat_atom_global;
    double lat_shuffle;
    /* from the last arrival to going on; of each arriving warp */
    double barrier_base, barrier_per_warp;
    double branch_cycles; /* after a taken branch */
    /* Bandwidths: bytes per SM and cycle, or GB/s for the whole device. */
    double l1_bytes_cycle, shared_bytes_cycle, l2_bytes_cycle, l2_gbs, dram_gbs;
    /* Whole device: 128-byte lines of which one sector is read; sectors written in part, or lines written whole. */
    double l2_lines_ns, l2_stores_ns;
    double l2_written_gbs;  /* whole sectors that are written; 0: l2_gbs */
    double l2_filled_gbs;   /* sectors that DRAM gives, through L2; 0: l2_gbs */
    double dram_efficiency; /* of dram_gbs that a plain copy reaches */
    /* what scattered 32-byte sectors reach, counting the 64 bytes that each moves */
    double dram_sector_gbs;
    double atom_global_ns;     /* one address: time per operation of a slice of the L2 */
    double atom_shared_cycles; /* per pass */
    /* global reductions and atomics: cycles per lane that one multiprocessor can send */
    double atom_sm_cycles;
    double const_serial_cycles; /* per further word of a constant load */
    double tensor_macs; /* multiply-adds of halves per multiprocessor and cycle that mma reaches */
    double wgmma_macs;  /* the same of wgmma; 0: there is none */
    unsigned outstanding_sectors; /* 32-byte sectors that a multiprocessor may have on their way */
    /* Start of a kernel and of its blocks. */
    double kernel_us;         /* an empty kernel, from its start to its end on the device */
    double block_dispatch_ns; /* whole device: between blocks handed out */
    double warp_start_cycles; /* from a warp's start until it has its first constants and goes on */
    /* one multiprocessor: between warps it starts; latency of a free slot's refill */
    double warp_launch_cycles, block_launch_cycles;

    /* Host side, microseconds and GB/s. launch_us: host time of one launch call; launch_gap_us:
     * between the end of a kernel and the start of the next in one stream, also what a pair of
     * events adds around a kernel. */
    double launch_us, launch_gap_us, memcpy_us, malloc_us, free_us, h2d_pinned_gbs, d2h_pinned_gbs,
        h2d_pageable_gbs, d2h_pageable_gbs, memcpy_pageable_us;
    /* The link between two such devices, GB/s each way; 0: they reach each other only through the
     * host. nvlink: it carries atomics. */
    double peer_gbs;
    bool nvlink;
};

/* Of the link's bandwidth for copies what kernels reach that use memory on the host. */
#define SIM_LINK_SHARE 0.76

/* Bytes that shared memory takes of its array for a kernel that prefers `percent` of the most (0 to
 * 100), as cuda_occupancy.h counts with: the smallest carve-out of as many, and one that holds a
 * block (shared: bytes of it as asked for, without the reserved part). */
uint64_t sim_profile_carveout(const struct sim_profile *p, unsigned percent, uint64_t shared);
/* The same for a launch: the preference is for what blocks asked for, and what is reserved with them
 * comes on top; without shared memory it is the preference alone. So the L1 that kernels with 0 to
 * 40,000 bytes find on an H200, at 0 to 100 per cent. */
uint64_t sim_profile_launch_carveout(const struct sim_profile *p, unsigned percent,
                                     uint64_t shared);
/* Bytes of L1 data cache that a kernel finds: the array less `carveout`, or, where that is 0, less
 * the smallest carve-out that holds its resident blocks' shared memory. 0 where global loads bypass
 * L1. */
uint64_t sim_profile_l1(const struct sim_profile *p, uint64_t shared, unsigned resident_blocks,
                        uint64_t carveout);

#endif
