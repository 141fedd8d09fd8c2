/* Shared by texture.c and the vector code of its most frequent fetches (texture_path.inc). */
#ifndef WARPLAB_SIM_TEXTURE_H
#define WARPLAB_SIM_TEXTURE_H

#include <string.h>
#include "runner/device/sim/machine/state.h"

typedef struct tex_info tex_info;

/* The sectors that a request looks up: each once within a quad of lanes; within eight lanes in
 * linear memory (exactly an H200's counts); within a pair of lanes for filtered fetches (4% more
 * than an H200 counts; quads would give 21% fewer). */
typedef struct {
    uint64_t sector[SIM_WARP_LANES * 8 * 2]; /* eight texels of two levels */
    unsigned count, quad, from; /* the quad being listed, and the index of its first sector */
    sim_access *access;         /* for counting, at which site */
    const sim_site *site;
} tex_sectors;

/* Fetches for all active lanes from one texture whose bytes are at host: fills the registers, `at`
 * as tex_fetch() returns it, and *touched. */
typedef void tex_warp_fn(sim_warp *w, const tex_info *k, const sim_texture *t, const uint8_t *host,
                         uint64_t at[SIM_WARP_LANES], tex_sectors *touched);

/* A decoded instruction. */
struct tex_info {
    uint16_t op;
    uint8_t geom, dtype, ctype, vec, elem; /* enums of ptx.h; elem: bytes of a suld/sust element */
    uint8_t dims, clamp, comp, query;
    /* array: a layer's index comes first; cube: a direction of three coordinates */
    bool array, cube;
    sim_opnd coord[4], reg[4], lane_pred;
    sim_opnd src; /* sured: the operand */
    /* tex.level, txq.level: the level; tex.grad: the gradients by x and y */
    sim_opnd level, grad[2][3];
    uint8_t atom;
    const sim_site *site[5]; /* for accesses of 1, 2, 4, 8, 16 bytes */
    tex_warp_fn *fast;       /* for 32-bit texels; NULL: not on this machine */
};

/* The level of a mipmapped array that a lane asks for, and how much of the next one is mixed in, in
 * 1/256 (texture_level.c). */
typedef struct {
    unsigned level, part;
} tex_level;
tex_level sim_tex_level(sim_warp *w, const tex_info *k, const sim_texture *t, unsigned lane);

/* Rounds coordinates and weights as the hardware does, measured on an H100
 * (tests/cuda/texture_filter.cu): a normalized coordinate has 21 fraction bits, the rest is cut off
 * toward minus infinity, before it is multiplied by the size. A NaN becomes 0. */
static inline double sim_tex_fixed(double c) {
    double f = __builtin_floor(c * 0x1p21) * 0x1p-21;
    return f == f ? f : 0;
}

/* Returns coordinate d in texels. */
static inline double sim_tex_place(const sim_texture *t, unsigned d, double c, uint32_t size) {
    if (!t->normalized_coords) return c == c ? c : 0;
    bool turns = t->address[d] == SIM_TEX_WRAP || t->address[d] == SIM_TEX_MIRROR;
    return turns && c - c != 0 ? 0 : sim_tex_fixed(c) * size;
}

/* Products of weights have 8 fraction bits, like the weights themselves. Halves are rounded up. */
static inline double sim_tex_product(double a, double b) {
    return __builtin_floor(a * b * 256 + 0.5) / 256;
}

/* The filter's input of one channel: texels and their weights, in groups of four. A texel takes
 * part if no weight of a dimension, nor that of the level, is 0 for it. */
enum { SIM_TEX_CORNERS = 16 };
typedef struct {
    double v[SIM_TEX_CORNERS], part[SIM_TEX_CORNERS];
    unsigned n, takes;
} tex_corners;

/* Distributes `share` over 1, 2, 4 or 8 texels. Along dimension d, whose weight is w[d], the upper
 * texel is the one with bit d set in its number. Returns which texels take part, one bit each. The
 * share is cut along z, each part along x, and each of those along y; at each cut one side is a
 * product, the other is the rest. */
unsigned sim_tex_weights(const double w[], unsigned dims, double share, double to[8]);
/* The filter of floats and halves, as exact as an H100's. Each value that takes part is cut off to
 * the bits of the format plus four, counted from the first bit of the largest value in its group.
 * The sum of the products is exact; it becomes a float, or a half, and rounds halves away from
 * zero. Subnormal floats are 0. Infinities and NaNs count even if the product is 0. (In two levels
 * of a volume, one in 600 sums of numbers 24 powers of two apart differs from an H100's in the last
 * bit.) */
double sim_tex_sum(const tex_corners *c, bool half);
enum { SIM_TEX_BITS = 28, SIM_TEX_HALF_BITS = 15 };

/* Returns the nearest of the numbers with `cut` bits less than a double; halves are rounded away
 * from zero. Sums of weighted texels become floats with 29, halves with 42. */
static inline double sim_tex_round(double v, unsigned cut) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits = (bits + (1ull << (cut - 1))) >> cut << cut;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Returns the index of a texel along one dimension after applying the address mode; -1: the
 * border. */
static inline int64_t sim_tex_index(double at, uint32_t n, unsigned mode, bool normalized) {
    double f = __builtin_floor(at);
    if (!(f > -1e15 && f < 1e15)) f = f != f ? 0 : f < 0 ? -1e15 : 1e15;
    int64_t i = (int64_t)f, size = n;
    switch (mode) {
    case SIM_TEX_WRAP:
        if (!normalized) break; /* only with normalised coordinates; otherwise it clamps */
        if (i >= 0 && i < size) return i;
        i %= size;
        return i < 0 ? i + size : i;
    case SIM_TEX_MIRROR:
        if (!normalized) break;
        if (i >= 0 && i < size) return i;
        i %= 2 * size;
        if (i < 0) i += 2 * size;
        return i < size ? i : 2 * size - 1 - i;
    case SIM_TEX_BORDER: return i < 0 || i >= size ? -1 : i;
    default: break;
    }
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

#if defined(__x86_64__)
tex_warp_fn sim_tex_warp_avx2, sim_tex_warp_avx512;
#endif

#endif
