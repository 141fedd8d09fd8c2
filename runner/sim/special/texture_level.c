/* Levels of a mipmapped array: where they lie, and which of them a fetch reads.
 *
 *   tex, tex.base: level 0; tex.level: the operand; tex.grad: log2 of the longer gradient, in texels of
 *   level 0 --+ bias, clamped--> one level, the nearest, or two and how much of the upper one
 *
 * cudaTextureDesc (CUDA Runtime API): mipmapLevelBias is added to the level, min- and
 * maxMipmapLevelClamp bound it. PTX ISA 9.7.10, tex: the gradients are partial derivatives of the
 * coordinates, which are normalised. The level has 8 fraction bits, as the weights within a level have; a
 * level half-way between two is the upper one's. */
#include "runner/sim/exec/lanes.h"
#include "runner/sim/special/texture.h"
#include <math.h>

static uint32_t halved(uint32_t n, unsigned times) {
    uint32_t half = n >> times;
    return half ? half : n ? 1 : 0;
}

/* From the first texel to the last of level 0. */
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

/* The longer of the two gradients of a lane, in texels. */
static double gradient(sim_warp *w, const tex_info *k, const sim_texture *t, unsigned lane) {
    const uint32_t size[3] = {t->width, t->height, t->depth};
    double most = 0;
    for (unsigned g = 0; g < 2; g++) {
        double sum = 0;
        for (unsigned n = 0; n < 3 && n < k->dims; n++) {
            float part;
            memcpy(&part, &LANES(const uint32_t, k->grad[g][n])[lane], sizeof part);
            sum += (double)part * size[n] * ((double)part * size[n]);
        }
        if (sum > most) most = sum;
    }
    return sqrt(most);
}

/* The level of detail that a lane asks for, in 1/256, from 0 to the last level. */
static unsigned level_asked(sim_warp *w, const tex_info *k, const sim_texture *t, unsigned lane) {
    double level = 0;
    if (k->op == PTX_OP_tex_level) {
        uint32_t bits = LANES(const uint32_t, k->level)[lane];
        float f;
        memcpy(&f, &bits, sizeof f);
        level = k->ctype == PTX_F32 ? (double)f : (double)(int32_t)bits;
    } else if (k->op == PTX_OP_tex_grad) {
        level = log2(gradient(w, k, t, lane));
    }
    level += (double)t->level_bias;
    if (!(level >= (double)t->level_min)) level = (double)t->level_min; /* and what is no number */
    if (level > (double)t->level_max) level = (double)t->level_max;
    if (!(level >= 0)) level = 0;
    if (level > t->levels - 1) level = t->levels - 1;
    return (unsigned)(level * 256 + 0.5);
}

tex_level sim_tex_level(sim_warp *w, const tex_info *k, const sim_texture *t, unsigned lane) {
    unsigned asked = level_asked(w, k, t, lane);
    if (t->linear_levels) return (tex_level){asked / 256, asked % 256};
    return (tex_level){(asked + 128) / 256, 0};
}
