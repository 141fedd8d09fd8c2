/* What is written down of a launch for the model of time: passes over the banks of L1, against their
 * definition (runner/sim/time/trace.h), taken word by word. */
#include <stdint.h>
#include "runner/sim/time/trace.h"
#include "tests/check.h"

static uint64_t state = 42;
static uint32_t draw(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

/* A warp reads in one part, or with 8 and 16 bytes a lane in two and four; in each the bank that
 * must give the most different words decides. */
static unsigned passes(const uint64_t address[32], uint32_t mask, unsigned bytes) {
    unsigned unit = bytes <= 4   ? 4
                    : bytes <= 8 ? 8
                                 : 16,
             part = unit == 4 ? 32 : 128 / unit, total = 0;
    for (unsigned from = 0; from < 32; from += part) {
        unsigned most = 0;
        for (unsigned bank = 0; bank < 128 / unit; bank++) {
            uint64_t seen[32];
            unsigned n = 0;
            for (unsigned l = from; l < from + part; l++) {
                uint64_t word = address[l] / unit;
                unsigned k = 0;
                if (!(mask >> l & 1) || word % (128 / unit) != bank) continue;
                while (k < n && seen[k] != word) k++;
                if (k == n) seen[n++] = word;
            }
            if (n > most) most = n;
        }
        total += most;
    }
    return total ? total : 1;
}

int main(void) {
    static const unsigned sizes[] = {1, 2, 4, 8, 16};
    static const uint64_t strides[] = {0, 1, 2, 3, 4, 8, 16, 31, 32, 33, 64};
    uint64_t address[32], plain[32];
    /* by hand: neighbours, one word for all, a word of each line, 16 bytes each */
    for (unsigned k = 0; k < 32; k++) address[k] = 4 * k;
    CHECK_INT(sim_trace_l1_passes(address, 0, ~0u, 4), 1);
    for (unsigned k = 0; k < 32; k++) address[k] = 64;
    CHECK_INT(sim_trace_l1_passes(address, 0, ~0u, 4), 1);
    for (unsigned k = 0; k < 32; k++) address[k] = 128 * k;
    CHECK_INT(sim_trace_l1_passes(address, 0, ~0u, 4), 32);
    CHECK_INT(sim_trace_l1_passes(address, 0, 0xff, 4), 8);
    CHECK_INT(sim_trace_l1_passes(address, 0, 0, 4), 1);
    for (unsigned k = 0; k < 32; k++) address[k] = 8 * k;
    CHECK_INT(sim_trace_l1_passes(address, 0, ~0u, 8), 2);
    for (unsigned k = 0; k < 32; k++) address[k] = 16 * k;
    CHECK_INT(sim_trace_l1_passes(address, 0, ~0u, 16), 4);
    for (unsigned round = 0; round < 4000; round++) {
        unsigned bytes = sizes[draw() % 5], stride = (unsigned)strides[draw() % 11], wrong = 0;
        uint64_t offset = draw() % 3 ? 0 : 4ull * (draw() % 64);
        uint32_t mask = draw() % 3 ? ~0u : draw() << 1 ^ draw();
        for (unsigned l = 0; l < 32; l++) {
            plain[l] = (uint64_t)bytes * (draw() % 4 ? l * stride : draw() % 64) + 0x3000000000;
            address[l] = plain[l] + offset;
        }
        wrong = sim_trace_l1_passes(plain, offset, mask, bytes) != passes(address, mask, bytes);
        if (wrong) printf("# %u bytes, stride %u, mask %08x\n", bytes, stride, mask);
        if (wrong || round == 0) CHECK_INT(wrong, 0);
    }
    return check_done();
}
