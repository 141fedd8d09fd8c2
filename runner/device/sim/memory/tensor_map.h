/* Tensor maps: what cuTensorMapEncodeTiled() and -Im2col() make of a tensor's description, 128 bytes that a kernel
 * hands to the copy engine (PTX ISA 5.5.8, "Tensor-map"), and where the elements of a box lie.
 *
 *   sim_tensor_map (sim.h) --sim_tensor_map_pack()--> 128 bytes --program, kernel parameter-->
 *     --sim_tensor_map_unpack()--> sim_tensor_map --sim_tensor_box()--> a box, row by row
 *
 * The bytes are the program's in between: what comes back is looked at again as a whole, so that a
 * map which nobody made, or somebody changed, is refused and never followed. */
#ifndef WARPLAB_SIM_TENSOR_MAP_H
#define WARPLAB_SIM_TENSOR_MAP_H

#include "runner/device/sim/sim.h"

/* A tensor map lies at a multiple of this (cuda.h, cuTensorMapEncodeTiled). */
enum { SIM_TENSOR_MAP_ALIGN = 64 };

/* Bytes of an element; 0: there is no such type. */
unsigned sim_tensor_element(unsigned type);
/* Is the description one that cuTensorMapEncodeTiled() or -Im2col() takes? SIM_BAD_ARGUMENT and *msg if not. */
sim_status sim_tensor_map_check(const sim_tensor_map *t, lib_message *msg);
void sim_tensor_map_pack(const sim_tensor_map *t, uint8_t to[SIM_TENSOR_MAP_BYTES]);
/* False: no tensor map of ours, or one that tensormap.replace has made wrong; then *msg says how. */
bool sim_tensor_map_unpack(sim_tensor_map *t, const uint8_t from[SIM_TENSOR_MAP_BYTES],
                           lib_message *msg);
/* Of a map that tensormap.replace has made wrong: is its box one that hardware has? A copy that uses
 * another is an illegal instruction (seen on an H100). */
bool sim_tensor_map_has_box(const sim_tensor_map *t);
/* What tensormap.replace changes: all as cuTensorMapEncodeTiled() takes it, but the rank, which is one less. */
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
/* The field, of dimension `dim` where it has one, := value. NULL, or why not, of a thread: "..". */
const char *sim_tensor_map_set(uint8_t map[SIM_TENSOR_MAP_BYTES], sim_tensor_field field,
                               unsigned dim, uint64_t value);

/* A box of a tensor: what one instruction moves. A row is what lies side by side in both memories.
 *
 * An interleaved tensor (NC/8HWC8 and the like; PTX ISA 5.5.5 has no more than the names) has the dimensions W, H, D as far as
 * there are, then slices of channels, then N. An element of W is a pixel's 16 or 32 bytes of one slice, whatever the
 * data type, and a copy is of one slice, whatever the box says. This, and all that is said here to
 * be seen, is what an H100 does. */
typedef struct {
    uint32_t count[SIM_TENSOR_DIMS]; /* elements along each dimension; [0]: of a row */
    uint32_t apart; /* rows along dimension 0, of an element each; 0: its elements are one row */
    uint32_t element, row; /* bytes of an element of dimension 0, of a row */
    /* Bytes from one row to the next in shared memory: those narrower than their swizzle's span begin
     * a span of their own (seen). */
    uint32_t pitch;
    uint64_t rows;  /* count[1] * count[2] * ..., times apart */
    uint64_t bytes; /* rows * row: what a load completes on its mbarrier */
} sim_tensor_box;
/* The first of the dimensions that an im2col map's corners and offsets belong to. */
static inline unsigned sim_tensor_spatial(const sim_tensor_map *t) {
    return !t->interleave;
}
sim_tensor_box sim_tensor_box_of(const sim_tensor_map *t);
/* Of an im2col map: the filter begins at `at`, a pixel is as much further as `filter` says. Why that cannot
 * be, of a thread; NULL. */
const char *sim_tensor_begins(const sim_tensor_map *t, const int32_t at[SIM_TENSOR_DIMS],
                              const uint32_t filter[SIM_TENSOR_DIMS - 2]);
/* Row r of the box that begins at `at`, or pixel r of a column (PTX ISA 5.5.4): *first and *count are its elements that lie in the tensor (of
 * count[0], the others out of bounds), which begin at the address that is returned; count 0: none. */
sim_addr sim_tensor_row(const sim_tensor_map *t, const sim_tensor_box *b, uint64_t r,
                        const int32_t at[SIM_TENSOR_DIMS],
                        const uint32_t filter[SIM_TENSOR_DIMS - 2], uint32_t *first,
                        uint32_t *count);
/* Where the 16 bytes go that would lie at `at` in shared memory without swizzling (CUDA C++ Programming Guide, "The
 * Swizzle Modes"): bits of the address above the span's, 7 to 9, are added by exclusive or to those of
 * the 16 bytes within it. */
static inline uint32_t sim_tensor_swizzle(unsigned mode, uint32_t at) {
    return mode ? at ^ (at >> 3 & (((1u << mode) - 1) << 4)) : at;
}
/* What elements out of bounds are filled with, 8 bytes: zeros, or NaNs of any type, whose bits
 * cuda.h leaves open (seen). */
uint64_t sim_tensor_fill(const sim_tensor_map *t);
/* Whether sums of the tensor's elements flush subnormal numbers, before and after (seen; loads and stores
 * do not). */
bool sim_tensor_flushes(const sim_tensor_map *t);
/* What a load makes of n bytes of elements: TFLOAT32 (either) is rounded to nearest even, a NaN becomes 0x7fffe000; other
 * types come as they are (seen). */
void sim_tensor_round(const sim_tensor_map *t, uint8_t *row, uint64_t n);

#endif
