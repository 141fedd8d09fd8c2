/* The parser's state (names, symbols, tokens, buffers) and its errors. Every file of this room
 * builds on it.
 *
 * The parser makes one pass and has no globals. An error leaves by one longjmp from ptx_fail() to
 * ptx_parse(). Everything is in the module's arena or in buffers that ptx_parse() frees, so nothing
 * leaks. */
#ifndef WARPLAB_PTX_PARSER_H
#define WARPLAB_PTX_PARSER_H

#include <locale.h>
#include <setjmp.h>
#include "runner/base/message.h"
#include "runner/base/cancel.h"
#include "runner/device/sim/lex/arena.h"
#include "runner/device/sim/ptx/ptx.h"

/* As an attribute, because cppcheck does not know the keyword. */
#define PTX_NORETURN __attribute__((noreturn))

/* Limits on hostile input. All other memory is linear in the text. */
enum {
    PTX_MAX_TEXT = 1 << 28,  /* bytes of PTX */
    PTX_MAX_NESTING = 64,    /* { } of scopes and initialisers, ( ) of expressions */
    PTX_MAX_MNEMONIC = 6,    /* words of a row of ops.def after the first */
    PTX_MAX_WORDS = 24,      /* dotted words of one instruction */
    PTX_MAX_DIMS = 16,       /* [ ][ ] of a variable */
    PTX_MAX_FILES = 1 << 16, /* .file number */
    PTX_MAX_PARAMS = 255,    /* of a function; the length of an operand list */
    PTX_MAX_REGS = 1 << 24,  /* that a function uses */
    PTX_MAX_INIT = 1 << 28,  /* bytes of all initialised variables, zero tails included */
    /* parameters of a function: above the language's limit of 4 KiB or 32 KiB */
    PTX_MAX_PARAM_BYTES = 1 << 20,
    PTX_MAX_BRX = 1 << 20 /* successors of all brx.idx of a function */
};
#define PTX_MAX_VAR_BYTES (UINT64_C(1) << 40)

/* ---- names -------------------------------------------------------------------------------- */

/* The meaning of a word: after a dot, as an opcode, or as a special register. Filled from the
 * tables before parsing. */
typedef struct ptx_word {
    uint8_t type;        /* ptx_type; PTX_NONE: not a type */
    uint8_t space;       /* ptx_space + 1; 0: not a space */
    bool shared_cluster; /* the space is .shared::cluster */
    uint8_t nmods;
    struct {
        uint8_t field, value;
    } mods[4];
    uint16_t sreg;            /* ptx_sreg; for a vector, its first element */
    bool sreg_vector;         /* must be followed by .x .y .z */
    struct ptx_mnemonic *ops; /* mnemonics that begin with this word, longest first */
} ptx_word;

typedef struct ptx_sym ptx_sym;
typedef struct ptx_name ptx_name;
struct ptx_name {
    const char *text; /* NUL-terminated */
    uint32_t len, hash;
    ptx_name *chain;
    ptx_word *word; /* NULL: no meaning of its own */
    ptx_sym *sym;   /* innermost declaration; NULL: none */
    ptx_sym *range; /* innermost register range `NAME<n>` */
    /* of a name that ends in a number without leading zero: the text before the number; made on
     * demand */
    ptx_name *prefix;
    uint32_t number;
    bool split; /* prefix and number are made */
    /* of a prefix: the smallest number after it among symbols of the scope with number
     * `scope_of_least` */
    uint32_t least, scope_of_least;
};

/* A row of ops.def, prepared for matching. */
typedef struct ptx_mnemonic ptx_mnemonic;
struct ptx_mnemonic {
    ptx_mnemonic *next; /* the next with the same first word; not longer */
    uint16_t op;
    uint8_t nwords; /* after the first */
    const ptx_name *words[PTX_MAX_MNEMONIC];
};

typedef enum {
    PTX_SYM_REG,
    PTX_SYM_RANGE,
    PTX_SYM_VAR,
    PTX_SYM_FUNC,
    PTX_SYM_LABEL,
    PTX_SYM_TARGETS, /* .branchtargets, .calltargets */
    PTX_SYM_PROTO
} ptx_sym_kind;
struct ptx_sym {
    ptx_name *name;
    ptx_sym *outer;   /* the declaration that this one hides */
    ptx_sym *sibling; /* next in the same scope */
    uint8_t kind;     /* ptx_sym_kind */
    uint8_t type;     /* registers: ptx_type */
    uint8_t vec;      /* registers: 1, 2, 4 */
    uint16_t depth;   /* scope: 0 is the module */
    int32_t reg;      /* REG: index, -1 until used */
    uint32_t count;   /* RANGE: registers; LABEL: instruction index; TARGETS: length of labels */
    ptx_var *var;
    ptx_func *func;   /* FUNC, PROTO */
    uint32_t *labels; /* TARGETS */
};

/* ---- tokens ------------------------------------------------------------------------------- */
typedef enum {
    PTX_TOK_END,
    PTX_TOK_NAME,   /* name: identifiers, %registers, $labels, _ */
    PTX_TOK_DOT,    /* name: the word after the dot */
    PTX_TOK_INT,    /* value; is_unsigned */
    PTX_TOK_FLOAT,  /* value: f64 bits; f32 bits when single */
    PTX_TOK_STRING, /* from `at`, `len` bytes, with the quotes */
    PTX_TOK_PUNCT   /* punct: the character, or two packed: '<' << 8 | '<' */
} ptx_tok_kind;
typedef struct {
    uint8_t kind;
    bool is_unsigned, single, space_before;
    uint16_t punct;
    uint32_t line, len;
    const char *at;
    ptx_name *name;
    uint64_t value;
} ptx_token;

/* ---- the parser --------------------------------------------------------------------------- */

/* A growing array that ptx_parse() frees. */
typedef struct {
    void *data;
    size_t count, cap;
} ptx_buffer;

typedef struct ptx_spec ptx_spec; /* spec.h: the forms of a mnemonic, compiled on first use */

/* The forms of .shared. */
enum { PTX_SHARED_PLAIN, PTX_SHARED_CTA, PTX_SHARED_CLUSTER };

/* A label operand that is filled in when its scope is known. */
typedef struct {
    ptx_name *name;
    ptx_token tok;
    ptx_opnd *opnd; /* NULL: `slot`, an entry of a .branchtargets, instead */
    uint32_t *slot;
} ptx_label_ref;

/* A call whose arguments are compared with the signature once that is known. */
typedef struct {
    ptx_token at;
    const ptx_opnd *opnd; /* the call's operands */
    unsigned nopnds;
} ptx_call_site;

/* A .shared variable declared in a function. */
typedef struct {
    ptx_func *func;
    ptx_var *var;
    uint32_t findex, order;
} ptx_own_shared;

typedef struct ptx_parser {
    jmp_buf fail;
    lib_message *msg;
    const volatile int *stop; /* NULL: nothing ends the parsing */
    ptx_arena *arena;
    ptx_module *module;
    locale_t c_locale;

    /* lexer */
    const char *text, *end, *cur;
    uint32_t line;
    bool line_start;
    ptx_token tok;      /* the current token */
    uint32_t prev_line; /* line of the token before it, for "missing ;" */
    const char *prev_end;
    uint32_t hash_seed;
    ptx_name **names;
    size_t name_count, name_cap;

    /* tables */
    ptx_spec **specs; /* by ptx_op, compiled on first use */
    ptx_mnemonic *mnemonics;
    ptx_word *words;
    size_t word_count;

    /* symbols: one list a scope; depth 0: the module, depth 1: parameters and body of a function */
    unsigned depth;
    ptx_sym *scope[PTX_MAX_NESTING + 2];
    /* scopes so far; number of each open scope */
    uint32_t scopes, scope_number[PTX_MAX_NESTING + 2];
    uint32_t scope_call_bytes[PTX_MAX_NESTING + 2];
    size_t scope_refs[PTX_MAX_NESTING + 2]; /* the first of `refs` that was made in this scope */

    /* module */
    ptx_buffer vars, funcs, locs; /* const ptx_var *, ptx_func *, ptx_loc */
    ptx_buffer loc_slots;         /* uint32_t: hash of positions, see ptx_loc_intern() */
    ptx_buffer loc_files;         /* uint32_t for each loc: .file number, resolved at the end */
    ptx_buffer files;             /* const char *: by .file number */
    ptx_buffer aliases;           /* ptx_func * pairs */
    ptx_buffer init_bytes_buf, relocs; /* of the initialiser being read */
    uint64_t init_bytes;               /* of all initialisers so far */
    bool have_version, have_target;
    bool head_ended;        /* a directive came after .version, .target and .address_size */
    char target_letter;     /* 'a' of sm_90a, 'f' of sm_100f, otherwise 0 */
    ptx_buffer own_shareds; /* ptx_own_shared: all functions' */
    ptx_buffer layout[6];   /* layout.c */

    /* function being read */
    ptx_func *fn;
    ptx_buffer insns, reg_types, reg_names, locals, call_params, refs;
    ptx_buffer ret_regs, param_regs; /* ptx_sym *, old style: registers as parameters */
    /* ptx_call_site: checked at the end of the function, when prototypes are known */
    ptx_buffer calls;
    /* of the instruction: the form of .shared in its first and second state space */
    uint8_t shared_form[2];
    bool video; /* the instruction being read is a video instruction: its registers have parts */
    bool vector_mov; /* the instruction is a mov.v2 or mov.v4 */
    /* the instruction is a st, whose source may be a register plus a constant, r+1 */
    bool sum_store;
    bool memory_array; /* the instruction accesses memory: a[4] means [a + 4 elements] */
    bool label_at_end; /* a label comes after the last instruction */
    uint32_t loc;      /* position of the instructions that follow */
    uint32_t loc_epoch;
    uint64_t brx_edges; /* of the function: successors of all its brx.idx */
} ptx_parser;

/* ---- parser.c ---- */

/* Reports an error: "PTX line L, column C: <text>", the source line and a caret. Never returns. */
PTX_NORETURN void ptx_fail(ptx_parser *p, const ptx_token *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails unless the module has this .version or a later one (708: 7.8) and is for this .target (90:
 * sm_90) or a later one, because `what` needs it. 0: any. */
void ptx_hold_module(ptx_parser *p, const ptx_token *at, const char *what, unsigned version,
                     unsigned target);
PTX_NORETURN void ptx_fail_memory(ptx_parser *p);
PTX_NORETURN void ptx_fail_stopped(ptx_parser *p);
static inline void ptx_look_at_stop(ptx_parser *p) {
    if (lib_raised(p->stop)) ptx_fail_stopped(p);
}
void *ptx_get(ptx_parser *p, size_t bytes); /* from the arena, zeroed */
/* Adds an element of `size` bytes at the end. Returns its address. */
void *ptx_push(ptx_parser *p, ptx_buffer *b, size_t size);
void ptx_push_pointer(ptx_parser *p, ptx_buffer *b, const void *pointer); /* an array of pointers */
/* copies the whole buffer into the arena; NULL when empty */
void *ptx_keep(ptx_parser *p, const ptx_buffer *b, size_t size);

#endif
