/* The arithmetic of a texture's filter: weights, sums of floats and halves. As an H100's and an
 * H200's; tests/cuda/texture_filter.cu and texture_sums.cu hold it to formulas of the host's that they
 * agree with. */
#include "runner/sim/special/texture.h"
#include "runner/sim/lane/lane.h"

void sim_tex_weights(const double w[], unsigned dims, double to[8]) {
    if (dims < 3) {
        double b = dims > 1 ? w[1] : 0, ab = dims > 1 ? sim_tex_product(w[0], b) : 0;
        to[0] = 1 - w[0] - b + ab, to[1] = w[0] - ab, to[2] = b - ab, to[3] = ab;
        return;
    }
    for (unsigned z = 0; z < 2; z++) {
        double level = z ? w[2] : 1 - w[2], right = sim_tex_product(w[0], level),
               column[2] = {level - right, right};
        for (unsigned x = 0; x < 2; x++) {
            double part = sim_tex_product(column[x], x ? w[1] : 1 - w[1]);
            to[4 * z + x] = x ? column[x] - part : part;
            to[4 * z + x + 2] = x ? part : column[x] - part;
        }
    }
}

static double tex_power(int e) { /* 2 to the e, which is in range */
    return f64_bits((uint64_t)(e + 1023) << 52);
}
/* x, which is not 0, is 1 to 2 times 2 to that. As a double each float and each half is normal. */
static int tex_exponent(double x) {
    return (int)(bits_f64(x) >> 52 & 0x7ff) - 1023;
}

double sim_tex_sum(const double v[], const double w[], unsigned dims, bool half) {
    enum { LEVEL = 4, NONE = -1022 };
    const double least = half ? 0 : 0x1p-126;
    double part[8], sum = -0.0, odd = 0;
    bool any_odd = false;
    sim_tex_weights(w, dims, part);
    for (unsigned from = 0; from < 1u << dims; from += LEVEL) {
        double x[LEVEL];
        int top = NONE;
        unsigned takes = 0;
        for (unsigned q = 0; q < LEVEL && from + q < 1u << dims; q++) {
            bool its = true;
            for (unsigned d = 0; d < dims; d++) its &= (from + q) >> d & 1 ? w[d] > 0 : w[d] < 1;
            x[q] = v[from + q];
            if (!its) continue;
            if (x[q] - x[q] != 0) {
                odd += x[q];
                any_odd = true;
                continue;
            }
            takes |= 1u << q;
            if (__builtin_fabs(x[q]) < least) x[q] = __builtin_copysign(0, x[q]);
            if (x[q] != 0 && part[from + q] != 0 && tex_exponent(x[q]) > top)
                top = tex_exponent(x[q]);
        }
        int below = (half ? SIM_TEX_HALF_BITS : SIM_TEX_BITS) - 1 - top;
        for (unsigned q = 0; q < LEVEL; q++) {
            if (!(takes >> q & 1)) continue;
            if (top != NONE) x[q] = __builtin_trunc(x[q] * tex_power(below)) * tex_power(-below);
            bool none = part[from + q] == 0 && x[q] != 0; /* not less than 0 */
            sum += none ? 0 : part[from + q] * x[q];
        }
    }
    if (any_odd) return odd == odd ? odd : f64_bits(INT64_MAX); /* as a float 0x7fffffff */
    if (half && __builtin_fabs(sum) < 0x1p-14)
        return __builtin_copysign(__builtin_floor(__builtin_fabs(sum) * 0x1p24 + 0.5) * 0x1p-24,
                                  sum);
    if (__builtin_fabs(sum) < least) return __builtin_copysign(0, sum);
    return sim_tex_round(sum, half ? 42 : 29);
}
