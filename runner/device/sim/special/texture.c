/* Textures and surfaces (PTX ISA 9.7.10, 9.7.11; CUDA C++ Programming Guide, "Texture Fetching").
 *
 *   sim_texture_new(): description --> handle, an index in the device's table
 *   tex:               coordinates --> texels by the address mode --> filtered --> converted
 *   suld, sust:        x in bytes, no filter
 *
 * Coordinates, fractions and borders are as exact as the hardware's (tests/cuda/texture_filter.cu).
 * texture_sum.c weighs and adds texels; texture_level.c says which levels of a mipmapped array are
 * read. A cubemap is six layers; its filter stays within a face. A request is checked at the texel
 * of its lowest coordinates and counted with all texels.
 *
 * This file works lane by lane, for every machine and every texture. texture_path.inc does the most
 * frequent fetches with vector code. */
#include <stdio.h>
#include <stdlib.h>
#include "runner/device/sim/emit/emit.h"
#include "runner/base/buffer.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/lane/lane.h"
#include "runner/device/sim/machine/fault.h"
#include "runner/device/sim/special/texture.h"
#include "words/finding.h"

/* ---- handles ---- */

enum { MAX_TEXTURES = 1 << 20 };

static const sim_texture *tex_find(const sim_device *d, uint64_t handle) {
    uint64_t k = handle - SIM_TEXTURE_TAG - 1;
    return k < d->texture_count && d->textures[k].channels ? &d->textures[k] : NULL;
}

sim_status sim_texture_new(sim_device *d, const sim_texture *t, uint64_t *handle) {
    uint64_t rows = t->height ? t->height : 1, slices = t->depth ? t->depth : 1;
    bool sane = (t->channels == 1 || t->channels == 2 || t->channels == 4) &&
                (t->bits == 8 || t->bits == 16 || t->bits == 32) && t->kind <= SIM_TEX_FLOAT &&
                !(t->kind == SIM_TEX_FLOAT && t->bits == 8) && t->width && t->width <= 1u << 28 &&
                rows <= 1u << 17 && slices <= 1u << 17 && t->pitch <= 1ull << 32 &&
                t->slice <= 1ull << 40;
    if (!sane) return SIM_BAD_ARGUMENT;
    if (t->levels > SIM_TEX_LEVELS || !sim_memory_host(d->memory, t->base, sim_texture_bytes(t)))
        return SIM_BAD_ARGUMENT;
    size_t k = 0;
    while (k < d->texture_count && d->textures[k].channels) k++;
    if (k == d->texture_count) {
        size_t cap = d->texture_count ? 2 * d->texture_count : 16;
        if (cap > MAX_TEXTURES || !lib_resize(&d->textures, cap, sizeof *d->textures))
            return SIM_NOMEM;
        memset(d->textures + k, 0, (cap - k) * sizeof *d->textures);
        d->texture_count = cap;
    }
    d->textures[k] = *t;
    *handle = SIM_TEXTURE_TAG + k + 1;
    return SIM_OK;
}

sim_status sim_texture_free(sim_device *d, uint64_t handle) {
    if (!tex_find(d, handle)) return SIM_BAD_ARGUMENT;
    memset(&d->textures[handle - SIM_TEXTURE_TAG - 1], 0, sizeof *d->textures);
    return SIM_OK;
}

/* ---- texels ---- */

/* Returns the integer that is read as 1. */
static double tex_top(const sim_texture *t) {
    return (double)((1ll << (t->bits - (t->kind == SIM_TEX_SIGNED ? 1 : 0))) - 1);
}

/* Returns the four components of the texel at p as the instruction's type has them: floats as their
 * bits, fractions still as integers. */
static void tex_components(const sim_texture *t, const uint8_t *p, double out[4], uint32_t raw[4]) {
    for (unsigned c = 0; c < 4; c++) {
        uint32_t v = 0;
        out[c] = 0;
        raw[c] = 0;
        if (c >= t->channels) continue;
        memcpy(&v, p + c * t->bits / 8u, t->bits / 8u);
        bool sign = t->kind == SIM_TEX_SIGNED;
        if (t->kind == SIM_TEX_FLOAT) {
            out[c] = t->bits == 16 ? (double)f16_to_f32((uint16_t)v) : (double)f32_bits(v);
            raw[c] = t->bits == 16 ? bits_f32(f16_to_f32((uint16_t)v)) : v;
            continue;
        }
        int64_t x = sign ? (int64_t)((uint64_t)v << (64 - t->bits)) >> (64 - t->bits) : (int64_t)v;
        raw[c] = (uint32_t)x;
        out[c] = (double)x;
    }
}

/* Returns the nearest half toward 0. */
static float tex_half(float f) {
    uint16_t h = f32_to_f16(f);
    if (__builtin_fabsf(f16_to_f32(h)) > __builtin_fabsf(f)) h--;
    return f16_to_f32(h);
}

/* Returns the border's colour as a component of a texel holds it. Integers have the bits of the
 * float, as many as they have; fractions and halves cannot be more exact than a texel (measured on
 * an H100). */
static double tex_border(const sim_texture *t, unsigned c, uint32_t *raw) {
    float f = t->border[c];
    uint32_t bits = bits_f32(f);
    *raw = bits;
    if (t->kind == SIM_TEX_FLOAT) {
        if (t->bits == 16 && f == f) f = tex_half(f);
        *raw = bits_f32(f);
        return (double)f;
    }
    if (!t->normalized_float) {
        unsigned up = 32u - t->bits;
        *raw =
            t->kind == SIM_TEX_SIGNED ? (uint32_t)((int32_t)(bits << up) >> up) : bits << up >> up;
        return t->kind == SIM_TEX_SIGNED ? (double)(int32_t)*raw : (double)*raw;
    }
    double top = tex_top(t), x = (double)f * top;
    if (!(x > 0 || t->kind == SIM_TEX_SIGNED) || f != f) return 0;
    if (x > top) x = top;
    if (x < -top) x = -top;
    return t->kind == SIM_TEX_SIGNED ? __builtin_ceil(x - 0.5) + 0.0 : __builtin_floor(x);
}

/* Returns what a texel of fractions adds to a filter's sum: an integer of 16 bits; of 8 bits for a
 * signed byte. */
static double tex_addend(const sim_texture *t, double v) {
    return t->bits == 16 || t->kind == SIM_TEX_SIGNED ? v : v * 257;
}
/* Returns the fraction. Filtered fractions are integers of 16 bits until the end. A sum of signed
 * bytes has 8 fraction bits, which make 16 bits with it, plus a 128th (a 16,384th, in steps):
 * nearly 32767 / 127 / 256. An H100 has this value for each of the 65,281 sums. */
static double tex_fraction(const sim_texture *t, bool linear, double sum) {
    bool sign = t->kind == SIM_TEX_SIGNED;
    double top = linear ? (sign ? INT16_MAX : UINT16_MAX) : tex_top(t), v = sum;
    if (linear && sign && t->bits == 8) {
        int s = (int)(sum * 256);
        v = s + ((s + 64 + 16 * (s >> 12)) >> 7);
    } else if (linear) v = __builtin_floor(sum + 0.5);
    return v < -top ? -1 : v / top;
}

static const uint8_t *tex_texel(const sim_texture *t, const uint8_t *host, int64_t x, int64_t y,
                                int64_t z) {
    return host + (uint64_t)z * t->slice + (uint64_t)y * t->pitch +
           (uint64_t)x * (t->channels * t->bits / 8u);
}

/* Returns where the caches look for the texel at (x, y, z), in sectors of 32 bytes. Arrays are
 * stored in groups of 64 bytes by 8 rows (GOB): 512 bytes in which a sector is 16 bytes by 2 rows
 * and a line 32 bytes by 4 rows. Blocks of up to 16 groups are stacked vertically. NVIDIA Tegra X1
 * Technical Reference Manual, "Pixel Memory Formats", block linear; an H200's sectors for rows,
 * columns and rotations agree (tests/truth/spaces.def). */
static uint64_t tex_sector(const sim_texture *t, int64_t x, int64_t y, int64_t z) {
    uint64_t texel = (uint64_t)t->channels * t->bits / 8u, bx = (uint64_t)x * texel;
    if (!t->block_linear)
        return (t->base + (uint64_t)z * t->slice + (uint64_t)y * t->pitch + bx) / 32;
    uint64_t groups = (t->height ? t->height + 7u : 8u) / 8, high = 1, r = (uint64_t)y;
    while (high < groups && high < 16) high *= 2;
    uint64_t across = (t->width * texel + 63) / 64, rows = (groups + high - 1) / high,
             block = ((uint64_t)z * rows + r / (8 * high)) * across + bx / 64,
             group = block * high + r / 8 % high,
             within = bx % 64 / 32 * 8 + r % 8 / 2 * 2 + bx % 32 / 16;
    return t->base / 32 + group * 16 + within;
}

static void tex_touch(tex_sectors *to, unsigned group, uint64_t sector) {
    if (!to->count || group != to->quad) to->quad = group, to->from = to->count;
    for (unsigned k = to->from; k < to->count; k++)
        if (to->sector[k] == sector) return;
    to->sector[to->count++] = sector;
}

/* Coordinates beyond the middle of the last texel are weighed as if they were there. */
static bool tex_clamps(const sim_texture *t, unsigned d) {
    return t->address[d] == SIM_TEX_CLAMP ||
           (t->address[d] != SIM_TEX_BORDER && !t->normalized_coords);
}

/* The result of a fetch, before it becomes the instruction's type: the filter's input, by channel;
 * integers as they are. */
typedef struct {
    tex_corners from[4];
    uint32_t raw[4];
} tex_value;

/* Returns whether the fetch was filtered: between two levels or between texels. */
static double tex_filtered(const sim_texture *t, const tex_corners *c) {
    bool mixed = c->n > 1;
    if (!t->normalized_float || t->bits == 32)
        return mixed ? sim_tex_sum(c, t->bits == 16) : c->v[0];
    double sum = mixed ? 0 : c->v[0];
    for (unsigned n = 0; mixed && n < c->n; n++) sum += c->part[n] * tex_addend(t, c->v[n]);
    return tex_fraction(t, mixed, sum);
}

/* Fetches for one lane from one level, whose texels are at `host`; the result counts with weight
 * `share`. Returns the address of its lowest texel. */
static sim_addr tex_fetch(const tex_info *k, const sim_texture *t, const uint8_t *host,
                          const double at[3], uint32_t layer, unsigned lane, double share,
                          tex_sectors *touched, tex_value *to) {
    uint32_t size[3] = {t->width, t->height ? t->height : 1, t->depth ? t->depth : 1};
    double c[3] = {at[0], k->dims > 1 ? at[1] : 0, k->dims > 2 ? at[2] : 0};
    bool integer = k->ctype == PTX_S32,
         linear = t->linear_filter && !integer && (t->kind == SIM_TEX_FLOAT || t->normalized_float);
    sim_addr first = t->base;
    double weight[3] = {0};
    /* A texture of one dimension is a row between two rows of the border, if its address mode has
     * one. */
    unsigned dims = k->dims;
    if (linear && dims == 1 && !k->array && t->address[1] == SIM_TEX_BORDER) dims = 2;
    for (unsigned d = 0; d < 3; d++) {
        if (d >= dims) continue;
        if (!integer) c[d] = sim_tex_place(t, d, c[d], size[d]);
        if (linear) {
            c[d] -= 0.5;
            double f = __builtin_floor(c[d]);
            weight[d] = __builtin_floor((c[d] - f) * 256 + 0.5) / 256;
            if (!(weight[d] >= 0) || (tex_clamps(t, d) && !(c[d] >= 0 && c[d] <= size[d] - 1.0)))
                weight[d] = 0;
        }
    }
    unsigned corners = linear ? 1u << dims : 1, from = to->from[0].n, takes;
    double part[8];
    takes = sim_tex_weights(weight, linear ? dims : 0, share, part);
    for (unsigned n = 0; n < corners; n++) {
        bool border = false;
        int64_t i[3] = {0, 0, 0};
        for (unsigned d = 0; d < 3 && d < dims; d++) {
            unsigned up = n >> d & 1;
            if (integer) {
                i[d] = (int64_t)c[d];
                if (i[d] < 0 || i[d] >= size[d]) border = true; /* reads past the end return 0 */
            } else {
                i[d] = sim_tex_index(c[d] + up, size[d], t->address[d], t->normalized_coords);
                border |= i[d] < 0;
            }
        }
        if (k->array || k->cube) i[2] = layer < size[2] ? layer : size[2] - 1;
        double v[4];
        if (border) {
            for (unsigned x = 0; x < 4; x++) {
                v[x] = 0, to->raw[x] = 0;
                if (!integer) v[x] = tex_border(t, x, &to->raw[x]);
            }
        } else {
            const uint8_t *p = tex_texel(t, host, i[0], i[1], i[2]);
            tex_components(t, p, v, to->raw);
            sim_addr here = t->base + (uint64_t)(p - host);
            if (n == 0) first = here;
            if (touched->site) {
                sim_addr read[SIM_WARP_LANES];
                read[lane] = here;
                sim_access_texels(touched->access, touched->site, read, 1u << lane,
                                  t->channels * t->bits / 8u);
            }
            tex_touch(touched,
                      lane / (linear            ? 2
                              : t->block_linear ? 4
                                                : 8),
                      tex_sector(t, i[0], i[1], i[2]));
        }
        for (unsigned x = 0; x < 4; x++) {
            to->from[x].v[from + n] = v[x];
            to->from[x].part[from + n] = part[n];
        }
    }
    for (unsigned x = 0; x < 4; x++) {
        to->from[x].n += corners;
        to->from[x].takes |= takes << from;
    }
    return first;
}

/* The same for a mipmapped array: from the level that the lane asks for, or from two levels, whose
 * texels go into one sum. */
static sim_addr tex_fetch_levels(sim_warp *w, const tex_info *k, const sim_texture *t,
                                 const uint8_t *host, const double at[3], uint32_t layer,
                                 unsigned lane, tex_sectors *touched, tex_value *v) {
    tex_level pick = sim_tex_level(w, k, t, lane);
    double upper = pick.part / 256.0;
    sim_texture one;
    sim_texture_level(t, pick.level, &one);
    sim_addr first =
        tex_fetch(k, &one, host + (one.base - t->base), at, layer, lane, 1 - upper, touched, v);
    if (!pick.part) return first;
    uint32_t raw[4];
    memcpy(raw, v->raw, sizeof raw);
    for (unsigned x = 0; x < 4; x++) { /* each is a group of its own */
        tex_corners *c = &v->from[x];
        for (; c->n % 4; c->n++) c->v[c->n] = c->part[c->n] = 0;
    }
    sim_texture_level(t, pick.level + 1, &one);
    tex_fetch(k, &one, host + (one.base - t->base), at, layer, lane, upper, touched, v);
    memcpy(v->raw, raw, sizeof raw);
    return first;
}

/* Reads what the lane's coordinates ask for. */
static sim_addr tex_read(sim_warp *w, const tex_info *k, const sim_texture *t, const uint8_t *host,
                         const double at[3], uint32_t layer, unsigned lane, tex_sectors *touched,
                         uint32_t out[4]) {
    tex_value v;
    for (unsigned x = 0; x < 4; x++) v.from[x].n = v.from[x].takes = 0;
    sim_addr a = t->levels > 1 ? tex_fetch_levels(w, k, t, host, at, layer, lane, touched, &v)
                               : tex_fetch(k, t, host, at, layer, lane, 1, touched, &v);
    /* The texture says what its components are, because the machine instruction has no type for
     * them. */
    bool real = t->kind == SIM_TEX_FLOAT || t->normalized_float;
    for (unsigned x = 0; x < 4; x++) {
        float f = real ? (float)tex_filtered(t, &v.from[x]) : 0;
        out[x] = !real ? v.raw[x] : k->dtype == PTX_F16 ? f32_to_f16(f) : bits_f32(f);
    }
    return a;
}

static bool tex_bad_handle(sim_warp *w, const sim_insn *i, uint32_t lanes, uint64_t handle) {
    sim_fail_at(w, i->ptx, lanes, SIM_ILLEGAL_ADDRESS, SIM_FIND_TRAP,
                w_finding_no_texture((long long)handle));
    return false;
}

static double tex_coordinate(sim_warp *w, const tex_info *k, unsigned n, unsigned l) {
    const uint32_t *v = LANES(const uint32_t, k->coord[n]);
    return k->ctype == PTX_F32 ? (double)f32_bits(v[l]) : (double)(int32_t)v[l];
}

static const sim_site *tex_site(const tex_info *k, unsigned bytes) {
    return k->site[bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4];
}
static void tex_count_read(sim_warp *w, const tex_info *k, unsigned bytes, const uint64_t *at,
                           uint32_t lanes, const tex_sectors *t) {
    const sim_site *s = tex_site(k, bytes);
    if (s && lanes && sim_access_texture(w->access, s, at, lanes, t->sector, t->count) != lanes)
        sim_memory_fault(w);
}
/* Counts the accesses. The places of the lanes' bytes on the host may be in the block's own
 * copy. */
static void tex_count(sim_warp *w, const tex_info *k, unsigned bytes, const uint64_t *at,
                      uint32_t lanes, void *host[SIM_WARP_LANES]) {
    void *ptr[SIM_WARP_LANES];
    const sim_site *s = tex_site(k, bytes);
    if (!s || !lanes) return;
    uint32_t through = s->ptr(w->access, s, at, lanes, ptr);
    for (uint32_t m = through; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        host[l] = ptr[l];
    }
    if (through != lanes) sim_memory_fault(w);
}

/* Returns the face that a direction meets, and where: c becomes s, t in [0, 1]. CUDA C++
 * Programming Guide, "Cubemap Textures". */
static uint32_t cube_face(double c[3]) {
    double x = c[0], y = c[1], z = c[2], ax = fabs(x), ay = fabs(y), az = fabs(z), m, s, t;
    uint32_t face;
    if (ax >= ay && ax >= az) {
        face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
    } else if (ay >= az) {
        face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
    } else {
        face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
    }
    c[0] = (s / m + 1) / 2;
    c[1] = (t / m + 1) / 2;
    return face;
}

/* Uses vector code if all lanes fetch from one texture of 32-bit floats or integers. */
static bool tex_together(sim_warp *w, const sim_insn *i, uint64_t at[SIM_WARP_LANES],
                         tex_sectors *touched, unsigned *bytes) {
    const tex_info *k = i->aux;
    const uint64_t *handle = LANES(const uint64_t, i->a);
    const sim_device *d = w->block->run->device;
    if (!w->mask) return false;
    uint64_t one = handle[__builtin_ctz(w->mask)], other = 0;
    for (unsigned l = 0; l < SIM_WARP_LANES; l++)
        other |= (handle[l] ^ one) & -(uint64_t)(w->mask >> l & 1);
    if (other) return false;
    const sim_texture *t = tex_find(d, one);
    if (!t || t->bits != 32 || t->levels > 1 || t->pitch > UINT32_MAX) return false;
    bool real = t->kind == SIM_TEX_FLOAT;
    if (!real && t->normalized_float) return false;
    if (real && t->linear_filter && k->dims == 1 && t->address[1] == SIM_TEX_BORDER) return false;
    const uint8_t *host = sim_memory_used(d->memory, t->base, sim_texture_bytes(t), false);
    if (!host) return false;
    *bytes = 4u * t->channels;
    touched->site = tex_site(k, *bytes);
    k->fast(w, k, t, host, at, touched);
    return true;
}

/* One component of four texels: (0,1) (1,1) (1,0) (0,0). */
static sim_addr tex_gather(sim_warp *w, const tex_info *k, const sim_texture *t,
                           const uint8_t *host, const double c[3], uint32_t layer, unsigned lane,
                           tex_sectors *touched, uint32_t out[4]) {
    static const double dx[4] = {-0.5, 0.5, 0.5, -0.5}, dy[4] = {0.5, 0.5, -0.5, -0.5};
    sim_texture nearest = *t;
    sim_addr at = 0;
    nearest.linear_filter = false;
    nearest.levels = 0;
    for (unsigned n = 0; n < 4; n++) {
        /* the middle of the texel, from where rounding a coordinate cannot reach another texel */
        uint32_t height = t->height ? t->height : 1;
        double q[3] = {__builtin_floor(sim_tex_place(t, 0, c[0], t->width) + dx[n]) + 0.5,
                       __builtin_floor(sim_tex_place(t, 1, c[1], height) + dy[n]) + 0.5, 0};
        if (t->normalized_coords) q[0] /= t->width, q[1] /= height;
        uint32_t x[4];
        at = tex_read(w, k, &nearest, host, q, layer, lane, touched, x);
        out[n] = x[k->comp - PTX_COMP_r];
    }
    return at;
}

/* R[reg] := texture R[a] at the coordinates */
static void exec_tex(sim_warp *w, const sim_insn *i) {
    const tex_info *k = i->aux;
    const uint64_t *handle = LANES(const uint64_t, i->a);
    const sim_device *d = w->block->run->device;
    uint64_t at[SIM_WARP_LANES] = {0};
    unsigned bytes = 4;
    tex_sectors touched;
    touched.count = 0;
    touched.access = w->access;
    if (k->fast && tex_together(w, i, at, &touched, &bytes)) {
        if (k->lane_pred != SIM_NO_SLOT) sim_set_pred(w, k->lane_pred, SIM_ALL_LANES);
        tex_count_read(w, k, bytes, at, w->mask, &touched);
        return;
    }
    const sim_texture *found = NULL; /* of the lane before, and where its texels are */
    const uint8_t *host = NULL;
    uint64_t looked = 0;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (!host || handle[l] != looked) {
            found = tex_find(d, looked = handle[l]);
            host = found ? sim_memory_used(d->memory, found->base, sim_texture_bytes(found), false)
                         : NULL;
        }
        if (!host && !tex_bad_handle(w, i, 1u << l, handle[l])) return;
        const sim_texture *t = found;
        touched.site = tex_site(k, t->channels * t->bits / 8u);
        unsigned skip = k->array;
        double c[3] = {0};
        for (unsigned n = 0; n < (unsigned)k->dims + k->cube; n++)
            c[n] = tex_coordinate(w, k, n + skip, l);
        uint32_t layer = skip ? LANES(const uint32_t, k->coord[0])[l] : 0, v[4];
        sim_texture face;
        if (k->cube) {
            face = *t;
            face.normalized_coords = true;
            face.address[0] = face.address[1] = SIM_TEX_CLAMP;
            t = &face;
            uint32_t cubes = t->depth / 6;
            layer = (skip && cubes ? layer < cubes ? layer : cubes - 1 : 0) * 6 + cube_face(c);
        }
        if (k->cube && k->op == PTX_OP_tex_grad && t->levels > 1) {
            sim_fail_at(w, i->ptx, 1u << l, SIM_UNSUPPORTED, SIM_FIND_UNSUPPORTED,
                        w_finding_cubemap_gradients());
            return;
        }
        at[l] = k->op == PTX_OP_tld4 && k->comp
                    ? tex_gather(w, k, t, host, c, layer, l, &touched, v)
                    : tex_read(w, k, t, host, c, layer, l, &touched, v);
        bytes = t->channels * t->bits / 8u;
        for (unsigned n = 0; n < k->vec; n++)
            if (k->reg[n] != SIM_NO_SLOT) LANES(uint32_t, k->reg[n])[l] = v[n];
    }
    if (k->lane_pred != SIM_NO_SLOT) sim_set_pred(w, k->lane_pred, SIM_ALL_LANES);
    tex_count_read(w, k, bytes, at, w->mask, &touched);
}

/* Returns the place of lane l's surface access; NULL: outside, where the instruction gives 0 or
 * does nothing. */
static uint8_t *tex_surface(sim_warp *w, const sim_insn *i, unsigned l, uint32_t bytes,
                            uint64_t *at, bool *stop) {
    const tex_info *k = i->aux;
    const sim_device *d = w->block->run->device;
    uint64_t handle = LANES(const uint64_t, i->a)[l];
    const sim_texture *t = tex_find(d, handle);
    uint8_t *host =
        t ? sim_memory_used(d->memory, t->base, sim_texture_bytes(t), k->op != PTX_OP_suld_b)
          : NULL;
    *stop = false;
    if (!host) {
        *stop = true;
        tex_bad_handle(w, i, 1u << l, handle);
        return NULL;
    }
    uint32_t texel_bytes = t->channels * t->bits / 8u;
    unsigned skip = k->array;
    int64_t size[3] = {(int64_t)t->width * texel_bytes, t->height ? t->height : 1,
                       t->depth ? t->depth : 1},
            c[3] = {0};
    for (unsigned n = 0; n < k->dims; n++)
        c[n] = (int32_t)LANES(const uint32_t, k->coord[n + skip])[l];
    if (k->op == PTX_OP_sust_p || k->op == PTX_OP_sured_p) c[0] *= texel_bytes;
    if (skip) c[2] = LANES(const uint32_t, k->coord[0])[l];
    for (unsigned n = 0; n < 3; n++) {
        int64_t last = n == 0 ? size[0] - (int64_t)bytes : size[n] - 1;
        if (c[n] >= 0 && c[n] <= last) continue;
        if (k->clamp == PTX_CLAMP_clamp) {
            c[n] = c[n] < 0 ? 0 : last;
        } else if (k->clamp == PTX_CLAMP_zero) {
            return NULL;
        } else {
            sim_fail_at(w, i->ptx, 1u << l, SIM_ILLEGAL_ADDRESS, SIM_FIND_TRAP,
                        w_finding_surface_outside(t->width, t->height, t->depth, c[0], c[1], c[2]));
            *stop = true;
            return NULL;
        }
    }
    uint64_t by = (uint64_t)c[2] * t->slice + (uint64_t)c[1] * t->pitch + (uint64_t)c[0];
    *at = t->base + by;
    return host + by;
}

static void exec_surface(sim_warp *w, const sim_insn *i) {
    const tex_info *k = i->aux;
    bool load = k->op == PTX_OP_suld_b, reduce = k->atom != 0;
    uint64_t at[SIM_WARP_LANES] = {0};
    void *host[SIM_WARP_LANES] = {0};
    uint32_t bytes = (uint32_t)k->elem * k->vec, done = 0;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        bool stop;
        uint8_t *p = tex_surface(w, i, l, bytes, &at[l], &stop);
        if (stop) return;
        if (p) done |= 1u << l;
    }
    tex_count(w, k, bytes, at, done, host);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint8_t *p = host[l];
        for (unsigned n = 0; n < k->vec; n++) {
            if (k->reg[n] == SIM_NO_SLOT) continue;
            uint8_t *r = sim_slot(w, k->reg[n]) + (size_t)l * (k->elem == 8 ? 8 : 4);
            uint64_t v = 0;
            if (load) {
                if (p) memcpy(&v, p + n * k->elem, k->elem);
                memcpy(r, &v, k->elem == 8 ? 8 : 4);
            } else if (p && reduce) {
                uint64_t x = 0;
                memcpy(&x, r, k->elem);
                memcpy(&v, p, k->elem);
                bool sign = k->dtype == PTX_S32 || k->dtype == PTX_S64;
                bool less = !sign          ? x < v
                            : k->elem == 8 ? (int64_t)x < (int64_t)v
                                           : (int32_t)x < (int32_t)v;
                switch (k->atom) {
                case PTX_ATOM_add: v += x; break;
                case PTX_ATOM_min: v = less ? x : v; break;
                case PTX_ATOM_max: v = less ? v : x; break;
                case PTX_ATOM_and: v &= x; break;
                default: v |= x; break;
                }
                memcpy(p, &v, k->elem);
            } else if (p) {
                memcpy(p + n * k->elem, r, k->elem);
            }
        }
    }
}

/* R[d] := a property of texture or surface R[a] */
static void exec_query(sim_warp *w, const sim_insn *i) {
    const tex_info *k = i->aux;
    const uint64_t *handle = LANES(const uint64_t, i->a);
    uint32_t *d = LANES(uint32_t, i->d);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        const sim_texture *t = tex_find(w->block->run->device, handle[l]);
        if (!t) {
            tex_bad_handle(w, i, 1u << l, handle[l]);
            return;
        }
        sim_texture level;
        if (k->op == PTX_OP_txq_level) {
            uint32_t n = LANES(const uint32_t, k->level)[l], most = t->levels ? t->levels : 1;
            sim_texture_level(t, n < most ? n : most - 1, &level);
            t = &level;
        }
        switch (k->query) {
        case PTX_QUERY_width: d[l] = t->width; break;
        case PTX_QUERY_height: d[l] = t->height; break;
        case PTX_QUERY_depth: d[l] = t->layered ? 0 : t->depth; break;
        case PTX_QUERY_array_size: d[l] = t->layered ? t->depth : 0; break;
        case PTX_QUERY_normalized_coords: d[l] = t->normalized_coords; break;
        case PTX_QUERY_num_mipmap_levels: d[l] = t->levels ? t->levels : 1; break;
        case PTX_QUERY_num_samples: d[l] = 1; break;
        default: d[l] = 0; break;
        }
    }
}
/* P[d] := R[a] is a handle of the kind imm (0 texture, 1 sampler, 2 surface) */
static void exec_istypep(sim_warp *w, const sim_insn *i) {
    const uint64_t *handle = LANES(const uint64_t, i->a);
    uint32_t bits = 0;
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
        const sim_texture *t = tex_find(w->block->run->device, handle[l]);
        bits |= (uint32_t)(t && (i->imm == 2) == t->surface && i->imm != 1) << l;
    }
    sim_set_pred(w, i->d, bits);
}

/* ---- decoding ---- */

static bool sites(sim_decoder *d, tex_info *k, sim_access_kind kind, unsigned from, unsigned to) {
    for (unsigned n = 0; n < 5; n++) {
        unsigned bytes = 1u << n, elem = bytes < 8 ? bytes : 8;
        if (bytes < from || bytes > to) continue;
        sim_site *s =
            sim_site_add(d, PTX_SPACE_GLOBAL, kind, elem, bytes / elem, elem == 8 ? 8 : 4);
        if (!s) return false;
        s->flags |= kind == SIM_ACCESS_TEX ? 0 : SIM_SITE_BYPASS_L1;
        sim_site_done(d, s);
        k->site[n] = s;
    }
    return true;
}

/* Decodes handle, coordinates and geometry; *next: the operand after them. */
static tex_info *tex_decode(sim_decoder *d, unsigned at, unsigned *next, sim_opnd *handle) {
    const ptx_insn *p = d->insn;
    tex_info *k = sim_decode_alloc(d, sizeof *k);
    if (!k) return NULL;
    k->op = p->op;
    k->geom = p->field[PTX_FIELD_GEOM];
    k->dtype = p->type[0];
    k->ctype = p->ntypes > 1 ? p->type[1] : PTX_S32;
    k->clamp = p->field[PTX_FIELD_CLAMP];
    k->comp = p->field[PTX_FIELD_COMP];
    k->query = p->field[PTX_FIELD_QUERY];
    k->lane_pred = SIM_NO_SLOT;
    for (unsigned n = 0; n < 4; n++) k->coord[n] = k->reg[n] = SIM_NO_SLOT;
    switch (k->geom) {
    case PTX_GEOM_a1d: k->array = true; /* fall through */
    case PTX_GEOM_1d: k->dims = 1; break;
    case PTX_GEOM_a2d: k->array = true; /* fall through */
    case PTX_GEOM_2d: k->dims = 2; break;
    case PTX_GEOM_3d: k->dims = 3; break;
    case PTX_GEOM_acube: k->array = true; /* fall through */
    case PTX_GEOM_cube: k->dims = 2, k->cube = true; break;
    case PTX_GEOM_NONE: break;
    default: sim_decode_fail(d, "multisampled textures are not supported"); return NULL;
    }
    if (p->opnd[at].var || p->opnd[at].reg < 0) {
        sim_decode_fail(
            d, "texture references are not supported: CUDA 12 removed them, use texture objects");
        return NULL;
    }
    ptx_opnd r = p->opnd[at];
    r.kind = PTX_OPND_REG;
    *handle = sim_source(d, &r, SIM_SLOT_64, PTX_U64);
    for (at++; at < p->nopnds && p->opnd[at].kind == PTX_OPND_ADDR; at++) /* a separate sampler */
        sim_decode_fail(d, "separate samplers are not supported");
    if (k->geom) {
        const ptx_opnd *v = &p->opnd[at++];
        unsigned count = v->kind == PTX_OPND_VEC ? v->count : 1;
        for (unsigned n = 0; n < count && n < 4; n++)
            k->coord[n] =
                sim_source(d, v->kind == PTX_OPND_VEC ? &v->elem[n] : v, SIM_SLOT_32, PTX_B32);
        if (count < (unsigned)(k->dims + k->array + k->cube))
            sim_decode_fail(d, "too few coordinates");
    }
    *next = at;
    return k;
}

static void results(sim_decoder *d, tex_info *k, const ptx_opnd *o, unsigned slot, ptx_type t) {
    const ptx_opnd *e = o->kind == PTX_OPND_VEC ? o->elem : o;
    k->vec = o->kind == PTX_OPND_VEC ? o->count : 1;
    for (unsigned n = 0; n < k->vec && n < 4; n++)
        k->reg[n] = e[n].kind == PTX_OPND_SINK ? SIM_NO_SLOT : sim_destination(d, &e[n], slot, t);
}

/* Decodes the level of detail, after the coordinates. Operands that may follow it would change what
 * is read. */
static void level_of(sim_decoder *d, tex_info *k, unsigned at) {
    const ptx_insn *p = d->insn;
    if (k->op == PTX_OP_tex_level && at < p->nopnds)
        k->level = sim_source(d, &p->opnd[at++], SIM_SLOT_32, PTX_B32);
    for (unsigned g = 0; k->op == PTX_OP_tex_grad && g < 2 && at < p->nopnds; g++, at++) {
        const ptx_opnd *v = &p->opnd[at];
        bool vector = v->kind == PTX_OPND_VEC;
        for (unsigned n = 0; n < k->dims && n < (vector ? v->count : 1u); n++)
            k->grad[g][n] = sim_source(d, vector ? &v->elem[n] : v, SIM_SLOT_32, PTX_B32);
    }
    if (at < p->nopnds)
        sim_decode_fail(d, "texture offsets and depth comparison are not supported");
}

void sim_decode_tex(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    bool pair = p->flags >> PTX_F_PAIR & 1;
    unsigned next;
    sim_opnd handle;
    tex_info *k = tex_decode(d, pair ? 2 : 1, &next, &handle);
    if (!k || d->failed) return;
    if (k->dtype == PTX_F16X2) {
        sim_decode_fail(d, "packed half textures are not supported");
        return;
    }
    level_of(d, k, next);
    results(d, k, &p->opnd[0], SIM_SLOT_32, p->type[0]);
    if (pair) k->lane_pred = sim_destination(d, &p->opnd[1], SIM_SLOT_PRED, PTX_PRED);
    if (!sites(d, k, SIM_ACCESS_TEX, 1, 16)) return;
    bool common = p->op == PTX_OP_tex && !k->cube && k->dims < 3 && k->dtype != PTX_F16;
#define TEX_FAST(set)                                                                              \
    if (common && d->isa == SIM_ISA_##set) k->fast = sim_tex_warp_##set;
    SIM_VECTOR_ISAS(TEX_FAST)
    (void)common;
    sim_insn *i = sim_emit(d, exec_tex, exec_tex);
    i->a = handle;
    i->aux = k;
    i->site = k->site[2]; /* any site: it says that there is an access (trace.h) */
}

void sim_decode_surface(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    bool load = p->op == PTX_OP_suld_b;
    unsigned next;
    sim_opnd handle;
    tex_info *k = tex_decode(d, load ? 1 : 0, &next, &handle);
    if (!k || d->failed) return;
    if (p->op == PTX_OP_sust_p || p->op == PTX_OP_sured_p) {
        sim_decode_fail(d, "formatted surface access is not supported");
        return;
    }
    k->elem = (uint8_t)ptx_type_size(p->type[0]);
    k->atom = p->field[PTX_FIELD_ATOM];
    unsigned slot = k->elem == 8 ? SIM_SLOT_64 : SIM_SLOT_32;
    if (load) {
        results(d, k, &p->opnd[0], slot, p->type[0]);
    } else {
        const ptx_opnd *o = &p->opnd[next], *e = o->kind == PTX_OPND_VEC ? o->elem : o;
        k->vec = o->kind == PTX_OPND_VEC ? o->count : 1;
        for (unsigned n = 0; n < k->vec && n < 4; n++)
            k->reg[n] = sim_source(d, &e[n], slot, p->type[0]);
    }
    unsigned bytes = (unsigned)k->elem * k->vec;
    if (!sites(d, k, load ? SIM_ACCESS_TEX : SIM_ACCESS_STORE, bytes, bytes)) return;
    sim_insn *i = sim_emit(d, exec_surface, exec_surface);
    i->a = handle;
    i->aux = k;
    i->site = tex_site(k, bytes);
}

void sim_decode_txq(sim_decoder *d) {
    unsigned next;
    sim_opnd handle;
    tex_info *k = tex_decode(d, 1, &next, &handle);
    if (!k || d->failed) return;
    if (k->op == PTX_OP_txq_level)
        k->level = sim_source(d, &d->insn->opnd[next], SIM_SLOT_32, PTX_B32);
    sim_opnd to = sim_destination(d, &d->insn->opnd[0], SIM_SLOT_32, PTX_B32);
    sim_insn *i = sim_emit(d, exec_query, exec_query);
    i->d = to, i->a = handle;
    i->aux = k;
}

void sim_decode_istypep(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    sim_opnd a = sim_source(d, &p->opnd[1], SIM_SLOT_64, PTX_B64),
             to = sim_destination(d, &p->opnd[0], SIM_SLOT_PRED, PTX_PRED);
    sim_insn *i = sim_emit(d, exec_istypep, exec_istypep);
    i->d = to, i->a = a;
    i->imm = p->type[0] == PTX_TEXREF ? 0 : p->type[0] == PTX_SAMPLERREF ? 1 : 2;
}
