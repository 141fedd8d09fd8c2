/* Levels of a mipmapped array: where they are, and which of them a fetch reads.
 *
 *   tex, tex.base: level 0; tex.level: the operand; tex.grad: log2 of how far a pixel reaches, in
 *   texels of level 0 --+ bias, clamped--> one level, the nearest, or two levels and the weight of
 *   the upper one
 *
 * cudaTextureDesc (CUDA Runtime API): mipmapLevelBias is added to the level, min- and
 * maxMipmapLevelClamp limit it. PTX ISA 9.7.10, tex: the gradients are partial derivatives of the
 * coordinates, which are normalised. Rounding, and how far a pixel reaches, are as on an H200
 * (tests/cuda/mipmap_levels.cu): levels, bias and bounds have 8 fraction bits, the rest is cut off;
 * half-way between two levels, the upper one counts. */
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/special/texture.h"
#include <math.h>

static uint32_t halved(uint32_t n, unsigned times) {
    uint32_t half = n >> times;
    return half ? half : n ? 1 : 0;
}

/* The bytes from the first texel to the last of level 0. */
static uint64_t level_bytes(const sim_texture *t) {
    uint64_t rows = t->height ? t->height : 1, slices = t->depth ? t->depth : 1;
    return (slices - 1) * t->slice + (rows - 1) * t->pitch +
           t->width * ((uint64_t)t->channels * t->bits / 8);
}

void sim_texture_level(const sim_texture *t, unsigned k, sim_texture *level) {
    sim_texture at = *t;
    for (unsigned n = 1; n <= k; n++) {
        uint64_t slices = at.depth ? at.depth : 1, texel = (uint64_t)t->channels * t->bits / 8;
        at.base += slices * at.slice;
        at.width = halved(t->width, n), at.height = halved(t->height, n);
        if (!t->layered && !t->cubemap) at.depth = halved(t->depth, n);
        at.pitch = (at.width * texel + SIM_TEX_PITCH - 1) & ~(uint64_t)(SIM_TEX_PITCH - 1);
        at.slice = at.pitch * (at.height ? at.height : 1);
    }
    at.levels = 0;
    *level = at;
}

uint64_t sim_texture_bytes(const sim_texture *t) {
    sim_texture last;
    if (t->levels < 2) return level_bytes(t);
    sim_texture_level(t, t->levels - 1u, &last);
    return last.base - t->base + level_bytes(&last);
}

/* ---- how far a pixel reaches ---- */

/* A length: m times 2 to the e, m of ten bits, or 0. Further bits are cut off. */
typedef struct {
    uint32_t m;
    int e;
} reach;
enum { BITS = 10, ZERO = -1000 };

static reach reach_of(uint64_t m, int e) {
    if (!m) return (reach){0, ZERO};
    int over = 64 - BITS - __builtin_clzll(m);
    return (reach){(uint32_t)(over > 0 ? m >> over : m << -over), e + over};
}
static uint64_t down(uint64_t m, int by) {
    return by < 64 ? m >> by : 0;
}
static bool shorter(reach a, reach b) {
    return a.e < b.e || (a.e == b.e && a.m < b.m);
}
static reach longer_of(reach a, reach b) {
    return shorter(a, b) ? b : a;
}

/* A component of a gradient, in texels of `size`; seven eighths of what is lost are rounded up. */
static reach in_texels(float part, uint32_t size) {
    int e = 0;
    double m = frexp(fabs((double)part), &e);
    if (!(m > 0) || !size) return (reach){0, ZERO}; /* also NaN */
    if (m > 1) m = 0.5, e = 128;                    /* infinity */
    unsigned log = 31u - (unsigned)__builtin_clz(size);
    uint64_t ten = (uint64_t)(m * (1 << BITS)), lost = (UINT64_C(7) << log) >> 3;
    return reach_of((ten * size + lost) >> log, e - BITS + (int)log);
}

static reach sum_of(reach a, reach b, bool minus) {
    if (shorter(a, b)) return sum_of(b, a, minus);
    uint64_t m = (uint64_t)a.m << 1, n = down((uint64_t)b.m << 1, a.e - b.e);
    if (!minus) return reach_of(a.m + down(b.m, a.e - b.e), a.e);
    return reach_of(m - n, a.e - 1);
}
static reach eleven_16ths(reach a) {
    return reach_of((11 * (uint64_t)a.m + 4) >> 3, a.e - 1);
}
/* The length of a vector: the longest component, plus 11/32 of the next and a quarter of the
 * shortest. */
static reach length_of(const reach part[3]) {
    reach x = part[0], y = part[1], z = part[2], t;
    if (shorter(x, y)) t = x, x = y, y = t;
    if (shorter(x, z)) t = x, x = z, z = t;
    if (shorter(y, z)) t = y, y = z, z = t;
    uint64_t others = (11 * (uint64_t)y.m + 8 * down(z.m, y.e - z.e) + 4) >> 5;
    return reach_of(x.m + down(others, x.e - y.e), x.e);
}

/* The longest of both gradients and of 11/16 of their sum and of their difference. (Where the
 * gradients point in different directions, one level in 700 is 1/256 off an H200's; in a volume,
 * one in 100.) */
static reach pixel_reaches(sim_warp *w, const tex_info *k, const sim_texture *t, unsigned lane) {
    const uint32_t size[3] = {t->width, t->height, t->depth};
    reach by[2][3], most = {0, ZERO};
    bool minus[2][3] = {{false}};
    for (unsigned g = 0; g < 2; g++) {
        for (unsigned n = 0; n < 3; n++) {
            by[g][n] = (reach){0, ZERO};
            if (n >= k->dims) continue;
            float part;
            memcpy(&part, &LANES(const uint32_t, k->grad[g][n])[lane], sizeof part);
            by[g][n] = in_texels(part, size[n]);
            minus[g][n] = part < 0;
        }
        most = longer_of(most, length_of(by[g]));
    }
    for (unsigned both = 0; both < 2; both++) {
        reach r[3];
        for (unsigned n = 0; n < 3; n++)
            r[n] = eleven_16ths(sum_of(by[0][n], by[1][n], (minus[0][n] != minus[1][n]) != both));
        most = longer_of(most, length_of(r));
    }
    return most;
}

/* 256 times log2 of 1 to 2, by the first eight bits: taken in the middle of each interval and
 * rounded up from 0.53 on, except the first, which is 0. */
static const uint8_t log_256ths[256] = {
    0,   2,   4,   5,   6,   8,   9,   11,  12,  13,  15,  16,  18,  19,  20,  22,  23,  24,  26,
    27,  28,  30,  31,  32,  34,  35,  36,  38,  39,  40,  42,  43,  44,  45,  47,  48,  49,  50,
    52,  53,  54,  55,  57,  58,  59,  60,  62,  63,  64,  65,  66,  68,  69,  70,  71,  72,  74,
    75,  76,  77,  78,  79,  81,  82,  83,  84,  85,  86,  88,  89,  90,  91,  92,  93,  94,  95,
    97,  98,  99,  100, 101, 102, 103, 104, 105, 106, 107, 109, 110, 111, 112, 113, 114, 115, 116,
    117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 135, 136,
    137, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154,
    155, 156, 157, 158, 159, 160, 161, 162, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172,
    173, 173, 174, 175, 176, 177, 178, 179, 180, 181, 181, 182, 183, 184, 185, 186, 187, 188, 188,
    189, 190, 191, 192, 193, 194, 195, 195, 196, 197, 198, 199, 200, 200, 201, 202, 203, 204, 205,
    205, 206, 207, 208, 209, 210, 210, 211, 212, 213, 214, 214, 215, 216, 217, 218, 218, 219, 220,
    221, 222, 222, 223, 224, 225, 226, 226, 227, 228, 229, 229, 230, 231, 232, 233, 233, 234, 235,
    236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244, 245, 245, 246, 247, 248, 248, 249,
    250, 251, 251, 252, 253, 253, 254, 255, 255,
};

/* Far below and above any level of a texture, in 1/256. */
enum { LEVEL_FAR = 1 << 20 };

/* A level in 1/256, cut off toward 0. A NaN is below all levels. */
static int level_256ths(double level) {
    double x = level * 256;
    if (!(x > -LEVEL_FAR)) return -LEVEL_FAR;
    return x < LEVEL_FAR ? (int)x : LEVEL_FAR;
}

/* Returns the level of detail that a lane asks for, in 1/256, from 0 to the last level. */
static unsigned level_asked(sim_warp *w, const tex_info *k, const sim_texture *t, unsigned lane) {
    int level = 0, last = (t->levels - 1) * 256, low = level_256ths((double)t->level_min),
        high = level_256ths((double)t->level_max);
    if (k->op == PTX_OP_tex_level) {
        uint32_t bits = LANES(const uint32_t, k->level)[lane];
        float f;
        memcpy(&f, &bits, sizeof f);
        level = level_256ths(k->ctype == PTX_F32 ? (double)f : (double)(int32_t)bits);
    } else if (k->op == PTX_OP_tex_grad) {
        reach r = pixel_reaches(w, k, t, lane);
        level = r.m ? (r.e + BITS - 1) * 256 + log_256ths[(r.m >> 1) - 256] : -LEVEL_FAR;
    }
    level += level_256ths((double)t->level_bias);
    if (level < low) level = low;
    if (level > high) level = high;
    if (level < 0) level = 0;
    return (unsigned)(level < last ? level : last);
}

tex_level sim_tex_level(sim_warp *w, const tex_info *k, const sim_texture *t, unsigned lane) {
    unsigned asked = level_asked(w, k, t, lane);
    if (t->linear_levels) return (tex_level){asked / 256, asked % 256};
    return (tex_level){(asked + 128) / 256, 0};
}
