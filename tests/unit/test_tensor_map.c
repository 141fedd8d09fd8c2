/* Tensor maps: which descriptions are taken, at each limit and one beyond; what the 128 bytes keep;
 * what tensormap.replace may change; which elements each row of a box has. Limits are those of
 * cuda.h (cuTensorMapEncodeTiled, -Im2col), fields and figures those of the PTX ISA (5.5,
 * "Tensors"); rows are held to a walk over the box, element by element. */
#include "runner/base/message.h"
#include "runner/device/sim/memory/tensor_map.h"
#include "tests/check.h"
#include "tests/said.h"
#include <stdlib.h>

/* CUtensorMapDataType; SLICE_16 and _32: CUtensorMapInterleave */
enum { UINT8, UINT16, UINT32, INT32, UINT64, INT64, FLOAT16, FLOAT32, FLOAT64, BFLOAT16 };
enum { FLOAT32_FTZ = 10, TFLOAT32, TFLOAT32_FTZ, PACKED_FIRST, PACKED_LAST = 15 };
enum { SLICE_16 = 1, SLICE_32 };

static const sim_tensor_map plain = {.type = UINT32,
                                     .rank = 5,
                                     .base = 0x7f0000010000,
                                     .dim = {64, 32, 16, 8, 4},
                                     .stride = {256, 8192, 131072, 1048576},
                                     .box = {8, 4, 2, 2, 1},
                                     .step = {1, 1, 1, 1, 1}};
static const sim_tensor_map pixels = {.type = FLOAT16,
                                      .rank = 5,
                                      .base = 0x7f0000010000,
                                      .dim = {64, 1 << 17, 1 << 17, 1 << 17, 4},
                                      .stride = {256, 8192, 131072, 1048576},
                                      .box = {8},
                                      .step = {1, 1, 1, 1, 1},
                                      .im2col = true,
                                      .pixels = 32};

/* ---- which descriptions are taken ---- */

static void says(int line, const sim_tensor_map *t, sim_status want, const char *text) {
    lib_message msg = {0};
    sim_status s = sim_tensor_map_check(t, &msg);
    check_that(s == want && !strcmp(said(&msg), text), __FILE__, line, text, said(&msg));
    check_that(!msg.id == !*text, __FILE__, line, text, "in one language only");
}
#define CHANGED(from, status, text, ...)                                                           \
    do {                                                                                           \
        sim_tensor_map x = from;                                                                   \
        __VA_ARGS__;                                                                               \
        says(__LINE__, &x, status, text);                                                          \
    } while (0)
#define TAKEN(...)     CHANGED(plain, SIM_OK, "", __VA_ARGS__)
#define BAD(text, ...) CHANGED(plain, SIM_BAD_ARGUMENT, text, __VA_ARGS__)

static void element_sizes(void) {
    static const unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 0, 0, 0, 0};
    for (unsigned k = 0; k < sizeof bytes / sizeof *bytes; k++)
        CHECK_INT(sim_tensor_element(k), bytes[k]);
    CHECK_INT(sim_tensor_element(UINT32_MAX), 0);
}

#define ENUM    "an enumeration has a value that cuda.h does not list"
#define RANK    "the rank is not 1 to 5"
#define ADDRESS "globalAddress is not a multiple of 16 (interleaved 32B: of 32)"
#define DIM     "a globalDim is 0 or greater than 2^32"
#define STRIDE                                                                                     \
    "a globalStride is not a multiple of 16 (interleaved 32B: of 32) or not less than 2^40"
#define BOX    "a boxDim is not 1 to 256"
#define STEP   "an elementStride is not 1 to 8"
#define INNER  "boxDim[0] times the element's size is not a multiple of 16"
#define SPAN   "boxDim[0] times the element's size is greater than the swizzle's span"
#define NO_NAN "oobFill asks for NaN, which the data type does not have"
#define SLICES                                                                                     \
    "boxDim[0] times the data type's size is not a multiple of 16, which drivers ask of "          \
    "interleaved tensors, too"
#define LOW_RANK "an interleaved tensor needs a rank of 3 or more"
#define ATOMS    "swizzling of 32 or 64 bytes at a time needs compute capability 10.0"
#define PACKED   "packed data types of 4 and 6 bits need compute capability 10.0"

static void tiles(void) {
    for (unsigned rank = 1; rank <= 5; rank++) TAKEN(x.rank = rank);
    BAD(RANK, x.rank = 0);
    BAD(RANK, x.rank = 6);
    TAKEN(x.base += 16);
    for (unsigned k = 0; k < 4; k++) BAD(ADDRESS, x.base += 1u << k);
    for (unsigned k = 0; k < 5; k++) {
        TAKEN(x.dim[k] = 1);
        TAKEN(x.dim[k] = 1ull << 32);
        BAD(DIM, x.dim[k] = (1ull << 32) + 1);
        BAD(DIM, x.dim[k] = 0);
        TAKEN(x.step[k] = 8);
        BAD(STEP, x.step[k] = 9);
        BAD(STEP, x.step[k] = 0);
        TAKEN(x.box[k] = 256);
        BAD(BOX, x.box[k] = 257);
        BAD(BOX, x.box[k] = 0);
        if (k) TAKEN(x.box[k] = 1);
        if (k == 4) continue;
        TAKEN(x.stride[k] = 16);
        TAKEN(x.stride[k] = 0);
        TAKEN(x.stride[k] = (1ull << 40) - 16);
        BAD(STRIDE, x.stride[k] = 1ull << 40);
        for (unsigned b = 0; b < 4; b++) BAD(STRIDE, x.stride[k] += 1u << b);
    }
    /* what the rank does not have is not looked at */
    for (unsigned rank = 1; rank < 5; rank++)
        TAKEN(x.rank = rank; x.dim[rank] = 0; x.box[rank] = 0; x.step[rank] = 0;
              x.stride[rank - 1] = 1);
    static const struct {
        unsigned type, box;
        bool fits; /* whole pieces of 16 bytes */
    } inner[] = {{UINT8, 15, false},  {UINT8, 16, true},    {UINT8, 17, false}, {UINT8, 24, false},
                 {UINT16, 7, false},  {UINT16, 8, true},    {UINT32, 3, false}, {UINT32, 4, true},
                 {UINT32, 5, false},  {UINT64, 1, false},   {UINT64, 2, true},  {FLOAT64, 3, false},
                 {FLOAT16, 4, false}, {BFLOAT16, 16, true}, {FLOAT32, 6, false}};
    for (size_t k = 0; k < sizeof inner / sizeof *inner; k++)
        CHANGED(plain, inner[k].fits ? SIM_OK : SIM_BAD_ARGUMENT, inner[k].fits ? "" : INNER,
                x.type = inner[k].type;
                x.box[0] = inner[k].box);
}

/* Enumerations: all that cuda.h lists, and the next; what of them an H100 has not. */
static void enumerations(void) {
    for (unsigned t = 0; t <= TFLOAT32_FTZ; t++) TAKEN(x.type = t; x.box[0] = 16);
    for (unsigned t = PACKED_FIRST; t <= PACKED_LAST; t++)
        BAD(PACKED, x.type = t; x.dim[0] = x.box[0] = 128);
    BAD(ENUM, x.type = PACKED_LAST + 1);
    for (unsigned p = 0; p <= 3; p++) TAKEN(x.promotion = p);
    BAD(ENUM, x.promotion = 4);
    for (unsigned t = 0; t <= TFLOAT32_FTZ; t++) { /* a NaN for floating-point types alone */
        bool is_float = t >= FLOAT16;
        CHANGED(plain, is_float ? SIM_OK : SIM_BAD_ARGUMENT, is_float ? "" : NO_NAN, x.type = t;
                x.box[0] = 16; x.fill = 1);
    }
    BAD(ENUM, x.type = FLOAT32; x.fill = 2);
    for (unsigned k = SLICE_16; k <= SLICE_32; k++) {
        bool wide = k == SLICE_32;
        BAD(LOW_RANK, x.interleave = k; x.rank = 1);
        BAD(LOW_RANK, x.interleave = k; x.rank = 2);
        for (unsigned rank = 3; rank <= 5; rank++)
            for (unsigned t = 0; t <= TFLOAT32_FTZ; t++)
                TAKEN(x.interleave = k; x.rank = rank; x.type = t; x.box[0] = 16);
        /* 16B: the address and the strides in pieces of 16; 32B: of 32 */
        CHANGED(plain, wide ? SIM_BAD_ARGUMENT : SIM_OK, wide ? ADDRESS : "", x.interleave = k;
                x.base += 16);
        CHANGED(plain, wide ? SIM_BAD_ARGUMENT : SIM_OK, wide ? STRIDE : "", x.interleave = k;
                x.stride[1] += 16);
        TAKEN(x.interleave = k; x.base += 32; x.stride[1] += 32);
        /* an H100's driver asks it of slices, too, and no span of any */
        BAD(SLICES, x.interleave = k; x.box[0] = 3);
        sim_tensor_map narrow = plain, back;
        narrow.interleave = k,
        narrow.box[0] = 3; /* copies take it: tensormap.replace can make it */
        uint8_t map[SIM_TENSOR_MAP_BYTES];
        lib_message msg;
        sim_tensor_map_pack(&narrow, map);
        CHECK(sim_tensor_map_unpack(&back, map, &msg) && back.box[0] == 3);
        for (unsigned z = 0; z <= 3; z++) TAKEN(x.interleave = k; x.swizzle = z; x.box[0] = 256);
    }
    BAD(ENUM, x.interleave = 3);
    for (unsigned s = 1; s <= 3; s++) { /* spans of 32, 64 and 128 bytes: words of 4 */
        unsigned words = 4u << s;
        TAKEN(x.swizzle = s; x.box[0] = words);
        BAD(SPAN, x.swizzle = s; x.box[0] = words + 4);
        TAKEN(x.swizzle = s; x.box[0] = words - 4);
    }
    for (unsigned s = 4; s <= 6; s++) BAD(ATOMS, x.swizzle = s); /* 128 bytes, in other pieces */
    BAD(ENUM, x.swizzle = 7);
}

#define CORNER "a corner of the pixel box is out of the range that its rank has"
#define EMPTY  "the pixel box is empty"
#define FAR    "the pixel box reaches 2^31 pixels along a dimension"

static void columns(void) {
    static const int32_t most[] = {32767, 127, 15}; /* 16, 8 and 5 bits: of rank 3, 4, 5 */
    for (unsigned rank = 1; rank <= 5; rank++)
        CHANGED(pixels, rank < 3 ? SIM_BAD_ARGUMENT : SIM_OK,
                rank < 3 ? "the rank is not 3 to 5" : "", x.rank = rank);
    for (unsigned rank = 3; rank <= 5; rank++)
        for (unsigned k = 0; k + 2 < rank; k++) {
            int32_t high = most[rank - 3], low = -high - 1;
            CHANGED(pixels, SIM_OK, "", x.rank = rank; x.lower[k] = high);
            CHANGED(pixels, SIM_OK, "", x.rank = rank; x.lower[k] = low);
            CHANGED(pixels, SIM_OK, "", x.rank = rank; x.upper[k] = high);
            CHANGED(pixels, SIM_OK, "", x.rank = rank; x.upper[k] = low);
            CHANGED(pixels, SIM_BAD_ARGUMENT, CORNER, x.rank = rank; x.lower[k] = high + 1);
            CHANGED(pixels, SIM_BAD_ARGUMENT, CORNER, x.rank = rank; x.lower[k] = low - 1);
            CHANGED(pixels, SIM_BAD_ARGUMENT, CORNER, x.rank = rank; x.upper[k] = high + 1);
            CHANGED(pixels, SIM_BAD_ARGUMENT, CORNER, x.rank = rank; x.upper[k] = low - 1);
            /* filters begin at lower to dim + upper - 1 */
            CHANGED(pixels, SIM_OK, "", x.rank = rank; x.dim[k + 1] = 8; x.upper[k] = -7);
            CHANGED(pixels, SIM_BAD_ARGUMENT, EMPTY, x.rank = rank; x.dim[k + 1] = 8;
                    x.upper[k] = -8);
            CHANGED(pixels, SIM_OK, "", x.rank = rank; x.dim[k + 1] = 8; x.lower[k] = 7);
            CHANGED(pixels, SIM_BAD_ARGUMENT, EMPTY, x.rank = rank; x.dim[k + 1] = 8;
                    x.lower[k] = 8);
        }
    /* interleaved tensors have W first: their corners are of the dimensions from 0 on */
    for (unsigned k = 0; k < 2; k++) {
        CHANGED(pixels, SIM_OK, "", x.rank = 4; x.interleave = SLICE_16; x.dim[k] = 8;
                x.upper[k] = -7);
        CHANGED(pixels, SIM_BAD_ARGUMENT, EMPTY, x.rank = 4; x.interleave = SLICE_16; x.dim[k] = 8;
                x.upper[k] = -8);
    }
    CHANGED(pixels, SIM_OK, "", x.rank = 4; x.interleave = SLICE_16; x.dim[2] = 8; x.upper[1] = -8);
    /* a driver counts them in 32 bits (an H100's answers) */
    for (unsigned k = 0; k < 2; k++) {
        CHANGED(pixels, SIM_OK, "", x.rank = 3; x.interleave = k; x.dim[1 - k] = (1ull << 31) - 1);
        CHANGED(pixels, SIM_OK, "", x.rank = 3; x.interleave = k; x.dim[1 - k] = 1ull << 31;
                x.upper[0] = -1);
        CHANGED(pixels, SIM_BAD_ARGUMENT, FAR, x.rank = 3; x.interleave = k;
                x.dim[1 - k] = 1ull << 31);
        CHANGED(pixels, SIM_BAD_ARGUMENT, FAR, x.rank = 3; x.interleave = k;
                x.dim[1 - k] = (1ull << 31) - 2; x.upper[0] = 3);
        CHANGED(pixels, SIM_OK, "", x.rank = 3; x.interleave = k; x.dim[k] = x.dim[2] = 1ull << 32);
    }
    /* a rank has corners of its spatial dimensions alone */
    CHANGED(pixels, SIM_OK, "", x.rank = 3; x.lower[1] = x.upper[2] = 40000);
    CHANGED(pixels, SIM_OK, "", x.rank = 4; x.lower[2] = 40000);
    CHANGED(plain, SIM_OK, "", x.lower[0] = 40000; x.pixels = 9999);
#define COLUMN  "pixelsPerColumn is not 1 to 1024"
#define CHANNEL "channelsPerPixel is not 1 to 256"
    CHANGED(pixels, SIM_OK, "", x.pixels = 1);
    CHANGED(pixels, SIM_OK, "", x.pixels = 1024);
    CHANGED(pixels, SIM_BAD_ARGUMENT, COLUMN, x.pixels = 0);
    CHANGED(pixels, SIM_BAD_ARGUMENT, COLUMN, x.pixels = 1025);
    CHANGED(pixels, SIM_OK, "", x.box[0] = 256);
    CHANGED(pixels, SIM_OK, "", x.box[1] = 257);
    CHANGED(pixels, SIM_BAD_ARGUMENT, CHANNEL, x.box[0] = 257);
    CHANGED(pixels, SIM_BAD_ARGUMENT, CHANNEL, x.box[0] = 0);
    CHANGED(pixels, SIM_BAD_ARGUMENT, INNER, x.box[0] = 4);
    CHANGED(pixels, SIM_BAD_ARGUMENT, STEP, x.step[1] = 9);
}

/* ---- the 128 bytes ---- */

/* By member: between them lie bytes that mean nothing. */
static bool same(const sim_tensor_map *a, const sim_tensor_map *b) {
    return a->type == b->type && a->rank == b->rank && a->base == b->base &&
           !memcmp(a->dim, b->dim, sizeof a->dim) &&
           !memcmp(a->stride, b->stride, sizeof a->stride) &&
           !memcmp(a->box, b->box, sizeof a->box) && !memcmp(a->step, b->step, sizeof a->step) &&
           a->interleave == b->interleave && a->swizzle == b->swizzle &&
           a->promotion == b->promotion && a->fill == b->fill && a->im2col == b->im2col &&
           a->pixels == b->pixels && !memcmp(a->lower, b->lower, sizeof a->lower) &&
           !memcmp(a->upper, b->upper, sizeof a->upper);
}

/* A map of the rank with something else in each field; behind the rank there is nothing. */
static sim_tensor_map full(unsigned rank, bool im2col) {
    sim_tensor_map t = {.type = FLOAT16,
                        .rank = rank,
                        .base = 0x123456789a0,
                        .interleave = rank > 2 ? SLICE_16 : 0,
                        .swizzle = 2,
                        .promotion = 3,
                        .fill = 1,
                        .im2col = im2col,
                        .pixels = im2col ? 1024 : 0};
    for (unsigned k = 0; k < rank; k++) {
        t.dim[k] = k == rank - 1 ? 1ull << 32 : 100 + k;
        t.box[k] = !k ? 32 : im2col ? 256 - k : 256;
        t.step[k] = 8 - k;
        if (k + 1 < rank) t.stride[k] = (1ull << 40) - 16 * (k + 1);
        if (im2col && k + 2 < rank) t.lower[k] = -16 + (int32_t)k, t.upper[k] = 15 - (int32_t)k;
    }
    return t;
}

static void bytes(void) {
    for (unsigned n = 0; n < 8; n++) {
        bool im2col = n >= 5;
        sim_tensor_map t = full(im2col ? n - 2 : n + 1, im2col), back;
        uint8_t map[SIM_TENSOR_MAP_BYTES];
        lib_message msg;
        tell(&msg, "?", NULL);
        says(__LINE__, &t, SIM_OK, "");
        sim_tensor_map_pack(&t, map);
        CHECK(sim_tensor_map_unpack(&back, map, &msg) && same(&t, &back));
        unsigned taken = 0; /* with any one byte another than it was: no map, and nothing to say */
        for (unsigned k = 0; k < sizeof map; k++) {
            map[k] ^= (uint8_t)(1 << k % 8);
            tell(&msg, "?", NULL);
            taken += sim_tensor_map_unpack(&back, map, &msg) || lib_message_any(&msg);
            map[k] ^= (uint8_t)(1 << k % 8);
        }
        CHECK_INT(taken, 0);
        CHECK(sim_tensor_map_unpack(&back, map, &msg));
    }
}

/* tensormap.replace: one field, and nothing else; what is refused changes nothing. */
static void replaced(void) {
#define GIVES(what) "gives a tensor map " what
    static const char *const box = GIVES("a box_dim that is not 1 to 256"),
                             *const step = GIVES("an element_stride that is not 1 to 8"),
                             *const dim = GIVES("a global_dim of 0"),
                             *const rank = GIVES("a rank that is not 1 to 5");
    static const struct {
        sim_tensor_field field;
        uint64_t value;
        const char *why; /* NULL: it is done */
    } rows[] = {{SIM_TENSOR_BASE, 0x7fff00000010, NULL},
                {SIM_TENSOR_RANK, 4, NULL}, /* one less than it is */
                {SIM_TENSOR_RANK, 5, rank},
                {SIM_TENSOR_BOX, 1, NULL},
                {SIM_TENSOR_BOX, 256, NULL},
                {SIM_TENSOR_BOX, 0, box},
                {SIM_TENSOR_BOX, 257, box},
                {SIM_TENSOR_DIM, 1, NULL},
                {SIM_TENSOR_DIM, 0xffffffff, NULL},
                {SIM_TENSOR_DIM, 0, dim},
                {SIM_TENSOR_STRIDE, 0, NULL},
                {SIM_TENSOR_STRIDE, (1ull << 40) - 32, NULL},
                {SIM_TENSOR_STEP, 1, NULL},
                {SIM_TENSOR_STEP, 8, NULL},
                {SIM_TENSOR_STEP, 0, step},
                {SIM_TENSOR_STEP, 9, step},
                {SIM_TENSOR_TYPE, FLOAT32, NULL},
                {SIM_TENSOR_INTERLEAVE, SLICE_16, NULL},
                {SIM_TENSOR_SWIZZLE, 0, NULL},
                {SIM_TENSOR_FILL, 1, NULL}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (unsigned at = 0; at < 4; at++) {
            sim_tensor_map t = plain, back;
            uint8_t map[SIM_TENSOR_MAP_BYTES], was[SIM_TENSOR_MAP_BYTES];
            lib_message msg;
            /* not of few bytes, wherever the box is cut down to one element */
            t.type = FLOAT64, t.swizzle = 2, t.box[0] = 8, t.dim[4] = 9, t.stride[3] = 1 << 30;
            sim_tensor_map_pack(&t, map);
            memcpy(was, map, sizeof was);
            lib_word_id why = sim_tensor_map_set(map, rows[k].field, at, rows[k].value);
            if (rows[k].why) {
                CHECK_STR(lib_word(LIB_EN, why), rows[k].why);
                CHECK(!memcmp(map, was, sizeof map));
                continue;
            }
            CHECK(!why);
            switch (rows[k].field) {
            case SIM_TENSOR_BASE: t.base = rows[k].value; break;
            case SIM_TENSOR_RANK: t.rank = 5; break;
            case SIM_TENSOR_BOX: t.box[at] = (uint32_t)rows[k].value; break;
            case SIM_TENSOR_DIM: t.dim[at] = rows[k].value; break;
            case SIM_TENSOR_STRIDE: t.stride[at] = rows[k].value; break;
            case SIM_TENSOR_STEP: t.step[at] = (uint32_t)rows[k].value; break;
            case SIM_TENSOR_TYPE: t.type = FLOAT32; break;
            case SIM_TENSOR_INTERLEAVE: t.interleave = SLICE_16; break;
            case SIM_TENSOR_SWIZZLE: t.swizzle = 0; break;
            case SIM_TENSOR_FILL: t.fill = 1; break;
            default: break;
            }
            bool whole = sim_tensor_map_check(&t, &msg) == SIM_OK;
            CHECK_INT(sim_tensor_map_unpack(&back, map, &msg), whole);
            CHECK(same(&t, &back)); /* also where it makes no sense as yet */
        }
    for (unsigned to = 0; to < 5; to++) { /* to each rank; the dimensions behind it are kept */
        uint8_t map[SIM_TENSOR_MAP_BYTES];
        sim_tensor_map back;
        lib_message msg;
        sim_tensor_map_pack(&plain, map);
        CHECK(!sim_tensor_map_set(map, SIM_TENSOR_RANK, 0, to));
        CHECK(sim_tensor_map_unpack(&back, map, &msg) && back.rank == to + 1);
        CHECK(!back.dim[4] == (to < 4) && !back.stride[3] == (to < 4));
        CHECK(!sim_tensor_map_set(map, SIM_TENSOR_RANK, 0, 4));
        CHECK(sim_tensor_map_unpack(&back, map, &msg) && same(&back, &plain));
    }
    uint8_t map[SIM_TENSOR_MAP_BYTES];
    sim_tensor_map_pack(&pixels, map);
    CHECK_STR(lib_word(LIB_EN, sim_tensor_map_set(map, SIM_TENSOR_RANK, 0, 4)),
              "changes a tensor map for .im2col by tensormap.replace.tile");
    map[127] ^= 1;
    CHECK_STR(lib_word(LIB_EN, sim_tensor_map_set(map, SIM_TENSOR_RANK, 0, 4)),
              "changes a tensor map that is none: cuTensorMapEncodeTiled did not make these 128 "
              "bytes");
}

/* ---- boxes ---- */

static void boxes(void) {
    static const struct {
        unsigned rank, box, step, count; /* of the last dimension */
    } rows[] = {{2, 4, 1, 4}, {2, 4, 2, 2}, {2, 5, 2, 3}, {3, 6, 3, 2}, {3, 7, 3, 3},
                {3, 8, 8, 1}, {4, 9, 8, 2}, {5, 1, 8, 1}, {5, 2, 1, 2}, {5, 256, 8, 32}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        sim_tensor_map t = plain;
        unsigned last = rows[k].rank - 1;
        t.rank = rows[k].rank, t.box[last] = rows[k].box, t.step[last] = rows[k].step;
        t.step[0] = 8; /* has none: elements side by side */
        sim_tensor_box b = sim_tensor_box_of(&t);
        uint64_t all = 1;
        for (unsigned i = 1; i < 5; i++) {
            unsigned count = i == last ? rows[k].count : i < last ? plain.box[i] : 1;
            CHECK_INT(b.count[i], count);
            all *= count;
        }
        CHECK(b.count[0] == 8 && b.element == 4 && b.row == 32);
        CHECK_INT(b.rows, all);
        CHECK_INT(b.bytes, 32 * all);
    }
    sim_tensor_map t = plain;
    t.rank = 1, t.step[0] = 2;
    sim_tensor_box b = sim_tensor_box_of(&t);
    CHECK(b.count[0] == 8 && b.count[1] == 1 && b.rows == 1 && b.row == 32 && b.bytes == 32);
    b = sim_tensor_box_of(&pixels); /* 32 pixels of 8 halves */
    CHECK(b.count[0] == 8 && b.element == 2 && b.row == 16 && b.rows == 32 && b.bytes == 512);
    /* rows as wide as a swizzle's span, or narrower (an H100's places) */
    for (unsigned z = 0; z <= 3; z++)
        for (unsigned words = 4; words <= 4u << z; words += 4) {
            t = plain, t.swizzle = z, t.box[0] = words;
            b = sim_tensor_box_of(&t);
            CHECK(b.row == 4 * words && b.pitch == (z ? 16u << z : 4 * words));
            CHECK_INT(b.bytes, 4 * words * 16);
        }
}

/* A copy of an interleaved tensor is of one slice of channels: W, H, D of it as the box has them,
 * and N (an H100's counts of bytes). */
static void slices(void) {
    static const struct {
        unsigned rank, step, count, apart, rows;
    } rows[] = {{3, 1, 8, 0, 2},         {4, 1, 8, 0, 3 * 2},
                {5, 1, 8, 0, 3 * 4 * 2}, /* boxes of 8, 3, 4, 5, 2 */
                {3, 2, 1, 4, 4 * 2},     {4, 3, 1, 3, 3 * 3 * 2},
                {5, 8, 1, 1, 3 * 4 * 2}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (unsigned il = SLICE_16; il <= SLICE_32; il++)
            for (unsigned type = 0; type <= TFLOAT32_FTZ; type++) {
                unsigned rank = rows[k].rank;
                sim_tensor_map t = {.type = type,
                                    .rank = rank,
                                    .interleave = il,
                                    .swizzle = 3,
                                    .box = {8, 3, 4},
                                    .step = {rows[k].step, 1, 1, 1, 1}};
                t.box[rank - 2] = 5, t.box[rank - 1] = 2;
                sim_tensor_box b = sim_tensor_box_of(&t);
                CHECK(b.count[0] == rows[k].count && b.count[rank - 2] == 1);
                CHECK(b.apart == rows[k].apart && b.rows == rows[k].rows);
                CHECK(b.element == 16 * il && b.row == rows[k].count * b.element &&
                      b.pitch == b.row && b.bytes == rows[k].rows * b.row);
                t = pixels, t.rank = rank, t.interleave = il, t.type = type;
                b = sim_tensor_box_of(
                    &t); /* a slice for each of 32 pixels, whatever channelsPerPixel */
                CHECK(b.count[0] == 1 && b.row == 16 * il && b.pitch == b.row && b.rows == 32);
            }
}

/* What becomes of values: an H100's answers. */
static void values(void) {
    sim_tensor_map t = plain;
    for (t.type = FLOAT16; t.type <= TFLOAT32_FTZ; t.type++) {
        t.fill = 1;
        CHECK(sim_tensor_fill(&t) == 0x7ff77ff77ff77ff7); /* a NaN of 2, 4 or 8 bytes */
        t.fill = 0;
        CHECK(sim_tensor_fill(&t) == 0);
        CHECK(sim_tensor_flushes(&t) == (t.type == FLOAT32_FTZ || t.type == TFLOAT32_FTZ));
    }
    /* loaded as TFLOAT32 or TFLOAT32_FTZ: 10 bits behind the point, to nearest even, nothing
     * flushed */
    static const uint32_t was[][2] = {
        {0x3f800000, 0x3f800000}, {0x3f800fff, 0x3f800000}, {0x3f801000, 0x3f800000},
        {0x3f801001, 0x3f802000}, {0x3f803000, 0x3f804000}, {0x3f802fff, 0x3f802000},
        {0xbf801000, 0xbf800000}, {0xbf801001, 0xbf802000}, {0x00000001, 0x00000000},
        {0x80000001, 0x80000000}, {0x0003ffff, 0x00040000}, {0x007fffff, 0x00800000},
        {0x80001fff, 0x80002000}, {0x7f7fefff, 0x7f7fe000}, {0x7f7ff000, 0x7f800000},
        {0xff7fffff, 0xff800000}, {0x7f800000, 0x7f800000}, {0xff800000, 0xff800000},
        {0x7f800001, 0x7fffe000}, {0x7fc00000, 0x7fffe000}, {0xffc00001, 0x7fffe000},
        {0xffffffff, 0x7fffe000}, {0x40490fdb, 0x40490000}, {0x9abcdef0, 0x9abce000}};
    enum { VALUES = sizeof was / sizeof *was };
    for (t.type = UINT8; t.type <= TFLOAT32_FTZ; t.type++) {
        uint32_t v[VALUES + 1];
        for (unsigned k = 0; k < VALUES; k++) v[k] = was[k][0];
        v[VALUES] = 0x3f801001; /* not of the row */
        sim_tensor_round(&t, (uint8_t *)v, 4 * VALUES);
        for (unsigned k = 0; k < VALUES; k++) CHECK(v[k] == was[k][t.type >= TFLOAT32]);
        CHECK(v[VALUES] == 0x3f801001);
    }
}

/* Bytes of what dimension 0 counts. */
static unsigned unit(const sim_tensor_map *t) {
    return t->interleave ? 16 * t->interleave : sim_tensor_element(t->type);
}

/* Places of the box along k. */
static unsigned steps(const sim_tensor_map *t, unsigned k) {
    unsigned n = 1;
    for (unsigned i = t->step[k]; i < t->box[k]; i += t->step[k]) n++;
    return n;
}

/* Element e of row r, by steps from one to the next: its address, or 0 out of bounds. */
static sim_addr tile_element(const sim_tensor_map *t, const int32_t at[5], uint64_t r, unsigned e) {
    int64_t x = (int64_t)at[0] + e;
    if (t->interleave && t->step[0] > 1) { /* slices that lie apart are rows */
        unsigned n = steps(t, 0);
        x = at[0] + (int64_t)(r % n * t->step[0]);
        r /= n;
    }
    uint64_t offset = (uint64_t)x * unit(t);
    bool in = x >= 0 && x < (int64_t)t->dim[0];
    for (unsigned k = 1; k < t->rank; k++) {
        unsigned n = t->interleave && k == t->rank - 2 ? 1 : steps(t, k); /* one slice */
        x = at[k] + (int64_t)(r % n * t->step[k]);
        r /= n;
        in &= x >= 0 && x < (int64_t)t->dim[k];
        offset += (uint64_t)x * t->stride[k - 1];
    }
    return in ? t->base + offset : 0;
}

/* Of a column: pixel by pixel along the box of places where filters begin, image by image. */
static sim_addr pixel_element(const sim_tensor_map *t, const int32_t at[5],
                              const uint32_t filter[3], uint64_t r, unsigned e) {
    int64_t x[5] = {at[0], at[1], at[2], at[3], at[4]};
    unsigned first = t->interleave ? 0 : 1, end = first + t->rank - 2; /* W, H, D */
    x[0] += t->interleave ? 0 : e;
    while (r--) {
        unsigned k = first;
        for (; k < end; k++) {
            x[k] += t->step[k];
            if (x[k] <= (int64_t)t->dim[k] - 1 + t->upper[k - first]) break;
            x[k] = t->lower[k - first];
        }
        if (k == end) x[t->rank - 1] += t->step[t->rank - 1];
    }
    uint64_t offset = 0;
    bool in = true;
    for (unsigned k = 0; k < t->rank; k++) {
        int64_t y = x[k] + (k >= first && k < end ? filter[k - first] : 0);
        in &= y >= 0 && y < (int64_t)t->dim[k];
        offset += (uint64_t)y * (k ? t->stride[k - 1] : unit(t));
    }
    return in ? t->base + offset : 0;
}

static unsigned wrong_rows(const sim_tensor_map *t, const int32_t at[5], const uint32_t filter[3]) {
    sim_tensor_box b = sim_tensor_box_of(t);
    unsigned wrong = 0;
    for (uint64_t r = 0; r < b.rows; r++) {
        uint32_t first = 99, count = 99, in = 0;
        sim_addr a = sim_tensor_row(t, &b, r, at, filter, &first, &count);
        for (unsigned e = 0; e < b.count[0]; e++) {
            sim_addr want =
                         t->im2col ? pixel_element(t, at, filter, r, e) : tile_element(t, at, r, e),
                     got = e >= first && e < first + count ? a + (e - first) * b.element : 0;
            wrong += got != want;
            in += want != 0;
        }
        wrong += count != in;
    }
    return wrong;
}

/* Past either edge of each dimension. */
static void edges(sim_tensor_map *t) {
    static const uint32_t none[3];
    for (t->rank = t->interleave ? 3 : 1; t->rank <= 5; t->rank++)
        for (unsigned k = 0; k < t->rank; k++)
            for (int x = -6; x <= 7; x++) {
                int32_t at[5] = {1, 1, 1, 1, 0};
                at[k] = x;
                CHECK_INT(wrong_rows(t, at, none), 0);
            }
}

static void rows_of_tiles(void) {
    sim_tensor_map t = {.type = UINT64,
                        .base = 0x10000,
                        .dim = {6, 5, 4, 3, 2},
                        .stride = {64, 512, 4096, 32768},
                        .box = {4, 5, 3, 2, 2},
                        .step = {1, 2, 1, 1, 1}};
    static const uint32_t none[3];
    edges(&t);
    for (t.interleave = SLICE_16; t.interleave <= SLICE_32; t.interleave++) {
        t.step[0] = 1, edges(&t);
        t.step[0] = 3, edges(&t);
    }
    t.interleave = 0, t.step[0] = 1;
    /* far away from the tensor, and an innermost dimension that is as long as can be */
    static const int32_t far[][5] = {
        {INT32_MAX, 0}, {INT32_MIN, 0}, {0, INT32_MAX}, {0, INT32_MIN}};
    t.rank = 2;
    for (unsigned k = 0; k < 4; k++) CHECK_INT(wrong_rows(&t, far[k], none), 0);
    t.dim[0] = 1ull << 32;
    for (unsigned k = 0; k < 4; k++) CHECK_INT(wrong_rows(&t, far[k], none), 0);
}

/* The figures of 5.5.4, of sizes that make each place matter. */
static void rows_of_columns(void) {
    sim_tensor_map t = {.type = UINT16,
                        .base = 0x10000,
                        .dim = {8, 7, 6, 5, 3},
                        .stride = {64, 512, 4096, 32768},
                        .box = {8},
                        .step = {1, 2, 2, 3, 2},
                        .im2col = true,
                        .pixels = 200,
                        .lower = {-1, -2, 0},
                        .upper = {-1, 1, -2}};
    static const uint32_t filters[][3] = {{0, 0, 0}, {2, 0, 0}, {0, 3, 0}, {1, 2, 2}};
    for (t.interleave = 0; t.interleave <= SLICE_32; t.interleave++)
        for (t.rank = 3; t.rank <= 5; t.rank++)
            for (unsigned f = 0; f < 4; f++)
                for (unsigned k = 0; k < t.rank; k++)
                    for (int x = -2; x <= 6; x++) {
                        int32_t at[5] = {0, 0, 0, 0, 0};
                        at[k] = x;
                        if (!sim_tensor_begins(&t, at, filters[f]))
                            CHECK_INT(wrong_rows(&t, at, filters[f]), 0);
                    }
}

/* Where a column may begin: on spatial dimensions from the lower corner to the last place. */
static void beginnings(void) {
    static const uint32_t most[] = {0xffff, 0xff, 0x1f}; /* of rank 3, 4, 5 */
    static const char *const out = "begins outside of the tensor map's bounding box",
                             *const great = "has an im2col offset that is too great";
    sim_tensor_map t = pixels;
    for (unsigned k = 0; k < 3; k++) t.dim[k + 1] = 20 + k, t.lower[k] = -3, t.upper[k] = -4;
    for (t.rank = 3; t.rank <= 5; t.rank++)
        for (unsigned k = 0; k + 2 < t.rank; k++) {
            uint32_t filter[3] = {0, 0, 0};
            int32_t last = 20 + (int32_t)k - 4 - 1, at[5] = {0, 0, 0, 0, 0};
            const struct {
                int32_t x;
                const char *why;
            } rows[] = {{-3, NULL}, {-4, out}, {last, NULL}, {last + 1, out}};
            for (unsigned i = 0; i < 4; i++) {
                at[k + 1] = rows[i].x;
                lib_word_id why = sim_tensor_begins(&t, at, filter);
                CHECK_STR(lib_word(LIB_EN, why), rows[i].why ? rows[i].why : "");
            }
            at[k + 1] = 0;
            filter[k] = most[t.rank - 3];
            CHECK(!sim_tensor_begins(&t, at, filter));
            filter[k]++;
            CHECK_STR(lib_word(LIB_EN, sim_tensor_begins(&t, at, filter)), great);
        }
    for (t.rank = 3; t.rank <= 5; t.rank++) { /* channels and images may be anywhere */
        int32_t at[5] = {-100, 0, 0, 0, 0};
        uint32_t filter[3] = {0, 0, 0};
        at[t.rank - 1] = 1000;
        for (unsigned k = t.rank - 2; k < 3; k++) filter[k] = UINT32_MAX;
        CHECK(!sim_tensor_begins(&t, at, filter));
    }
    for (t.rank = 3; t.rank <= 5; t.rank++) { /* interleaved: W first, slices and images last */
        uint32_t filter[3] = {0, 0, 0};
        t.interleave = SLICE_16, t.dim[0] = 19, t.dim[1] = 20, t.dim[2] = 21;
        for (unsigned k = 0; k < t.rank; k++) {
            bool inside = k + 2 < t.rank;
            const struct {
                int32_t x;
                const char *why;
            } rows[] = {
                {-3, NULL}, {-4, out}, {19 + (int32_t)k - 5, NULL}, {19 + (int32_t)k - 4, out}};
            for (unsigned i = 0; i < 4; i++) {
                int32_t at[5] = {0, 0, 0, 0, 0};
                at[k] = rows[i].x;
                lib_word_id why = sim_tensor_begins(&t, at, filter);
                CHECK_STR(lib_word(LIB_EN, why), inside && rows[i].why ? rows[i].why : "");
            }
        }
    }
    t = plain;
    int32_t away[5] = {-100, -100, 1000, 1000, -100};
    CHECK(!sim_tensor_begins(&t, away, (uint32_t[3]){UINT32_MAX, UINT32_MAX, UINT32_MAX}));
}

int main(void) {
    element_sizes();
    tiles();
    enumerations();
    columns();
    bytes();
    replaced();
    boxes();
    slices();
    values();
    rows_of_tiles();
    rows_of_columns();
    beginnings();
    return check_done();
}
