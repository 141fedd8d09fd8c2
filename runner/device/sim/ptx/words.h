/* The enums made from ops.def, mods.def and sregs.def, and the contents of their rows. Only ptx.h
 * includes this file.
 *
 *   ops.def    one OP row a mnemonic and, under it, its FORM rows: which types, modifiers and
 *              operands go together
 *   mods.def   one MOD row a dotted word and meaning
 *   sregs.def  one SREG row a special register
 *
 * In every field, enum 0 means "not written"; X_COUNT is one after the last value. */
#ifndef WARPLAB_PTX_WORDS_H
#define WARPLAB_PTX_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- mnemonics ---------------------------------------------------------------------------- */
typedef enum {
    PTX_OP_none,
#define OP(name, mnemonic, decoder, ends, doc) PTX_OP_##name,
#define FORM(klass, types, mods, operands)
#include "runner/device/sim/ptx/ops.def"
#undef OP
#undef FORM
    PTX_OP_COUNT
} ptx_op;

/* The kind of an instruction for the counters and the time model; ptx_insn.klass. X(name, doc) */
#define PTX_CLASS_MAP(X)                                                                           \
    X(NONE, "not an instruction")                                                                  \
    X(INT, "integer add, compare, logic, min, max, bit fields")                                    \
    X(IMUL, "integer multiply and multiply-add, 32 bits and less")                                 \
    X(IMUL64, "64-bit integer multiply; a sequence on the hardware")                               \
    X(IDIV, "integer divide and remainder; a sequence on the hardware")                            \
    X(SHIFT, "shifts and funnel shifts")                                                           \
    X(BITCOUNT, "popc, clz, bfind, brev, fns")                                                     \
    X(FP16, "half and bfloat16 arithmetic and compare")                                            \
    X(FP32, "single precision")                                                                    \
    X(FP64, "double precision")                                                                    \
    X(SFU, "special functions: the approximations")                                                \
    X(FDIV, "exact f32 division, reciprocal, square root; a sequence on the hardware")             \
    X(DDIV, "f64 division, reciprocal, square root; a sequence on the hardware")                   \
    X(CONVERT, "conversions between types")                                                        \
    X(MOVE, "mov, cvta, isspacep, special registers")                                              \
    X(SELECT, "selp, slct, predicate logic")                                                       \
    X(BRANCH, "bra, brx.idx")                                                                      \
    X(CALL, "call, ret")                                                                           \
    X(BARRIER, "block barriers, mbarrier waits")                                                   \
    X(FENCE, "memory fences")                                                                      \
    X(LOAD, "loads; the space is in ptx_insn.space")                                               \
    X(STORE, "stores")                                                                             \
    X(ATOM, "atomics and reductions on memory")                                                    \
    X(SHUFFLE, "shuffles, votes, matches, warp reductions")                                        \
    X(TEX, "textures and surfaces")                                                                \
    X(TENSOR, "mma and wmma.mma")                                                                  \
    X(ASYNC, "asynchronous copies and their groups, mbarrier operations")                          \
    X(VIDEO, "video instructions")                                                                 \
    X(CONTROL, "exit, trap, nanosleep, hints")
typedef enum {
#define X(n, doc) PTX_CLASS_##n,
    PTX_CLASS_MAP(X)
#undef X
        PTX_CLASS_COUNT
} ptx_class;
const char *ptx_class_name(ptx_class k); /* "FP32" */

typedef struct {
    const char *mnemonic, *doc;
} ptx_op_info;
const ptx_op_info *ptx_op_get(unsigned op); /* op < PTX_OP_COUNT */

/* What an instruction's row says besides how it is written: the rows IS(trait) under it. */
#define PTX_TRAIT_MAP(X)                                                                           \
    X(COPIES, "the copy engine moves bytes for it, some time later")                               \
    X(ARRIVES, "it arrives at a barrier and goes on")                                              \
    X(POLLS, "it asks for what others do: a loop of it is no work")                                \
    X(SPARES, "its result, the first where there are two, may be left out: _")
typedef enum {
#define X(name, doc) PTX_IS_##name,
    PTX_TRAIT_MAP(X)
#undef X
} ptx_trait;
bool ptx_op_is(unsigned op, ptx_trait trait);
/* Returns whether its first operand is a destination, by its forms. */
bool ptx_op_writes(unsigned op);

/* ---- modifiers: the dotted words of an instruction, except types and state spaces. A field has
 * one value, or 0: not written; a flag is a bit of ptx_insn.flags ---- */
typedef enum {
    PTX_FIELD_FLAG,
    PTX_FIELD_ROUND, /* ptx_round */
    PTX_FIELD_CMP,   /* ptx_cmp */
    PTX_FIELD_BOOL,  /* ptx_boolop: setp.lt.and */
    PTX_FIELD_VEC,   /* 1, 2, 4, 8 */
    PTX_FIELD_ATOM,  /* ptx_atomop */
    PTX_FIELD_ORDER, /* ptx_order */
    PTX_FIELD_SCOPE, /* ptx_scope */
    PTX_FIELD_CACHE, /* ptx_cache */
    PTX_FIELD_SHFL,  /* ptx_shfl */
    PTX_FIELD_VOTE,  /* ptx_vote */
    PTX_FIELD_GEOM,  /* ptx_geom: texture and surface geometry */
    PTX_FIELD_SHAPE, /* ptx_shape: wmma and mma */
    PTX_FIELD_M64K8, /* N / 8 of a wgmma's shape, by its K */
    PTX_FIELD_M64K16,
    PTX_FIELD_M64K32,
    PTX_FIELD_M64K64, /* the same with a sparse A */
    PTX_FIELD_M64K256,
    PTX_FIELD_CLAMP,    /* ptx_clamp: surfaces, shf, bmsk */
    PTX_FIELD_PRMT,     /* ptx_prmt */
    PTX_FIELD_LAYOUT,   /* ptx_layout: row or col of a matrix; of A in an mma */
    PTX_FIELD_LAYOUT_B, /* ptx_layout: of B in an mma */
    PTX_FIELD_COMP,     /* ptx_comp: tld4 */
    PTX_FIELD_QUERY,    /* ptx_query: txq, suq */
    PTX_FIELD_TESTP,    /* ptx_testp */
    PTX_FIELD_TILE,     /* ptx_tile: how a tensor copy goes through its tensor */
    PTX_FIELD_TMAP,     /* ptx_tmap: the part of a tensor map that tensormap.replace changes */
    PTX_FIELD_GROUP,    /* ptx_group: cta_group::1, cta_group::2 */
    PTX_FIELD_COUNT
} ptx_field;

/* Bit numbers of ptx_insn.flags. */
typedef enum {
#define MOD_FLAG(text, value) PTX_F_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_F_PAIR,           /* the first destination is written d|p: two operands */
    PTX_F_SHARED_CLUSTER, /* the space was .shared::cluster */
    PTX_F_COUNT
} ptx_flag;
_Static_assert(PTX_F_COUNT <= 64, "flags live in one uint64_t");

typedef enum {
    PTX_ROUND_NONE,
#define MOD_ROUND(text, value) PTX_ROUND_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_ROUND_COUNT
} ptx_round;
typedef enum {
    PTX_CMP_NONE,
#define MOD_CMP(text, value) PTX_CMP_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_CMP_COUNT
} ptx_cmp;
typedef enum {
    PTX_BOOL_NONE,
#define MOD_BOOL(text, value) PTX_BOOL_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_BOOL_COUNT
} ptx_boolop;
typedef enum {
    PTX_ATOM_NONE,
#define MOD_ATOM(text, value) PTX_ATOM_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_ATOM_COUNT
} ptx_atomop;
typedef enum {
    PTX_ORDER_NONE,
#define MOD_ORDER(text, value) PTX_ORDER_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_ORDER_COUNT
} ptx_order;
typedef enum {
    PTX_SCOPE_NONE,
#define MOD_SCOPE(text, value) PTX_SCOPE_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_SCOPE_COUNT
} ptx_scope;
typedef enum {
    PTX_CACHE_NONE,
#define MOD_CACHE(text, value) PTX_CACHE_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_CACHE_COUNT
} ptx_cache;
typedef enum {
    PTX_SHFL_NONE,
#define MOD_SHFL(text, value) PTX_SHFL_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_SHFL_COUNT
} ptx_shfl;
typedef enum {
    PTX_VOTE_NONE,
#define MOD_VOTE(text, value) PTX_VOTE_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_VOTE_COUNT
} ptx_vote;
typedef enum {
    PTX_GEOM_NONE,
#define MOD_GEOM(text, value) PTX_GEOM_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_GEOM_COUNT
} ptx_geom;
typedef enum {
    PTX_SHAPE_NONE,
#define MOD_SHAPE(text, value) PTX_SHAPE_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_SHAPE_COUNT
} ptx_shape;
typedef enum {
    PTX_M64K8_NONE,
#define MOD_M64K8(text, value) PTX_M64K8_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_M64K8_COUNT
} ptx_m64k8;
typedef enum {
    PTX_M64K16_NONE,
#define MOD_M64K16(text, value) PTX_M64K16_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_M64K16_COUNT
} ptx_m64k16;
typedef enum {
    PTX_M64K32_NONE,
#define MOD_M64K32(text, value) PTX_M64K32_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_M64K32_COUNT
} ptx_m64k32;
typedef enum {
    PTX_M64K64_NONE,
#define MOD_M64K64(text, value) PTX_M64K64_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_M64K64_COUNT
} ptx_m64k64;
typedef enum {
    PTX_M64K256_NONE,
#define MOD_M64K256(text, value) PTX_M64K256_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_M64K256_COUNT
} ptx_m64k256;
_Static_assert(PTX_M64K256_n256 == 256 / 8, "a shape's value is N / 8");
typedef enum {
    PTX_CLAMP_NONE,
#define MOD_CLAMP(text, value) PTX_CLAMP_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_CLAMP_COUNT
} ptx_clamp;
typedef enum {
    PTX_PRMT_NONE,
#define MOD_PRMT(text, value) PTX_PRMT_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_PRMT_COUNT
} ptx_prmt;
typedef enum {
    PTX_LAYOUT_NONE,
#define MOD_LAYOUT(text, value) PTX_LAYOUT_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_LAYOUT_COUNT
} ptx_layout;
typedef enum {
    PTX_COMP_NONE,
#define MOD_COMP(text, value) PTX_COMP_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_COMP_COUNT
} ptx_comp;
typedef enum {
    PTX_QUERY_NONE,
#define MOD_QUERY(text, value) PTX_QUERY_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_QUERY_COUNT
} ptx_query;
typedef enum {
    PTX_TESTP_NONE,
#define MOD_TESTP(text, value) PTX_TESTP_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_TESTP_COUNT
} ptx_testp;

typedef enum {
    PTX_TMAP_NONE,
#define MOD_TMAP(text, value) PTX_TMAP_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_TMAP_COUNT
} ptx_tmap;
typedef enum {
    PTX_TILE_NONE,
#define MOD_TILE(text, value) PTX_TILE_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_TILE_COUNT
} ptx_tile;
typedef enum {
    PTX_GROUP_NONE,
#define MOD_GROUP(text, value) PTX_GROUP_##value,
#include "runner/device/sim/ptx/mods.def"
    PTX_GROUP_COUNT
} ptx_group;

typedef struct {
    const char *text;
    uint8_t field, value; /* a flag's value is its bit number */
} ptx_mod_info;
const ptx_mod_info *ptx_mod_at(unsigned i); /* rows of mods.def; NULL: after the last one */
const char *ptx_mod_text(unsigned field, unsigned value); /* "ftz" */

/* ---- special registers -------------------------------------------------------------------- */
typedef enum {
    PTX_SREG_NONE,
#define SREG(name, text, type, version, target) PTX_SREG_##name,
#include "runner/device/sim/ptx/sregs.def"
#undef SREG
    PTX_SREG_COUNT
} ptx_sreg;
typedef struct {
    const char *text;
    uint8_t type;             /* ptx_type */
    uint16_t version, target; /* of the modules that may read it: 708: PTX 7.8; 90: sm_90; 0: any */
} ptx_sreg_info;
const ptx_sreg_info *ptx_sreg_get(unsigned sreg); /* sreg < PTX_SREG_COUNT */

#endif
