/* PTX as data: the door of this room. The front end (parse/) makes it from PTX text; the back end
 * (decode/) and the time model read it. ops.def, mods.def and sregs.def are the tables of the
 * language. names.c finds rows by enums, disasm.c writes an instruction as text again, fragment.h
 * says how lanes hold matrices.
 *
 * Section numbers refer to the "PTX ISA" document, version 9.0. Everything is in the module's arena
 * and freed with it. */
#ifndef WARPLAB_PTX_H
#define WARPLAB_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- types: 5.2 Types. X(enum, text, bytes) ---- */
/* One row for each family of types. */
/* clang-format off */
#define PTX_TYPE_MAP(X)                                                                                                \
    X(B8, ".b8", 1) X(B16, ".b16", 2) X(B32, ".b32", 4) X(B64, ".b64", 8) X(B128, ".b128", 16)                         \
    X(U8, ".u8", 1) X(U16, ".u16", 2) X(U32, ".u32", 4) X(U64, ".u64", 8)                                              \
    X(S8, ".s8", 1) X(S16, ".s16", 2) X(S32, ".s32", 4) X(S64, ".s64", 8)                                              \
    X(F16, ".f16", 2) X(F16X2, ".f16x2", 4) X(BF16, ".bf16", 2) X(BF16X2, ".bf16x2", 4) X(TF32, ".tf32", 4)            \
    X(F32, ".f32", 4) X(F64, ".f64", 8) X(PRED, ".pred", 1)                                                            \
    X(TEXREF, ".texref", 8) X(SAMPLERREF, ".samplerref", 8) X(SURFREF, ".surfref", 8)                                  \
    X(F32X2, ".f32x2", 8) X(U16X2, ".u16x2", 4) X(S16X2, ".s16x2", 4)                                                  \
    X(E4M3, ".e4m3", 1) X(E5M2, ".e5m2", 1) X(E4M3X2, ".e4m3x2", 2) X(E5M2X2, ".e5m2x2", 2)                            \
    X(U4, ".u4", 1) X(S4, ".s4", 1) X(U2, ".u2", 1) X(S2, ".s2", 1) X(B1, ".b1", 1) /* packed */
/* clang-format on */
typedef enum {
    PTX_NONE,
#define X(e, t, n) PTX_##e,
    PTX_TYPE_MAP(X)
#undef X
        PTX_TYPE_COUNT
} ptx_type;
unsigned ptx_type_size(ptx_type t);    /* bytes; 0 for PTX_NONE */
const char *ptx_type_text(ptx_type t); /* ".u32" */
/* Floating-point numbers of at least 16 bits, one or two. */
static inline bool ptx_type_is_float(ptx_type t) {
    return (t >= PTX_F16 && t <= PTX_F64) || t == PTX_F32X2;
}

/* ---- state spaces: 5.1 ---- */
typedef enum {
    PTX_SPACE_GENERIC,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_SHARED,
    PTX_SPACE_LOCAL,
    PTX_SPACE_CONST,
    PTX_SPACE_PARAM
} ptx_space;

/* ---- mnemonics, classes, modifiers and special registers: the enums from the .def files ---- */
#include "runner/device/sim/ptx/words.h"

/* ---- operands ---- */
typedef enum {
    PTX_OPND_NONE,
    PTX_OPND_REG,  /* reg */
    PTX_OPND_SINK, /* _ */
    /* imm: integer, sign-extended to 64 bits, or the bits of a float literal: 0f -> f32 bits, 0d ->
     * f64 bits */
    PTX_OPND_IMM,
    PTX_OPND_SREG, /* sreg */
    PTX_OPND_VAR,  /* var, offset: the address of a variable (mov) */
    /* [reg + offset] or [var + offset] or [imm]: memory; reg < 0: no register, var NULL: none */
    PTX_OPND_ADDR,
    PTX_OPND_VEC,   /* elem[0..count): a braced list of REG, SINK or IMM operands */
    PTX_OPND_LABEL, /* target: instruction index in the function */
    PTX_OPND_FUNC,  /* func: a callee or a function's address */
    /* labels: the table of a .branchtargets (brx.idx); protos: a .callprototype (indirect call) */
    PTX_OPND_LABELS,
    PTX_OPND_PROTO
} ptx_opnd_kind;

typedef struct ptx_var ptx_var;
typedef struct ptx_func ptx_func;
typedef struct ptx_opnd ptx_opnd;
struct ptx_opnd {
    uint8_t kind;     /* ptx_opnd_kind */
    uint8_t negated;  /* '!' of a predicate operand, '-' of an operand of vmad, 0: neither */
    uint8_t is_float; /* IMM: 0 integer, 4 an f32 literal, 8 an f64 literal */
    uint8_t count;    /* VEC: elements; tex coordinates are a VEC too */
    uint8_t type;     /* IMM: ptx_type of the operand in whose place it is; PTX_NONE: not set */
    uint16_t sel;     /* video: the .b0 .h10 .b3210 after a register, see PTX_SEL; 0: none */
    int32_t reg;      /* index into ptx_func.reg_type, -1: none */
    int32_t sreg;     /* ptx_sreg */
    uint32_t target;
    int64_t offset;
    uint64_t imm;
    const ptx_var *var;
    const ptx_func *func;
    const ptx_opnd *elem;
    const uint32_t *labels; /* LABELS: instruction indices; count in offset */
};

/* Returns the number of halves or bytes on which a SIMD video instruction works; 0: not one. */
unsigned ptx_video_lanes(unsigned op);
/* opnd.sel: 0x8000 | half << 14 | (digits - 1) << 12 | digits, 3 bits each, the last one written in
 * the lowest bits: .b3210 is 0x8000 | 3 << 12 | 03210 */
#define PTX_SEL_IS_HALF(sel)  ((sel) >> 14 & 1)
#define PTX_SEL_COUNT(sel)    (((sel) >> 12 & 3) + 1)
#define PTX_SEL_DIGIT(sel, i) ((sel) >> (3 * (i)) & 7)

enum { PTX_MAX_OPNDS = 12, PTX_MAX_TYPES = 4 };
typedef struct {
    uint16_t op;   /* ptx_op: a row of ops.def */
    uint8_t klass; /* ptx_class of the form in ops.def that fits */
    uint8_t ntypes, nopnds;
    uint8_t type[PTX_MAX_TYPES]; /* ptx_type, in the order written */
    uint8_t space;               /* ptx_space: the first state space written (GENERIC if none) */
    /* the second, if an instruction names two (cp.async.shared.global, cvta.to) */
    uint8_t space2;
    uint8_t field[PTX_FIELD_COUNT]; /* 0: not written */
    uint64_t flags;                 /* 1 << PTX_F_* */
    int32_t guard;                  /* predicate register of @p, -1: none */
    uint8_t guard_negated;          /* @!p */
    /* nopnds of them, destination first, as written; `d|p` is two, with PTX_F_PAIR in flags. A
     * float literal has been converted to the operand's float type; for call see ptx_call below */
    const ptx_opnd *opnd;
    uint32_t ptx_line; /* line in the PTX text */
    uint32_t loc;      /* index into ptx_module.locs, 0: none */
} ptx_insn;

/* The operands of PTX_OP_call, however it was written: [0] VEC of returns, [1] FUNC or REG
 * (indirect), [2] VEC of arguments, and, if the call is indirect, [3] PROTO. The elements are VAR
 * (a .param variable of ptx_func.call_params, or a parameter of the caller), REG, IMM or SINK.
 * ptx_opnd.func of a PROTO is a ptx_func that has parameters and returns but no body. */

/* ---- variables, functions, modules ---- */
typedef struct {
    uint64_t at;        /* byte offset in the initialiser */
    const char *symbol; /* a variable or function */
    int64_t addend;
    bool generic; /* generic(symbol) */
    uint8_t bytes,
        /* this many bytes at `at` := (symbol + addend) >> shift: 8 and 0, except for
         * mask(symbol) */
        shift;
} ptx_reloc;

struct ptx_var {
    const char *name;
    ptx_space space;
    ptx_type type;
    uint32_t align;
    uint64_t bytes; /* 0: an unsized extern .shared array: the dynamic shared memory */
    bool is_extern, visible;
    bool managed;        /* .global .attribute(.managed): the host can access it, too */
    const uint8_t *init; /* `bytes` long, or NULL: zero */
    const ptx_reloc *relocs;
    size_t reloc_count;
    /* parameters, locals, shared: offset in their block, set by the parser; otherwise 0 */
    uint64_t offset;
    /* NULL: module scope. A module-scope .shared variable that only one kernel uses gets its place
     * in each kernel */
    const ptx_func *owner;
};

/* A basic block. The CFG's reading order is a topological one in which loops are contiguous and the
 * immediate post-dominator of a block comes after every block that it controls. Running the
 * fragment with the lowest `order` first reconverges there. */
typedef struct {
    uint32_t first, last; /* instruction indices, inclusive */
    uint32_t order;       /* position in that order */
    int32_t succ[2]; /* blocks; -1: none. succ[0]: the branch target, succ[1]: the fall-through */
    const uint32_t *targets; /* brx.idx: all successors, target_count of them */
    uint32_t target_count;
    int32_t ipdom;     /* block, -1: exit */
    int32_t loop_head; /* block of the innermost loop's head, -1: none */
    bool back_edge;    /* its branch goes to a block that is earlier in the order */
    /* a back edge whose loop contains an atomic, a volatile or acquire load, a fence, nanosleep or
     * a call */
    bool spin_loop;
    /* in an innermost loop that branches on what an atomic, a volatile or an acquire load in it
     * read */
    bool polls;
    /* polls, and a round depends on what the previous one computed; counters do not count */
    bool carries;
    /* looks: the head of a loop that polls, where a wait begins, or a round that does more than
     * look; again: its branch to that head ends a round that only looked */
    bool looks, again;
    /* it looks at an mbarrier, in no loop or in one in which a round depends on what the previous
     * one computed, counters included: it may go on without the answer yes */
    bool gives_up;
    /* in an innermost loop that branches on a clock and does nothing else; asks: it also asks
     * whether a phase of an mbarrier is over */
    bool waits, asks;
} ptx_block;

struct ptx_func {
    const char *name;
    bool entry, has_body;
    const ptx_var *params;
    size_t param_count;
    uint32_t param_bytes;
    const ptx_var *rets;
    size_t ret_count;
    uint32_t ret_bytes; /* device functions */
    const uint8_t *reg_type;
    size_t reg_count; /* ptx_type of each register */
    const char *const *reg_name;
    const ptx_var *locals;
    size_t local_count;
    uint32_t local_bytes; /* .local: bytes of the depot per thread */
    const ptx_var *shareds;
    size_t shared_count;
    uint32_t shared_bytes; /* .shared: declared inside or used from module scope */
    const ptx_var *call_params;
    size_t call_param_count;
    uint32_t call_param_bytes; /* .param variables declared in bodies, for calls */
    const ptx_insn *insns;
    size_t insn_count;
    const ptx_block *blocks;
    size_t block_count;
    const uint32_t *block_of; /* insn_count: block of each instruction */
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg; /* 0: not given */
    uint32_t reqcluster[3], maxclusterrank; /* .reqnctapercluster, .maxclusterrank; 0: not given */
    bool explicit_cluster;    /* .explicitcluster: a launch must give the cluster's size */
    bool blocks_are_clusters; /* .blocksareclusters: a grid counts clusters */
    bool uses_dynamic_shared;
    /* contains an atom with a live result or of float type on global or generic memory
     * (determinism) */
    bool uses_global_atomics_result;
    uint32_t ptx_line;
    const ptx_func *next;
};

typedef struct {
    const char *file; /* as nvcc wrote it */
    uint32_t line, column;
    uint32_t inlined_at; /* index into locs of the call site, 0: none */
    uint32_t outer;      /* index of the outermost call site; itself if it is not inlined */
} ptx_loc;

typedef struct ptx_module ptx_module;
struct ptx_module {
    unsigned version_major, version_minor, target; /* 90 for sm_90 */
    bool target_alone;                             /* sm_90a: only for that architecture */
    const ptx_var *const *vars;
    size_t var_count;
    const ptx_func *const *funcs;
    size_t func_count;
    const ptx_loc *locs;
    size_t loc_count;             /* locs[0] is "no location" */
    uint32_t extern_shared_align; /* the largest of its unsized .extern .shared arrays; 0: none */
    void *arena;
};

/* Returns the static shared memory that the assembler allocates for a kernel with this many bytes
 * of it (`ptxas -v`, and the size of a cubin's .nv.shared). In a module with unsized .extern
 * .shared arrays, used or not, it ends where the one with the largest alignment may begin, at least
 * at a multiple of 16. */
static inline uint64_t ptx_static_shared(const ptx_module *m, uint64_t bytes) {
    uint64_t unit = m->extern_shared_align > 16 ? m->extern_shared_align : 16;
    return m->extern_shared_align ? (bytes + unit - 1) / unit * unit : bytes;
}

/* Finds the source position that a student should see: the outermost frame of an inlined location.
 * file "" and line 0: none. */
void ptx_source(const ptx_module *m, uint32_t loc, const char **file, unsigned *line);
/* The same for an instruction. nvcc gives line 0 to instructions that it merged from two branches.
 * Their position is that of the nearest earlier instruction of the function that has one. */
void ptx_source_near(const ptx_module *m, uint32_t loc, uint32_t ptx_line, const char **file,
                     unsigned *line);
/* Finds the position itself, which may be in inlined code. */
void ptx_source_inner(const ptx_module *m, uint32_t loc, const char **file, unsigned *line);
/* Writes the instruction as PTX text into buf (which always ends in NUL). Returns the length of the
 * whole text. */
size_t ptx_disassemble(const ptx_func *f, const ptx_insn *i, char *buf, size_t n);

#endif
