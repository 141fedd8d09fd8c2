/* What texture.c and the vector code of its commonest fetches (texture_path.inc) share. */
#ifndef WARPLAB_SIM_TEXTURE_H
#define WARPLAB_SIM_TEXTURE_H

#include <string.h>
#include "runner/device/sim/machine/state.h"

typedef struct tex_info tex_info;

/* The sectors that a request looks up: those of each quad of lanes once, of eight lanes in linear
 * memory (an H200's counts, exactly), of a pair where it filters (4% more than an H200 counts;
 * quads would be 21% fewer). */
typedef struct {
    uint64_t sector[SIM_WARP_LANES * 8 * 2]; /* eight texels of two levels */
    unsigned count, quad, from;              /* the quad that is being listed, from where on */
    sim_access *access;                      /* whose, at which site */
    const sim_site *site;
} tex_sectors;

/* One fetch of all active lanes from one texture whose bytes lie at host: fills the registers, `at`
 * as tex_fetch() gives it, and *touched. */
typedef void tex_warp_fn(sim_warp *w, const tex_info *k, const sim_texture *t, const uint8_t *host,
                         uint64_t at[SIM_WARP_LANES], tex_sectors *touched);

/* A decoded instruction. */
struct tex_info {
    uint16_t op;
    uint8_t geom, dtype, ctype, vec, elem; /* ptx's; elem: bytes of a suld/sust element */
    uint8_t dims, clamp, comp, query;
    bool array, cube; /* a layer's index comes first; a direction of three coordinates */
    sim_opnd coord[4], reg[4], lane_pred;
    sim_opnd src; /* sured: the operand */
    /* tex.level, txq.level: the level; tex.grad: the gradients by x and y */
    sim_opnd level, grad[2][3];
    uint8_t atom;
    const sim_site *site[5]; /* for accesses of 1, 2, 4, 8, 16 bytes */
    tex_warp_fn *fast;       /* for textures of 32-bit floats; NULL: none on this machine */
};

/* The level of a mipmapped array that a lane of the instruction asks for, and how much of the next
 * one is mixed in, in 1/256 (texture_level.c). */
typedef struct {
    unsigned level, part;
} tex_level;
tex_level sim_tex_level(sim_warp *w, const tex_info *k, const sim_texture *t, unsigned lane);

/* What the hardware makes of coordinates and weights, seen on an H100 (tests/cuda/texture_filter.cu):
 * a normalized coordinate has 21 fraction bits, the rest is cut off towards minus infinity, before it is
 * multiplied by the size; one that is no number is 0. */
static inline double sim_tex_fixed(double c) {
    double f = __builtin_floor(c * 0x1p21) * 0x1p-21;
    return f == f ? f : 0;
}

/* Coordinate d in texels. */
static inline double sim_tex_place(const sim_texture *t, unsigned d, double c, uint32_t size) {
    if (!t->normalized_coords) return c == c ? c : 0;
    bool turns = t->address[d] == SIM_TEX_WRAP || t->address[d] == SIM_TEX_MIRROR;
    return turns && c - c != 0 ? 0 : sim_tex_fixed(c) * size;
}

/* Products of weights have 8 fraction bits as the weights themselves, rounded up at half. */
static inline double sim_tex_product(double a, double b) {
    return __builtin_floor(a * b * 256 + 0.5) / 256;
}

/* What a filter takes in, of one channel: texels and how much of each, four to a group; which of
 * them take part: those of which no dimension's weight, and not the level's, is 0. */
enum { SIM_TEX_CORNERS = 16 };
typedef struct {
    double v[SIM_TEX_CORNERS], part[SIM_TEX_CORNERS];
    unsigned n, takes;
} tex_corners;

/* How much each of 1, 2, 4 or 8 texels gets of `share`, the upper one along dimension d, whose
 * weight is w[d], where bit d of its number is set; returns which take part, a bit each. A share is
 * cut along z, each part along x, and each of those along y: of a cut one side is a product, the
 * other what is left. */
unsigned sim_tex_weights(const double w[], unsigned dims, double share, double to[8]);
/* The filter of floats and halves, as exact as an H100's. Of what takes part each is cut off to as
 * many bits as the format has and four more, counted from the largest one's first in its group; the
 * sum of the products is exact, and becomes a float, or a half, away from zero at half. Floats that
 * are not normal are 0. Infinities and what is no number count even where the product is 0. (Of sums
 * of numbers 24 powers of two apart in two levels of a volume one in 600 has another last bit than
 * an H100's.) */
double sim_tex_sum(const tex_corners *c, bool half);
enum { SIM_TEX_BITS = 28, SIM_TEX_HALF_BITS = 15 };

/* The nearest of the numbers with `cut` bits less than a double, away from zero at half: sums of
 * weighted texels become floats with 29, halves with 42. */
static inline double sim_tex_round(double v, unsigned cut) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits = (bits + (1ull << (cut - 1))) >> cut << cut;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Index of a texel along one dimension after the address mode; -1: the border. */
static inline int64_t sim_tex_index(double at, uint32_t n, unsigned mode, bool normalized) {
    double f = __builtin_floor(at);
    if (!(f > -1e15 && f < 1e15)) f = f != f ? 0 : f < 0 ? -1e15 : 1e15;
    int64_t i = (int64_t)f, size = n;
    switch (mode) {
    case SIM_TEX_WRAP:
        if (!normalized) break; /* only with normalised coordinates; else it clamps */
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
