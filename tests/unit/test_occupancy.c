/* Occupancy against the vendor's own header over the whole parameter space, and for the G80, which
 * that header no longer knows, against the figures that textbooks work through (Kirk and Hwu,
 * "Programming Massively Parallel Processors", sections 3.5 and 5.4: 8,192 registers, 16 KB, 768
 * threads, 8 blocks). */
#include "tests/check.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/sim.h"

#if __has_include(<cuda_occupancy.h>)
#define HAVE_VENDOR 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <cuda_occupancy.h>
#pragma GCC diagnostic pop
#elif __has_include("/usr/local/cuda/include/cuda_occupancy.h")
#define HAVE_VENDOR 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "/usr/local/cuda/include/cuda_occupancy.h"
#pragma GCC diagnostic pop
#endif

#ifdef HAVE_VENDOR
static void against_vendor(const sim_profile *p, bool prefers) {
    cudaOccDeviceProp prop = {.computeMajor = (int)p->cc_major,
                              .computeMinor = (int)p->cc_minor,
                              .maxThreadsPerBlock = (int)p->max_threads_block,
                              .maxThreadsPerMultiprocessor = (int)p->max_threads_sm,
                              .regsPerBlock = (int)p->registers_sm,
                              .regsPerMultiprocessor = (int)p->registers_sm,
                              .warpSize = 32,
                              .sharedMemPerBlock = p->shared_block,
                              .sharedMemPerMultiprocessor = p->shared_sm,
                              .numSms = (int)p->sms,
                              .sharedMemPerBlockOptin = p->shared_block_optin,
                              .reservedSharedMemPerBlock = p->shared_reserved};
    cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_NONE,
                                .carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    static const signed char percents[] = {0, 1, 3, 7, 10, 25, 26, 49, 50, 51, 72, 75, 90, 99, 100};
    unsigned long tried = 0, wrong = 0;
    char first[256] = "";
    for (unsigned threads = 1; threads <= p->max_threads_block;
         threads += threads % 32 == 1 ? 30 : 1)
        for (unsigned regs = 1; regs <= 255; regs += regs < 40 ? 1 : 3)
            for (uint64_t shared = 0; shared <= p->shared_block_optin + 256;
                 shared += shared < 4096 ? 100 : 1531) {
                cudaOccFuncAttributes attr = {.maxThreadsPerBlock = 1024,
                                              .numRegs = (int)regs,
                                              .sharedSizeBytes = 0,
                                              .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                              .maxDynamicSharedSizeBytes = shared,
                                              .numBlockBarriers = 1};
                cudaOccResult want;
                int percent =
                    prefers ? percents[(threads * 7 + regs * 3 + shared) % sizeof percents] : -1;
                state.carveoutConfig = percent;
                if (cudaOccMaxActiveBlocksPerMultiprocessor(
                        &want, &prop, &attr, &state, (int)threads, shared) != CUDA_OCC_SUCCESS)
                    continue;
                sim_occupancy got;
                sim_status s = sim_occupancy_get(
                    p, threads, regs, shared,
                    prefers ? sim_profile_carveout(p, (unsigned)percent, shared) : 0, &got);
                tried++;
                if (s == SIM_OK && (int)got.blocks == want.activeBlocksPerMultiprocessor &&
                    (int)got.by_registers == want.blockLimitRegs &&
                    (int)got.by_warps == want.blockLimitWarps &&
                    (int)got.by_shared == want.blockLimitSharedMem &&
                    (int)got.by_blocks == want.blockLimitBlocks)
                    continue;
                if (!wrong++)
                    snprintf(
                        first, sizeof first,
                        "%s, %d%%: %u threads, %u registers, %llu shared: got %u blocks (w %u b %u "
                        "r %u s "
                        "%u), want %d (w %d b %d r %d s %d)",
                        p->name, percent, threads, regs, (unsigned long long)shared, got.blocks,
                        got.by_warps, got.by_blocks, got.by_registers, got.by_shared,
                        want.activeBlocksPerMultiprocessor, want.blockLimitWarps,
                        want.blockLimitBlocks, want.blockLimitRegs, want.blockLimitSharedMem);
            }
    printf("# %s: %lu combinations\n", p->name, tried);
    check_that(tried > 100000 && !wrong, __FILE__, __LINE__, p->name,
               first[0] ? first : "nothing was tried");
}
#endif

static unsigned g80_blocks(unsigned threads, unsigned regs, uint64_t shared) {
    sim_occupancy o;
    if (sim_occupancy_get(sim_profile_find("g80"), threads, regs, shared, 0, &o) != SIM_OK)
        return 999;
    return o.blocks;
}

/* Preferences on an H200: what cudaOccupancyMaxActiveBlocksPerMultiprocessor() answered for blocks
 * of 32 threads with 16 KB and with none; and the KB of L1 that the cycles of reading up to 244 KB
 * again and again showed, for a block a multiprocessor with so many bytes. */
static void preferred(void) {
    static const struct {
        int percent;
        unsigned blocks, none;
    } asked[] = {{-1, 13, 32}, {0, 1, 8},   {5, 1, 16},   {10, 1, 32},
                 {25, 3, 32},  {50, 7, 32}, {75, 11, 32}, {100, 13, 32}};
    static const struct {
        unsigned shared;
        struct {
            unsigned percent, most_kb;
        } row[5];
    } found[] = {{0, {{0, 248}, {25, 192}, {50, 124}, {75, 60}, {100, 28}}},
                 {64, {{0, 248}, {10, 28}, {25, 28}, {50, 28}, {75, 28}}},
                 {256, {{0, 248}, {10, 124}, {25, 28}, {50, 28}, {75, 28}}},
                 {1024, {{0, 248}, {10, 192}, {25, 124}, {50, 28}, {75, 28}}},
                 {3072, {{0, 248}, {10, 224}, {25, 156}, {50, 92}, {75, 28}}},
                 {8192, {{0, 240}, {10, 224}, {25, 192}, {50, 124}, {75, 60}}},
                 {16384, {{0, 224}, {10, 224}, {25, 192}, {50, 124}, {75, 60}}},
                 {40000, {{0, 192}, {10, 192}, {25, 192}, {50, 124}, {75, 60}}}};
    const sim_profile *p = sim_profile_find("h200");
    sim_occupancy o;
    for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++)
        for (unsigned with = 0; with < 2; with++) {
            uint64_t shared = with ? 16384 : 0, carveout = 0;
            if (asked[i].percent >= 0)
                carveout = sim_profile_carveout(p, (unsigned)asked[i].percent, shared);
            sim_occupancy_get(p, 32, 16, shared, carveout, &o);
            CHECK_INT(o.blocks, with ? asked[i].blocks : asked[i].none);
        }
    for (unsigned i = 0; i < sizeof found / sizeof *found; i++)
        for (unsigned k = 0; k < 5; k++) {
            uint64_t carveout =
                sim_profile_launch_carveout(p, found[i].row[k].percent, found[i].shared);
            CHECK_INT(sim_profile_l1(p, found[i].shared, 1, carveout) / 1024,
                      found[i].row[k].most_kb);
        }
}

int main(void) {
    CHECK(sim_profile_count() >= 5);
    for (const char *const *n =
             (const char *const[]){"h200", "a100", "t4", "rtx4090", "rtx5090", "g80", NULL};
         *n; n++)
        CHECK(sim_profile_find(*n) != NULL);
    CHECK(sim_profile_find("none") == NULL);
#ifdef HAVE_VENDOR
    for (size_t i = 0; i < sim_profile_count(); i++)
        for (unsigned prefers = 0; prefers < 2 && !sim_profile_at(i)->registers_by_block; prefers++)
            against_vendor(sim_profile_at(i), prefers);
#else
    printf("# no cuda_occupancy.h on this machine: the comparison with it is left out\n");
#endif
    CHECK_INT(g80_blocks(256, 10, 0), 3);   /* 768 threads */
    CHECK_INT(g80_blocks(256, 11, 0), 2);   /* one register more costs a third of the threads */
    CHECK_INT(g80_blocks(64, 4, 0), 8);     /* 12 would fit by threads: 8 is the limit of blocks */
    CHECK_INT(g80_blocks(400, 4, 0), 1);    /* two blocks would be 800 threads */
    CHECK_INT(g80_blocks(256, 8, 4096), 3); /* 16 KB / 4 KB = 4, threads allow 3 */
    CHECK_INT(g80_blocks(64, 4, 5 * 1024), 3); /* 16 KB / 5 KB */
    CHECK_INT(g80_blocks(1024, 4, 0), 999);    /* more than 512 threads */
    sim_occupancy o;
    CHECK_INT(sim_occupancy_get(sim_profile_find("h200"), 0, 16, 0, 0, &o), SIM_BAD_ARGUMENT);
    CHECK_INT(sim_occupancy_get(sim_profile_find("h200"), 256, 16, 0, 0, &o), SIM_OK);
    CHECK_NEAR(o.pct, 100, 1e-9);
    CHECK_STR(o.limiter, "warps");
    sim_occupancy_get(sim_profile_find("h200"), 64, 20, 47 * 1024, 0,
                      &o); /* the hardware showed 12.4% achieved of 12.5% (47 KB, 64 threads) */
    CHECK_NEAR(o.pct, 12.5, 1e-9);
    CHECK_STR(o.limiter, "shared");
    /* L1 is what the carve-out leaves: H200, 8 blocks of 16 KB and the reserved KB each take 164 KB
     * of 256. */
    CHECK_INT(sim_profile_l1(sim_profile_find("h200"), 16384, 8, 0), (256 - 164) * 1024);
    CHECK_INT(sim_profile_l1(sim_profile_find("g80"), 16384, 1, 0), 0);
    preferred();
    return check_done();
}
