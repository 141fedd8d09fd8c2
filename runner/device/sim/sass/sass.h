/* Machine code as data: the door of this room. In: the text that `nvdisasm -c -gi -gp -hex` writes
 * for a cubin. Out: a module: functions, instructions with their operands, control fields and
 * source lines, the registers that each instruction writes and reads, its memory access, and basic
 * blocks. This room starts no process and executes nothing.
 *
 *   text --read.c--> lines: functions, labels, places, encodings
 *        --operand.c--> operands --ops.c--> compared with a row of ops.def: roles and widths
 *        --labels, cfg.c--> targets, blocks, post-dominators
 *   regs.c: registers written and read, memory accesses, from roles and widths
 *   word.c: words that an access reaches in all threads alike
 *
 * Why text: the JSON of nvdisasm 13.2 has no encodings, lines or addresses, keeps all operands of
 * an instruction in one string, and loses commas in it ("R0[R0]").
 *
 * The text comes from a tool that read a student's program. Whatever it says is read within limits,
 * or refused with a message that names line and word. An opcode, a modifier or a shape of operands
 * that ops.def does not have is refused, never guessed. */
#ifndef WARPLAB_SASS_H
#define WARPLAB_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lib_message lib_message; /* runner/base/message.h */

/* ---- the table ---- */

typedef enum {
#define OP(name, ...) SASS_OP_##name,
#define FORM(...)
#include "runner/device/sim/sass/ops.def"
    SASS_OP_COUNT
} sass_op;

/* The pipe that executes an instruction, by the names of Nsight Compute's "Pipelines". FMA is
 * either half of that pipe, HEAVY the half that also multiplies integers. */
typedef enum {
    SASS_PIPE_NONE,
    SASS_PIPE_ALU,
    SASS_PIPE_FMA,
    SASS_PIPE_HEAVY,
    SASS_PIPE_HALF,
    SASS_PIPE_FP64,
    SASS_PIPE_XU,
    SASS_PIPE_LSU,
    SASS_PIPE_TEX,
    SASS_PIPE_TENSOR,
    SASS_PIPE_TMA,
    SASS_PIPE_UNIFORM,
    SASS_PIPE_BRANCH,
    SASS_PIPE_ADU
} sass_pipe;

/* FIXED: stall counts cover its latency, and it sets no barrier. SCOREBOARD: an instruction that
 * needs its result waits for a barrier that it sets (sass_control). EITHER: depends on the
 * architecture. */
typedef enum { SASS_FIXED, SASS_SCOREBOARD, SASS_EITHER } sass_latency;

typedef enum {
    SASS_ARITH, /* destinations are a function of sources */
    /* reads something other than registers: special registers, clocks, votes, other lanes */
    SASS_SPECIAL,
    SASS_LOAD,
    SASS_STORE,
    SASS_ATOMIC,    /* returns the old value */
    SASS_REDUCTION, /* returns nothing */
    SASS_COPY,      /* global to shared memory, asynchronously: LDGSTS */
    SASS_BULK,      /* work of the tensor memory accelerator */
    SASS_TEXTURE,
    SASS_MATRIX, /* tensor cores */
    SASS_BRANCH,
    SASS_INDIRECT, /* a branch to one of sass_insn.targets */
    SASS_CALL,
    SASS_RETURN,
    SASS_EXIT,
    SASS_CONVERGE, /* BSSY, BSYNC, BREAK, BMOV, WARPSYNC, YIELD: which lanes run together */
    SASS_BARRIER,  /* barrier of the block, the cluster, a warpgroup */
    SASS_SYNC,     /* fences, waits for copies, mbarriers */
    SASS_NOTHING   /* no effect that a program can see */
} sass_class;

typedef enum {
    SASS_NO_SPACE,
    SASS_GLOBAL,
    SASS_SHARED,
    SASS_LOCAL,
    SASS_GENERIC,
    SASS_CONSTANT,
    SASS_TEX_SPACE
} sass_space;

typedef struct {
    const char *name, *doc;
    uint8_t since, until; /* the first and last sm_ on which it was found; until 0: still there */
    uint8_t pipe, latency, klass, space;
} sass_row;
const sass_row *sass_row_of(sass_op op);
/* Returns SASS_FIXED or SASS_SCOREBOARD, also for EITHER. */
sass_latency sass_latency_on(sass_op op, unsigned arch);

/* ---- operands ---- */

enum { SASS_RZ = 255, SASS_PT = 7, SASS_NONE = 254 }; /* RZ, URZ; PT, UPT; no register */

typedef enum {
    SASS_OPND_REG,   /* R: reg */
    SASS_OPND_UREG,  /* UR */
    SASS_OPND_PRED,  /* P; negated: ! */
    SASS_OPND_UPRED, /* UP */
    SASS_OPND_PREDS, /* PR: all predicates as bits of a word */
    SASS_OPND_UPREDS,
    SASS_OPND_BARRIER,    /* B0: lanes that converge */
    SASS_OPND_SCOREBOARD, /* SB0 */
    SASS_OPND_INT,        /* imm */
    /* number as written; imm: the encoding's 32 bits for it. For an f64 they are the upper half; a
     * pair of halves has two operands with 16 bits each */
    SASS_OPND_FLOAT,
    SASS_OPND_CONST, /* c[bank][base + imm] */
    SASS_OPND_MEM,   /* [base + imm]; `form` says what precedes the brackets */
    SASS_OPND_SREG,  /* text: "SR_TID.X", "SRZ" */
    /* text; func, target: the instruction there; SASS_ELSEWHERE: in another file */
    SASS_OPND_LABEL,
    SASS_OPND_SYMBOL, /* text: an expression for a linker, "32@lo(g)" */
    SASS_OPND_SET,    /* {5,4}: imm, a bit each */
    SASS_OPND_WORD    /* text: "2D", "gsb0" */
} sass_opnd_kind;

typedef enum { SASS_PLAIN, SASS_DESC, SASS_GDESC, SASS_TMEM, SASS_BINDLESS } sass_mem_form;
/* How the instruction uses an operand, from its form. */
typedef enum { SASS_USE, SASS_DEF, SASS_BOTH } sass_role;

#define SASS_ELSEWHERE UINT32_MAX

/* A register of an address; SASS_NONE: none. */
typedef struct {
    uint8_t reg, width; /* width: registers, 1 or 2; more for descriptors and lists */
    uint8_t skip;       /* this many registers before them are ignored */
    uint8_t scale;      /* times 1, 4, 8, 16: [R2.X4] */
} sass_base;

typedef struct {
    uint8_t kind, role; /* sass_opnd_kind, sass_role */
    uint8_t width;      /* 32-bit registers from `reg` on: 1, 2, 4, .. */
    uint8_t reg;
    bool negated, absolute, inverted, reuse; /* -, |x|, ! or ~, .reuse */
    uint8_t form;                            /* MEM, CONST: sass_mem_form */
    uint8_t bank;                            /* CONST; SASS_NONE: in a register */
    uint8_t desc;          /* MEM: first of the descriptor's two uniform registers */
    sass_base base, ubase; /* MEM, CONST: the R, the UR */
    uint32_t func, target;
    int64_t imm;
    double number;
    const char *sel;  /* words after it, without .reuse and those of addresses: ".H0_H0"; "" */
    const char *text; /* or NULL */
} sass_opnd;

/* ---- instructions ---- */

/* Bits 105 to 125 of the encoding, sm_70 and later. */
typedef struct {
    uint8_t stall;        /* cycles until the warp may issue its next instruction, 0 to 15 */
    bool yield;           /* the scheduler may prefer another warp (then the bit is 0) */
    int8_t write_barrier; /* 0 to 5: set until the destination is written; -1: none */
    int8_t read_barrier;  /* 0 to 5: set until the sources are read; -1: none */
    uint8_t wait;         /* barriers that must be clear before it issues, one bit each */
    uint8_t reuse;        /* source operands that stay in the operand cache, one bit each */
} sass_control;
sass_control sass_control_of(const uint64_t code[2]);

typedef struct {
    uint32_t address; /* in its section */
    uint16_t op;      /* sass_op */
    uint8_t guard;    /* predicate; SASS_PT with guard_not false: always */
    bool guard_not, guard_uniform;
    uint8_t opnd_count;
    sass_opnd *opnd;
    const char *mods; /* ".E.64", "" */
    const char *text; /* as nvdisasm wrote it, with the guard: "@P0 BRA `(.L_x_4)" */
    uint64_t code[2];
    sass_control control;
    uint32_t place;    /* index into sass_module.places; 0: unknown */
    uint32_t ptx_line; /* of the PTX from which ptxas made it; 0: unknown */
    uint32_t target_count;
    const uint32_t *targets; /* INDIRECT: indices of instructions */
} sass_insn;

/* Returns whether the dotted word ("E", "64", or several in sequence, "F64.F32") is among them. */
bool sass_has(const sass_insn *i, const char *words);

/* A source line; `at`: the place at which it was inlined, 0: none. */
typedef struct {
    const char *file;
    uint32_t line, at;
} sass_place;

typedef struct {
    uint32_t first, last; /* instructions */
    int32_t succ[2];      /* [0] the branch's target, [1] the next block; -1: none */
    const uint32_t *targets;
    uint32_t target_count; /* blocks that an INDIRECT branch may reach */
    int32_t ipdom;         /* immediate post-dominator; -1: the exit */
} sass_block;

/* A name in a function: its own, those of routines that ptxas put after it, and jump labels. */
typedef struct {
    const char *name;
    uint32_t func, at; /* at: instruction; may be the number of instructions (the end) */
} sass_label;

/* A code section: a kernel or a function with its own routines (division, ..). Addresses start at
 * 0. */
typedef struct {
    const char *name; /* name of the section, without ".text." */
    sass_insn *insns;
    uint32_t insn_count, block_count;
    sass_block *blocks;
    uint32_t *block_of; /* by instruction */
} sass_func;

typedef struct sass_module {
    unsigned arch; /* 75, 90, ..; 0: the text does not say */
    sass_func *funcs;
    uint32_t func_count, place_count, label_count;
    sass_place *places; /* [0]: unknown place */
    sass_label *labels; /* by name */
    void *arena;        /* memory of all of the above */
} sass_module;

/* Returns the module, or NULL and a message. `text` need not end in NUL. */
sass_module *sass_read(const char *text, size_t len, lib_message *msg);
void sass_free(sass_module *m);
const sass_func *sass_find(const sass_module *m, const char *name);

/* ---- what an instruction touches ---- */

typedef struct {
    uint64_t r[4], ur[4]; /* R0 to R254, UR0 to UR254 */
    uint8_t p, up;        /* P0 to P6 */
    uint16_t b;           /* B0 to B15 */
} sass_regs;
static inline bool sass_in(const uint64_t set[4], unsigned reg) {
    return set[reg >> 6] >> (reg & 63) & 1;
}
/* These add to *set. A guarded instruction may leave its destinations unchanged, so its definitions
 * do not end earlier values. */
void sass_defs(const sass_insn *i, sass_regs *set);
void sass_uses(const sass_insn *i, sass_regs *set);

typedef struct {
    uint8_t space; /* sass_space */
    uint8_t opnd;  /* index of its address: a MEM or CONST operand */
    /* of a lane; for LDSM and STSM, the four bytes of each matrix that a lane gets */
    uint8_t bytes;
    bool reads, writes;
} sass_access;
/* Returns the memory accesses of an instruction with an address: none, one, or two (LDGSTS).
 * Constant-bank operands of arithmetic are operands, not accesses. */
unsigned sass_accesses(const sass_insn *i, sass_access out[2]);

/* A word of memory, named by the place of its address: c[bank][at] + plus. */
typedef struct {
    bool known;
    uint8_t bank;
    uint32_t at;
    int64_t plus;
} sass_word;
/* Finds the word (or first word) that instruction n accesses in memory, if it is the same in all
 * threads. */
bool sass_word_of(const sass_func *f, uint32_t n, sass_word *w);

/* Finds the sizes m, n, k of a matrix product: ".16816" is 16, 8, 16. Returns false if it is not
 * one. */
bool sass_shape(const sass_insn *i, unsigned mnk[3]);

/* Returns the instruction's branch or call target; NULL: none, or a target in a register. */
const sass_opnd *sass_target(const sass_insn *i);

#endif
