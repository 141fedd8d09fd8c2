#include "runner/device/sim/time/spread.h"
#include <string.h>

void sim_spread_begin(sim_spread *s, unsigned sms, unsigned resident) {
    memset(s, 0, sizeof *s);
    if (sms <= sizeof s->load / sizeof *s->load) s->sms = sms;
    s->full = (uint64_t)sms * resident;
}

/* load[] is a heap from the first block on that had to wait: whose is what no longer matters. */
static void sift(sim_spread *s, unsigned k) {
    for (unsigned child; (child = 2 * k + 1) < s->sms; k = child) {
        if (child + 1 < s->sms && s->load[child + 1] < s->load[child]) child++;
        if (s->load[k] <= s->load[child]) return;
        uint64_t x = s->load[k];
        s->load[k] = s->load[child], s->load[child] = x;
    }
}

void sim_spread_block(sim_spread *s, uint64_t warp_instructions) {
    if (!s->sms) return;
    if (s->count < s->full) {
        s->load[s->count++ % s->sms] += warp_instructions;
        return;
    }
    for (unsigned k = s->sms / 2; s->count == s->full && k--;) sift(s, k);
    s->count++;
    s->load[0] += warp_instructions;
    sift(s, 0);
}

double sim_spread_worst(const sim_spread *s) {
    uint64_t most = 0, all = 0;
    for (unsigned k = 0; k < s->sms; k++) {
        all += s->load[k];
        if (s->load[k] > most) most = s->load[k];
    }
    double seen = s->count > s->full ? (double)all / s->sms
                  : s->sms           ? (double)s->load[s->first]
                                     : 0;
    return seen > 0 && (double)most > seen ? (double)most / seen : 1;
}
