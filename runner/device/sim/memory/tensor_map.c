/* Tensor maps: checks, packing, and the rows of a box. See tensor_map.h. */
#include "runner/device/sim/memory/tensor_map.h"
#include "runner/base/message.h"
#include "words/memory.h"
#include "words/finding.h"
#include <stdio.h>
#include <string.h>

/* CUtensorMapDataType, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapFloatOOBfill:
 * cuda.h */
enum { FLOAT16 = 6, FLOAT32_FTZ = 10, TFLOAT32 = 11, TFLOAT32_FTZ = 12, PACKED_U6_16 = 15 };
enum { INTERLEAVE_32B = 2 };
enum { SWIZZLE_128B = 3, SWIZZLE_LAST = 6 };
enum { MAGIC = 0x57544d31 }; /* there is a checksum, too: a changed map is not a map */

static const uint8_t sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4}; /* by CUtensorMapDataType */
enum { TYPES = sizeof sizes };

unsigned sim_tensor_element(unsigned type) {
    return type < TYPES ? sizes[type] : 0;
}

static bool is_float(unsigned type) {
    return type >= FLOAT16 && type <= TFLOAT32_FTZ;
}

/* Returns the bytes that a swizzle stays within; 0: no swizzle. */
static uint32_t span_of(unsigned swizzle) {
    return swizzle ? 16u << (swizzle < SWIZZLE_128B ? swizzle : SWIZZLE_128B) : 0;
}

/* ---- checks: the list of cuda.h, in its order ---- */

static bool refuse(lib_message *msg, lib_word_id why) {
    lib_message_set(msg, lib_words_of(why));
    return false;
}

static bool types_fit(const sim_tensor_map *t, lib_message *msg) {
    if (t->rank < 1 || t->rank > SIM_TENSOR_DIMS) return refuse(msg, W_MEMORY_RANK_1_TO_5);
    if (t->interleave && t->rank < 3) return refuse(msg, W_MEMORY_RANK_OF_INTERLEAVED);
    if (t->base % (t->interleave == INTERLEAVE_32B ? 32 : 16))
        return refuse(msg, W_MEMORY_BASE_NOT_ALIGNED);
    if (t->fill && !is_float(t->type)) return refuse(msg, W_MEMORY_NO_NAN);
    return true;
}

static bool sizes_fit(const sim_tensor_map *t, lib_message *msg) {
    for (unsigned k = 0; k < t->rank; k++) {
        if (!t->dim[k] || t->dim[k] > 1ull << 32) return refuse(msg, W_MEMORY_DIM_OUT_OF_RANGE);
        if (k + 1 < t->rank && (t->stride[k] % (t->interleave == INTERLEAVE_32B ? 32 : 16) ||
                                t->stride[k] >= 1ull << 40))
            return refuse(msg, W_MEMORY_STRIDE_BAD);
        if (!(t->im2col && k) && (!t->box[k] || t->box[k] > 256))
            return t->im2col ? refuse(msg, W_MEMORY_CHANNELS_1_TO_256)
                             : refuse(msg, W_MEMORY_BOX_1_TO_256);
        if (!t->step[k] || t->step[k] > 8) return refuse(msg, W_MEMORY_STEP_1_TO_8);
    }
    return true;
}

/* Returns the last place along spatial dimension k at which a filter may begin. */
static int64_t last_of(const sim_tensor_map *t, unsigned k) {
    return (int64_t)t->dim[k] + t->upper[k - sim_tensor_spatial(t)] - 1;
}

static bool pixels_fit(const sim_tensor_map *t, lib_message *msg) {
    if (!t->im2col) return true;
    if (t->rank < 3) return refuse(msg, W_MEMORY_RANK_3_TO_5);
    int32_t most = t->rank == 3 ? 32767 : t->rank == 4 ? 127 : 15;
    for (unsigned k = 0; k + 2 < t->rank; k++) {
        int32_t low = t->lower[k], high = t->upper[k];
        if (low > most || low < -most - 1 || high > most || high < -most - 1)
            return refuse(msg, W_MEMORY_CORNER_OUT_OF_RANGE);
        int64_t last = last_of(t, k + sim_tensor_spatial(t));
        if (last < low) return refuse(msg, W_MEMORY_PIXEL_BOX_EMPTY);
        if (last >= INT32_MAX) /* measured: a driver counts them in 32 bits */
            return refuse(msg, W_MEMORY_PIXEL_BOX_TOO_LARGE);
    }
    if (!t->pixels || t->pixels > 1024) return refuse(msg, W_MEMORY_PIXELS_1_TO_1024);
    return true;
}

static bool box_fits(const sim_tensor_map *t, lib_message *msg) {
    uint32_t inner = t->box[0] * sim_tensor_element(t->type), span = span_of(t->swizzle);
    if (inner % 16 && !t->interleave) return refuse(msg, W_MEMORY_ROW_NOT_ALIGNED);
    if (span && inner > span && !t->interleave) return refuse(msg, W_MEMORY_ROW_BEYOND_SWIZZLE);
    return true;
}

/* Values that cuda.h lists and that devices of compute capability 9.0 do not have: an H100's driver
 * returns CUDA_ERROR_INVALID_VALUE. */
static bool has_it(const sim_tensor_map *t, lib_message *msg) {
    if (t->type > TFLOAT32_FTZ) return refuse(msg, W_MEMORY_PACKED_TYPES);
    if (t->swizzle > SWIZZLE_128B) return refuse(msg, W_MEMORY_SWIZZLE_SIZES);
    return true;
}

/* Returns whether the copy engine can follow the map. */
static bool is_sound(const sim_tensor_map *t, lib_message *msg) {
    if (t->type > PACKED_U6_16 || t->interleave > 2 || t->swizzle > SWIZZLE_LAST ||
        t->promotion > 3 || t->fill > 1)
        return refuse(msg, W_MEMORY_UNKNOWN_ENUMERATOR);
    return has_it(t, msg) && types_fit(t, msg) && sizes_fit(t, msg) && pixels_fit(t, msg) &&
           box_fits(t, msg);
}

/* A driver demands of slices what cuda.h demands only of elements (measured); tensormap.replace may
 * give them any box. */
static bool slices_fit(const sim_tensor_map *t, lib_message *msg) {
    if (t->interleave && t->box[0] * sim_tensor_element(t->type) % 16)
        return refuse(msg, W_MEMORY_SLICE_NOT_ALIGNED);
    return true;
}

bool sim_tensor_map_has_box(const sim_tensor_map *t) {
    return box_fits(t, NULL);
}

sim_status sim_tensor_map_check(const sim_tensor_map *t, lib_message *msg) {
    return is_sound(t, msg) && slices_fit(t, msg) ? SIM_OK : SIM_BAD_ARGUMENT;
}

/* ---- the 128 bytes ---- */

typedef struct {
    uint32_t magic, sum;
    uint8_t type, rank, interleave, swizzle, promotion, fill, im2col, unused;
    uint64_t base;
    uint64_t stride[SIM_TENSOR_DIMS - 1];
    uint32_t dim[SIM_TENSOR_DIMS]; /* minus one */
    uint16_t box[SIM_TENSOR_DIMS];
    uint8_t step[SIM_TENSOR_DIMS];
    uint8_t none;
    int16_t lower[SIM_TENSOR_DIMS - 2], upper[SIM_TENSOR_DIMS - 2];
    uint16_t pixels;
    uint8_t rest[SIM_TENSOR_MAP_BYTES - 106];
} packed_map;
_Static_assert(sizeof(packed_map) == SIM_TENSOR_MAP_BYTES, "a tensor map");

/* FNV-1a over all but the sum itself. It guards against accidents; a forged map has to pass the
 * same checks as any other. */
static uint32_t checksum(const packed_map *p) {
    packed_map q = *p;
    q.sum = 0;
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < sizeof q; i++) h = (h ^ ((const uint8_t *)&q)[i]) * 16777619u;
    return h;
}

void sim_tensor_map_pack(const sim_tensor_map *t, uint8_t to[SIM_TENSOR_MAP_BYTES]) {
    packed_map p = {0};
    p.magic = MAGIC;
    p.type = (uint8_t)t->type, p.rank = (uint8_t)t->rank;
    p.interleave = (uint8_t)t->interleave, p.swizzle = (uint8_t)t->swizzle;
    p.promotion = (uint8_t)t->promotion, p.fill = (uint8_t)t->fill;
    p.base = t->base;
    for (unsigned k = 0; k < t->rank; k++) {
        p.dim[k] = (uint32_t)(t->dim[k] - 1);
        p.box[k] = (uint16_t)t->box[k];
        p.step[k] = (uint8_t)t->step[k];
        if (k + 1 < t->rank) p.stride[k] = t->stride[k];
    }
    p.im2col = t->im2col;
    for (unsigned k = 0; t->im2col && k + 2 < t->rank; k++)
        p.lower[k] = (int16_t)t->lower[k], p.upper[k] = (int16_t)t->upper[k];
    if (t->im2col) p.pixels = (uint16_t)t->pixels;
    p.sum = checksum(&p);
    memcpy(to, &p, sizeof p);
}

static bool ours(const packed_map *p) {
    return p->magic == MAGIC && p->sum == checksum(p) && p->rank >= 1 && p->rank <= SIM_TENSOR_DIMS;
}

lib_word_id sim_tensor_map_set(uint8_t map[SIM_TENSOR_MAP_BYTES], sim_tensor_field field,
                               unsigned dim, uint64_t value) {
    packed_map p;
    memcpy(&p, map, sizeof p);
    if (!ours(&p)) return W_FINDING_EDIT_NONE;
    if (p.im2col) return W_FINDING_EDIT_IM2COL;
    switch (field) {
    case SIM_TENSOR_BASE: p.base = value; break;
    case SIM_TENSOR_RANK:
        if (value >= SIM_TENSOR_DIMS) return W_FINDING_EDIT_RANK;
        p.rank = (uint8_t)(value + 1);
        break;
    case SIM_TENSOR_BOX:
        if (!value || value > 256) return W_FINDING_EDIT_BOX;
        p.box[dim] = (uint16_t)value;
        break;
    case SIM_TENSOR_DIM:
        if (!value) return W_FINDING_EDIT_DIM;
        p.dim[dim] = (uint32_t)(value - 1);
        break;
    case SIM_TENSOR_STRIDE: p.stride[dim] = value; break;
    case SIM_TENSOR_STEP:
        if (!value || value > 8) return W_FINDING_EDIT_STEP;
        p.step[dim] = (uint8_t)value;
        break;
    case SIM_TENSOR_TYPE: p.type = (uint8_t)value; break;
    case SIM_TENSOR_INTERLEAVE: p.interleave = (uint8_t)value; break;
    case SIM_TENSOR_SWIZZLE: p.swizzle = (uint8_t)value; break;
    case SIM_TENSOR_FILL: p.fill = (uint8_t)value; break;
    }
    p.sum = checksum(&p);
    memcpy(map, &p, sizeof p);
    return 0;
}

bool sim_tensor_map_unpack(sim_tensor_map *t, const uint8_t from[SIM_TENSOR_MAP_BYTES],
                           lib_message *msg) {
    packed_map p;
    memcpy(&p, from, sizeof p);
    if (!ours(&p)) {
        *msg = (lib_message){0};
        return false;
    }
    *t = (sim_tensor_map){.type = p.type,
                          .rank = p.rank,
                          .base = p.base,
                          .interleave = p.interleave,
                          .swizzle = p.swizzle,
                          .promotion = p.promotion,
                          .fill = p.fill,
                          .im2col = p.im2col,
                          .pixels = p.im2col ? p.pixels : 0};
    for (unsigned k = 0; k < p.rank; k++) {
        t->dim[k] = (uint64_t)p.dim[k] + 1;
        t->box[k] = p.box[k];
        t->step[k] = p.step[k];
        if (k + 1u < p.rank) t->stride[k] = p.stride[k];
        if (p.im2col && k + 2u < p.rank) t->lower[k] = p.lower[k], t->upper[k] = p.upper[k];
    }
    return is_sound(t, msg);
}

/* ---- boxes ---- */

/* Returns whether dimension k is that of the channels' slices; a copy is of one slice (measured:
 * the box's size is ignored). */
static bool is_slice(const sim_tensor_map *t, unsigned k) {
    return t->interleave && k + 2 == t->rank;
}

sim_tensor_box sim_tensor_box_of(const sim_tensor_map *t) {
    sim_tensor_box b = {.rows = 1};
    b.element = t->interleave ? 16 * t->interleave : sim_tensor_element(t->type);
    /* dimension 0 has no steps without interleaving (cuda.h) */
    for (unsigned k = 0; k < SIM_TENSOR_DIMS && !t->im2col; k++) {
        uint32_t step = (k || t->interleave) && k < t->rank ? t->step[k] : 1,
                 box = k < t->rank && !is_slice(t, k) ? t->box[k] : 1;
        b.count[k] = (box + step - 1) / step;
        b.rows *= k ? b.count[k] : 1;
    }
    if (t->im2col) {
        /* the channels of a pixel, or one slice of them */
        b.count[0] = t->interleave ? 1 : t->box[0];
        b.rows = t->pixels;
    } else if (t->interleave && t->step[0] > 1) { /* slices are not adjacent */
        b.apart = b.count[0];
        b.rows *= b.apart, b.count[0] = 1;
    }
    b.row = b.count[0] * b.element;
    b.pitch = t->interleave || b.row > span_of(t->swizzle) ? b.row : span_of(t->swizzle);
    b.bytes = b.rows * b.row;
    return b;
}

lib_word_id sim_tensor_begins(const sim_tensor_map *t, const int32_t at[SIM_TENSOR_DIMS],
                              const uint32_t filter[SIM_TENSOR_DIMS - 2]) {
    static const uint32_t most[] = {0xffff, 0xff, 0x1f};
    for (unsigned k = 0; t->im2col && k + 2 < t->rank; k++) {
        unsigned d = k + sim_tensor_spatial(t);
        if (at[d] < t->lower[k] || at[d] > last_of(t, d)) return W_FINDING_MAP_OUTSIDE;
        if (filter[k] > most[t->rank - 3]) return W_FINDING_MAP_OFFSET;
    }
    return 0;
}

/* Returns the place of pixel *r along spatial dimension k; the rest of *r goes to the next
 * dimension. */
static int64_t pixel_along(const sim_tensor_map *t, unsigned k, int32_t at, uint64_t *r) {
    int32_t lower = t->lower[k - sim_tensor_spatial(t)];
    uint64_t step = t->step[k], here = (uint64_t)(last_of(t, k) - at) / step,
             all = (uint64_t)(last_of(t, k) - lower) / step + 1, n = *r;
    *r = 0;
    if (n <= here) return at + (int64_t)(n * step);
    n -= here + 1;
    *r = 1 + n / all;
    return lower + (int64_t)(n % all * step);
}

/* Returns where row r begins along each dimension. */
static void places_of(const sim_tensor_map *t, const sim_tensor_box *b, uint64_t r,
                      const int32_t at[SIM_TENSOR_DIMS], const uint32_t filter[SIM_TENSOR_DIMS - 2],
                      int64_t x[SIM_TENSOR_DIMS]) {
    unsigned first = sim_tensor_spatial(t);
    for (unsigned k = 0; k < SIM_TENSOR_DIMS; k++) x[k] = at[k];
    if (t->im2col) {
        for (unsigned k = 0; k + 2 < t->rank; k++)
            x[first + k] = pixel_along(t, first + k, at[first + k], &r) + filter[k];
        x[t->rank - 1] += (int64_t)(r * t->step[t->rank - 1]); /* the image */
        return;
    }
    if (b->apart) x[0] += (int64_t)(r % b->apart) * t->step[0], r /= b->apart;
    for (unsigned k = 1; k < t->rank; r /= b->count[k++])
        x[k] += (int64_t)(r % b->count[k]) * t->step[k];
}

sim_addr sim_tensor_row(const sim_tensor_map *t, const sim_tensor_box *b, uint64_t r,
                        const int32_t at[SIM_TENSOR_DIMS],
                        const uint32_t filter[SIM_TENSOR_DIMS - 2], uint32_t *first,
                        uint32_t *count) {
    int64_t x[SIM_TENSOR_DIMS];
    uint64_t a = t->base;
    *first = *count = 0;
    places_of(t, b, r, at, filter, x);
    for (unsigned k = 1; k < t->rank; k++) {
        if (x[k] < 0 || (uint64_t)x[k] >= t->dim[k]) return a;
        a += (uint64_t)x[k] * t->stride[k - 1];
    }
    int64_t from = x[0] < 0 ? 0 : x[0], to = x[0] + b->count[0];
    if (to > (int64_t)t->dim[0]) to = (int64_t)t->dim[0];
    if (to <= from) return a;
    *first = (uint32_t)(from - x[0]);
    *count = (uint32_t)(to - from);
    return a + (uint64_t)from * b->element;
}

/* ---- values ---- */

uint64_t sim_tensor_fill(const sim_tensor_map *t) {
    return t->fill ? 0x7ff77ff77ff77ff7 : 0;
}

bool sim_tensor_flushes(const sim_tensor_map *t) {
    return t->type == FLOAT32_FTZ || t->type == TFLOAT32_FTZ;
}

void sim_tensor_round(const sim_tensor_map *t, uint8_t *row, uint64_t n) {
    enum { INF = 0x7f800000, NAN_TF32 = 0x7fffe000, DROPPED = 0x1fff };
    if (t->type != TFLOAT32 && t->type != TFLOAT32_FTZ) return;
    for (uint64_t k = 0; k + 4 <= n; k += 4) {
        uint32_t v;
        memcpy(&v, row + k, 4);
        if ((v & 0x7fffffff) > INF) v = NAN_TF32;
        else v = (v + DROPPED / 2 + (v >> 13 & 1)) & ~(uint32_t)DROPPED;
        memcpy(row + k, &v, 4);
    }
}
