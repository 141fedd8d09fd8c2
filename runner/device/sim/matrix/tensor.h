/* Families of matrix instructions (tensor.c, tensor_sparse.c, wgmma.c, matrix.c): decoding, and the
 * product of fragments that they share. */
#ifndef WARPLAB_SIM_TENSOR_H
#define WARPLAB_SIM_TENSOR_H

#include <stdlib.h>
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/machine/state.h"
#include "runner/device/sim/ptx/fragment.h"

sim_decode_fn sim_decode_wmma_load, sim_decode_wmma_store, sim_decode_mma, sim_decode_mma_sparse,
    sim_decode_wgmma, sim_decode_wgmma_group, sim_decode_ldmatrix, sim_decode_stmatrix,
    sim_decode_movmatrix;

/* The registers of a fragment, and the place of each element in the matrix. */
typedef struct {
    uint8_t type, bits; /* ptx_type of an element, its bits */
    uint8_t regs, per;  /* registers of a lane, elements of a register */
    bool wide;          /* registers have 64 bits */
    uint16_t rows, cols;
    sim_opnd reg[8];
    /* [(register * per + element) * 32 + lane] := row * cols + column; in a QUAD (fragment.h)
     * counted after the three matrices before it */
    uint16_t *at;
} sim_fragment;

/* Lays *f out as `regs` registers, whose operands the caller fills in; not for a QUAD. Returns
 * false if decoding has failed. */
bool sim_fragment_lay(sim_decoder *d, sim_fragment *f, ptx_fragment_shape s, char which, ptx_type t,
                      unsigned regs);
/* Fills *f for operand o of the current instruction; `which` is 'a', 'b' or 'c' (C, D). Returns
 * false if decoding has failed. */
bool sim_fragment_make(sim_decoder *d, sim_fragment *f, const ptx_opnd *o, char which, ptx_type t,
                       bool quad, bool to);

/* D := A * B + C. */
typedef struct sim_product sim_product;
struct sim_product {
    sim_fragment d, a, b, c;
    ptx_fragment_shape s;
    unsigned batch; /* products computed together */
    int round;      /* f64: fesetround()'s */
    bool integer, satfinite;
    uint8_t bitwise; /* b1: PTX_ATOM_and or PTX_ATOM_xor */
    /* Computes it by vector code (tensor_path.inc). Returns false if it could not; then nothing has
     * changed. NULL: no vector code for this product, or on this machine. */
    bool (*fast)(sim_warp *w, const sim_product *p);
};
/* Sets p->fast, after all other fields. The second function computes the product for the lanes of
 * w->mask. */
void sim_product_choose(sim_product *p, sim_isa isa);
void sim_product_run(sim_warp *w, const sim_product *p);

/* A matrix A of which half the elements are zeros that are not stored (tensor_sparse.c). */
typedef struct {
    sim_opnd from[4], to[8]; /* registers of A: as stored, and in full */
    sim_opnd metadata;
    /* registers of the stored A; bytes; which of four lanes has the first metadata */
    uint8_t regs, unit, lane;
    bool pairs; /* two units form one element */
} sim_sparse;
/* Sets *k except the registers: elements of type a, `regs` registers of the stored A, the operands
 * of the metadata and the selector. Returns false if decoding has failed. */
bool sim_sparse_make(sim_decoder *d, sim_sparse *k, ptx_type a, unsigned regs,
                     const ptx_opnd *metadata, const ptx_opnd *selector);
/* Expands A. Returns false, with `strict`, if the metadata name one place twice, or half of an
 * element. */
bool sim_sparse_expand(sim_warp *w, const sim_sparse *k, bool strict);

/* A or B as numbers, and the registers and shape from which they were made. A worker's next product
 * often has the same ones: products of a row or a column of tiles, and of a wgmma. */
typedef struct {
    _Alignas(64) uint32_t of[8][SIM_WARP_LANES];
    _Alignas(64) double v[16 * 64];
    uint32_t shape; /* 0: empty */
} sim_operand_kept;
struct sim_tensor_kept {
    sim_operand_kept a, b;
};
/* Returns the worker's own, made at its first product and freed with the worker; NULL: memory is
 * out. */
static inline sim_tensor_kept *sim_tensor_kept_of(sim_worker *k) {
    if (!k->products && (k->products = aligned_alloc(64, sizeof *k->products)))
        k->products->a.shape = k->products->b.shape = 0;
    return k->products;
}

#if defined(__x86_64__)
bool sim_product_avx2(sim_warp *w, const sim_product *p);
bool sim_product_avx512(sim_warp *w, const sim_product *p);
#endif

#endif
