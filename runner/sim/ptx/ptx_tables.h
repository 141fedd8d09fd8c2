/* The enums that ops.def, mods.def and sregs.def make, and what a row says. Included by ptx.h only.
 *
 *   ops.def    one OP row a mnemonic and, under it, its FORM rows: which types, modifiers and operands go
 *              together
 *   mods.def   one MOD row a dotted word and meaning
 *   sregs.def  one SREG row a special register
 *
 * In every field enum 0 means "not written"; X_COUNT is one past the last value. */
#ifndef WARPLAB_PTX_TABLES_H
#define WARPLAB_PTX_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- mnemonics ---------------------------------------------------------------------------- */
typedef enum {
    PTX_OP_none,
#define OP(name, mnemonic, decoder, ends, doc) PTX_OP_##name,
#define FORM(klass, types, mods, operands)
#include "runner/sim/ptx/ops.def"
#undef OP
#undef FORM
    PTX_OP_COUNT
} ptx_op;

/* What an instruction is to the counters and the time model; ptx_insn.klass. X(name, doc) */
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

/* ---- modifiers ---------------------------------------------------------------------------- */
#define PTX_MOD_SKIP(v)
#define PTX_MOD_NAME(field, v) PTX_##field##_##v,

#define PTX_PICK_FLAG(v)        PTX_MOD_SKIP(v)
#define PTX_PICK_ROUND(v)       PTX_MOD_SKIP(v)
#define PTX_PICK_CMP(v)         PTX_MOD_SKIP(v)
#define PTX_PICK_BOOL(v)        PTX_MOD_SKIP(v)
#define PTX_PICK_VEC(v)         PTX_MOD_SKIP(v)
#define PTX_PICK_ATOM(v)        PTX_MOD_SKIP(v)
#define PTX_PICK_ORDER(v)       PTX_MOD_SKIP(v)
#define PTX_PICK_SCOPE(v)       PTX_MOD_SKIP(v)
#define PTX_PICK_CACHE(v)       PTX_MOD_SKIP(v)
#define PTX_PICK_SHFL(v)        PTX_MOD_SKIP(v)
#define PTX_PICK_VOTE(v)        PTX_MOD_SKIP(v)
#define PTX_PICK_GEOM(v)        PTX_MOD_SKIP(v)
#define PTX_PICK_SHAPE(v)       PTX_MOD_SKIP(v)
#define PTX_PICK_CLAMP(v)       PTX_MOD_SKIP(v)
#define PTX_PICK_PRMT(v)        PTX_MOD_SKIP(v)
#define PTX_PICK_LAYOUT(v)      PTX_MOD_SKIP(v)
#define PTX_PICK_LAYOUT_B(v)    PTX_MOD_SKIP(v)
#define PTX_PICK_COMP(v)        PTX_MOD_SKIP(v)
#define PTX_PICK_QUERY(v)       PTX_MOD_SKIP(v)
#define PTX_PICK_TESTP(v)       PTX_MOD_SKIP(v)
#define MOD(text, field, value) PTX_PICK_##field(value)

/* Each enum takes its own rows: PTX_PICK_<FIELD> is redefined around the inclusion. The last row of
 * a word may repeat a value (`gl` is SCOPE gpu): such rows are written MOD_ALIAS and make no
 * enumerator. */
#define MOD_ALIAS(text, field, value)

/* Bit numbers of ptx_insn.flags. */
typedef enum {
#undef PTX_PICK_FLAG
#define PTX_PICK_FLAG(v) PTX_F_##v,
#include "runner/sim/ptx/mods.def"
#undef PTX_PICK_FLAG
#define PTX_PICK_FLAG(v) PTX_MOD_SKIP(v)
    PTX_F_PAIR,           /* the first destination is written d|p: two operands */
    PTX_F_SHARED_CLUSTER, /* the space was .shared::cluster */
    PTX_F_COUNT
} ptx_flag;
_Static_assert(PTX_F_COUNT <= 64, "flags live in one uint64_t");

#undef PTX_PICK_ROUND
#define PTX_PICK_ROUND(v) PTX_MOD_NAME(ROUND, v)
typedef enum {
    PTX_ROUND_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_ROUND_COUNT
} ptx_round;
#undef PTX_PICK_ROUND
#define PTX_PICK_ROUND(v) PTX_MOD_SKIP(v)

#undef PTX_PICK_CMP
#define PTX_PICK_CMP(v) PTX_MOD_NAME(CMP, v)
typedef enum {
    PTX_CMP_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_CMP_COUNT
} ptx_cmp;
#undef PTX_PICK_CMP
#define PTX_PICK_CMP(v) PTX_MOD_SKIP(v)

#undef PTX_PICK_BOOL
#define PTX_PICK_BOOL(v) PTX_MOD_NAME(BOOL, v)
typedef enum {
    PTX_BOOL_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_BOOL_COUNT
} ptx_boolop;
#undef PTX_PICK_BOOL
#define PTX_PICK_BOOL(v) PTX_MOD_SKIP(v)

#undef PTX_PICK_ATOM
#define PTX_PICK_ATOM(v) PTX_MOD_NAME(ATOM, v)
typedef enum {
    PTX_ATOM_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_ATOM_COUNT
} ptx_atomop;
#undef PTX_PICK_ATOM
#define PTX_PICK_ATOM(v) PTX_MOD_SKIP(v)

#undef PTX_PICK_ORDER
#define PTX_PICK_ORDER(v) PTX_MOD_NAME(ORDER, v)
typedef enum {
    PTX_ORDER_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_ORDER_COUNT
} ptx_order;
#undef PTX_PICK_ORDER
#define PTX_PICK_ORDER(v) PTX_MOD_SKIP(v)

#undef PTX_PICK_SCOPE
#define PTX_PICK_SCOPE(v) PTX_MOD_NAME(SCOPE, v)
typedef enum {
    PTX_SCOPE_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_SCOPE_COUNT
} ptx_scope;
#undef PTX_PICK_SCOPE
#define PTX_PICK_SCOPE(v) PTX_MOD_SKIP(v)

#undef PTX_PICK_CACHE
#define PTX_PICK_CACHE(v) PTX_MOD_NAME(CACHE, v)
typedef enum {
    PTX_CACHE_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_CACHE_COUNT
} ptx_cache;
#undef PTX_PICK_CACHE
#define PTX_PICK_CACHE(v) PTX_MOD_SKIP(v)

#undef PTX_PICK_SHFL
#define PTX_PICK_SHFL(v) PTX_MOD_NAME(SHFL, v)
typedef enum {
    PTX_SHFL_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_SHFL_COUNT
} ptx_shfl;
#undef PTX_PICK_SHFL
#define PTX_PICK_SHFL(v) PTX_MOD_SKIP(v)

#undef PTX_PICK_VOTE
#define PTX_PICK_VOTE(v) PTX_MOD_NAME(VOTE, v)
typedef enum {
    PTX_VOTE_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_VOTE_COUNT
} ptx_vote;
#undef PTX_PICK_VOTE
#define PTX_PICK_VOTE(v) PTX_MOD_SKIP(v)

#undef PTX_PICK_GEOM
#define PTX_PICK_GEOM(v) PTX_MOD_NAME(GEOM, v)
typedef enum {
    PTX_GEOM_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_GEOM_COUNT
} ptx_geom;
#undef PTX_PICK_GEOM
#define PTX_PICK_GEOM(v) PTX_MOD_SKIP(v)

#undef PTX_PICK_SHAPE
#define PTX_PICK_SHAPE(v) PTX_MOD_NAME(SHAPE, v)
typedef enum {
    PTX_SHAPE_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_SHAPE_COUNT
} ptx_shape;
#undef PTX_PICK_SHAPE
#define PTX_PICK_SHAPE(v) PTX_MOD_SKIP(v)

#undef PTX_PICK_CLAMP
#define PTX_PICK_CLAMP(v) PTX_MOD_NAME(CLAMP, v)
typedef enum {
    PTX_CLAMP_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_CLAMP_COUNT
} ptx_clamp;
#undef PTX_PICK_CLAMP
#define PTX_PICK_CLAMP(v) PTX_MOD_SKIP(v)

#undef PTX_PICK_PRMT
#define PTX_PICK_PRMT(v) PTX_MOD_NAME(PRMT, v)
typedef enum {
    PTX_PRMT_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_PRMT_COUNT
} ptx_prmt;
#undef PTX_PICK_PRMT
#define PTX_PICK_PRMT(v) PTX_MOD_SKIP(v)

/* LAYOUT and LAYOUT_B share the values. */
#undef PTX_PICK_LAYOUT
#define PTX_PICK_LAYOUT(v) PTX_MOD_NAME(LAYOUT, v)
typedef enum {
    PTX_LAYOUT_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_LAYOUT_COUNT
} ptx_layout;
#undef PTX_PICK_LAYOUT
#define PTX_PICK_LAYOUT(v) PTX_MOD_SKIP(v)

#undef PTX_PICK_COMP
#define PTX_PICK_COMP(v) PTX_MOD_NAME(COMP, v)
typedef enum {
    PTX_COMP_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_COMP_COUNT
} ptx_comp;
#undef PTX_PICK_COMP
#define PTX_PICK_COMP(v) PTX_MOD_SKIP(v)

#undef PTX_PICK_QUERY
#define PTX_PICK_QUERY(v) PTX_MOD_NAME(QUERY, v)
typedef enum {
    PTX_QUERY_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_QUERY_COUNT
} ptx_query;
#undef PTX_PICK_QUERY
#define PTX_PICK_QUERY(v) PTX_MOD_SKIP(v)

#undef PTX_PICK_TESTP
#define PTX_PICK_TESTP(v) PTX_MOD_NAME(TESTP, v)
typedef enum {
    PTX_TESTP_NONE,
#include "runner/sim/ptx/mods.def"
    PTX_TESTP_COUNT
} ptx_testp;
#undef PTX_PICK_TESTP
#define PTX_PICK_TESTP(v) PTX_MOD_SKIP(v)

#undef MOD
#undef MOD_ALIAS

/* ---- special registers -------------------------------------------------------------------- */
typedef enum {
    PTX_SREG_NONE,
#define SREG(name, text, type) PTX_SREG_##name,
#include "runner/sim/ptx/sregs.def"
#undef SREG
    PTX_SREG_COUNT
} ptx_sreg;
typedef struct {
    const char *text;
    uint8_t type; /* ptx_type */
} ptx_sreg_info;
const ptx_sreg_info *ptx_sreg_get(unsigned sreg); /* sreg < PTX_SREG_COUNT */

#endif
