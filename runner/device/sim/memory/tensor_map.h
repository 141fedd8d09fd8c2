/* Tensor maps: the 128 bytes that cuTensorMapEncodeTiled() and -Im2col() make from the description
 * of a tensor, and that a kernel passes to the copy engine (PTX ISA 5.5.8, "Tensor-map"); and the
 * places of the elements of a box.
 *
 *   sim_tensor_map (sim.h) --sim_tensor_map_pack()--> 128 bytes --program, kernel parameter-->
 *     --sim_tensor_map_unpack()--> sim_tensor_map --sim_tensor_box()--> a box, row by row
 *
 * The program holds the bytes in between. Unpacking checks them again completely, so a map that the
 * program has made up or changed is refused and never followed.
 *
 * Facts marked "measured" here and in tensor_map.c are what an H100 does. */
#ifndef WARPLAB_SIM_TENSOR_MAP_H
#define WARPLAB_SIM_TENSOR_MAP_H

#include "runner/device/sim/sim.h"

/* A tensor map lies at a multiple of this (cuda.h, cuTensorMapEncodeTiled). */
enum { SIM_TENSOR_MAP_ALIGN = 64 };

/* Returns the bytes of an element; 0: no such type. */
unsigned sim_tensor_element(unsigned type);
/* Checks that cuTensorMapEncodeTiled() or -Im2col() would accept the description. Otherwise returns
 * SIM_BAD_ARGUMENT and sets *msg. */
sim_status sim_tensor_map_check(const sim_tensor_map *t, lib_message *msg);
void sim_tensor_map_pack(const sim_tensor_map *t, uint8_t to[SIM_TENSOR_MAP_BYTES]);
/* Returns false if it is not a tensor map of this program, or if tensormap.replace has made it
 * invalid; then *msg says how. */
bool sim_tensor_map_unpack(sim_tensor_map *t, const uint8_t from[SIM_TENSOR_MAP_BYTES],
                           lib_message *msg);
/* For a map that tensormap.replace has made invalid: returns whether its box is one that hardware
 * supports. A copy with another box is an illegal instruction (measured on an H100). */
bool sim_tensor_map_has_box(const sim_tensor_map *t);
/* The fields that tensormap.replace changes. Values are those of cuTensorMapEncodeTiled(), except
 * the rank, which is one less. */
typedef enum {
    SIM_TENSOR_BASE,
    SIM_TENSOR_RANK,
    SIM_TENSOR_BOX,
    SIM_TENSOR_DIM,
    SIM_TENSOR_STRIDE,
    SIM_TENSOR_STEP,
    SIM_TENSOR_TYPE,
    SIM_TENSOR_INTERLEAVE,
    SIM_TENSOR_SWIZZLE,
    SIM_TENSOR_FILL
} sim_tensor_field;
/* Sets the field (of dimension `dim` if it has dimensions) to value. Returns 0, or the reason
 * why not: a row of "finding." that says what the thread does. */
lib_word_id sim_tensor_map_set(uint8_t map[SIM_TENSOR_MAP_BYTES], sim_tensor_field field,
                               unsigned dim, uint64_t value);

/* A box of a tensor: what one instruction moves. The elements of a row are adjacent in both
 * memories.
 *
 * An interleaved tensor (NC/8HWC8 and others; PTX ISA 5.5.5 has only the names) has the dimensions
 * W, H, D as far as they exist, then slices of channels, then N. An element of W is the 16 or 32
 * bytes of one slice of a pixel, whatever the data type. A copy is of one slice, whatever the box
 * says (measured). */
typedef struct {
    uint32_t count[SIM_TENSOR_DIMS]; /* elements along each dimension; [0]: in a row */
    uint32_t apart; /* rows along dimension 0, each of one element; 0: its elements form one row */
    uint32_t element, row; /* bytes of an element of dimension 0, and of a row */
    /* Bytes from one row to the next in shared memory. A row narrower than the span of its swizzle
     * still begins a new span (measured). */
    uint32_t pitch;
    uint64_t rows;  /* count[1] * count[2] * ..., times `apart` */
    uint64_t bytes; /* rows * row: the bytes that a load completes on its mbarrier */
} sim_tensor_box;
/* Returns the first of the dimensions to which an im2col map's corners and offsets belong. */
static inline unsigned sim_tensor_spatial(const sim_tensor_map *t) {
    return !t->interleave;
}
sim_tensor_box sim_tensor_box_of(const sim_tensor_map *t);
/* For an im2col map whose filter begins at `at` and whose pixel is further by `filter`. Returns the
 * reason why that is impossible, a row of "finding." that says what the thread does; 0: it is
 * possible. */
lib_word_id sim_tensor_begins(const sim_tensor_map *t, const int32_t at[SIM_TENSOR_DIMS],
                              const uint32_t filter[SIM_TENSOR_DIMS - 2]);
/* Row r of the box that begins at `at`, or pixel r of a column (PTX ISA 5.5.4). *first and *count:
 * the elements that are inside the tensor (of count[0]; the others are out of bounds). Returns the
 * address of the first; count 0: none. */
sim_addr sim_tensor_row(const sim_tensor_map *t, const sim_tensor_box *b, uint64_t r,
                        const int32_t at[SIM_TENSOR_DIMS],
                        const uint32_t filter[SIM_TENSOR_DIMS - 2], uint32_t *first,
                        uint32_t *count);
/* Returns the place of the 16 bytes that would be at `at` in shared memory without swizzling (CUDA
 * C++ Programming Guide, "The Swizzle Modes"): the address bits above the span's, 7 to 9, are
 * combined by exclusive or with those of the 16 bytes within the span. */
static inline uint32_t sim_tensor_swizzle(unsigned mode, uint32_t at) {
    return mode ? at ^ (at >> 3 & (((1u << mode) - 1) << 4)) : at;
}
/* Returns the 8 bytes that fill elements out of bounds: zeros, or NaNs of any type, whose bits
 * cuda.h leaves open (measured). */
uint64_t sim_tensor_fill(const sim_tensor_map *t);
/* Returns whether sums of the tensor's elements flush subnormal numbers, before and after
 * (measured; loads and stores do not). */
bool sim_tensor_flushes(const sim_tensor_map *t);
/* Changes n bytes of elements as a load does: TFLOAT32 (both kinds) is rounded to nearest even, a
 * NaN becomes 0x7fffe000; other types stay as they are (measured). */
void sim_tensor_round(const sim_tensor_map *t, uint8_t *row, uint64_t n);

#endif
