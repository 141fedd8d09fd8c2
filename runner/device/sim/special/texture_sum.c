/* The arithmetic of a texture's filter: weights, sums of floats and halves. It is that of an H100
 * and an H200: tests/cuda/texture_filter.cu and texture_sums.cu compare it with formulas on the
 * host that agree with these GPUs. */
#include "runner/device/sim/special/texture.h"
#include "runner/device/sim/lane/lane.h"

/* Divides `share` along a dimension; `up` is the weight of the upper texel. */
static void tex_apart(double share, double up, double to[2]) {
    to[1] = sim_tex_product(share, up);
    to[0] = share - to[1];
}

unsigned sim_tex_weights(const double w[], unsigned dims, double share, double to[8]) {
    unsigned takes = 0;
    for (unsigned n = 0; n < 1u << dims; n++) {
        bool its = share > 0;
        for (unsigned d = 0; d < dims; d++) its &= n >> d & 1 ? w[d] > 0 : w[d] < 1;
        takes |= (unsigned)its << n;
    }
    double level[2] = {share, 0}, column[2] = {share, 0};
    if (dims > 2) tex_apart(share, w[2], level);
    for (unsigned z = 0; z < (dims > 2 ? 2u : 1u); z++) {
        if (dims) tex_apart(level[z], w[0], column);
        for (unsigned x = 0; x < (dims ? 2u : 1u); x++) {
            double part = dims > 1 ? sim_tex_product(column[x], x ? w[1] : 1 - w[1]) : column[x];
            to[4 * z + x] = x && dims > 1 ? column[x] - part : part;
            if (dims > 1) to[4 * z + x + 2] = x ? part : column[x] - part;
        }
    }
    return takes;
}

static double tex_power(int e) { /* 2 to the e; e is in range */
    return f64_bits((uint64_t)(e + 1023) << 52);
}
/* x (not 0) is 1 to 2, times 2 to the result. Every float and every half is normal as a double. */
static int tex_exponent(double x) {
    return (int)(bits_f64(x) >> 52 & 0x7ff) - 1023;
}

double sim_tex_sum(const tex_corners *c, bool half) {
    enum { GROUP = 4, NONE = -1022 };
    const double least = half ? 0 : 0x1p-126;
    double sum = -0.0, odd = 0;
    bool any_odd = false;
    for (unsigned from = 0; from < c->n; from += GROUP) {
        const double *part = c->part + from;
        double x[GROUP];
        int top = NONE;
        unsigned takes = 0;
        for (unsigned q = 0; q < GROUP && from + q < c->n; q++) {
            x[q] = c->v[from + q];
            if (!(c->takes >> (from + q) & 1)) continue;
            if (x[q] - x[q] != 0) {
                odd += x[q];
                any_odd = true;
                continue;
            }
            takes |= 1u << q;
            if (__builtin_fabs(x[q]) < least) x[q] = __builtin_copysign(0, x[q]);
            if (x[q] != 0 && part[q] != 0 && tex_exponent(x[q]) > top) top = tex_exponent(x[q]);
        }
        int below = (half ? SIM_TEX_HALF_BITS : SIM_TEX_BITS) - 1 - top;
        for (unsigned q = 0; q < GROUP; q++) {
            if (!(takes >> q & 1)) continue;
            if (top != NONE) x[q] = __builtin_trunc(x[q] * tex_power(below)) * tex_power(-below);
            bool none = part[q] == 0 && x[q] != 0; /* not less than 0 */
            sum += none ? 0 : part[q] * x[q];
        }
    }
    if (any_odd) return odd == odd ? odd : f64_bits(INT64_MAX); /* 0x7fffffff as a float */
    if (half && __builtin_fabs(sum) < 0x1p-14)
        return __builtin_copysign(__builtin_floor(__builtin_fabs(sum) * 0x1p24 + 0.5) * 0x1p-24,
                                  sum);
    if (__builtin_fabs(sum) < least) return __builtin_copysign(0, sum);
    return sim_tex_round(sum, half ? 42 : 29);
}
