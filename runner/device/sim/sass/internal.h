/* Shared by the files of this room: the reader's state, and the steps of reading. */
#ifndef WARPLAB_SASS_INTERNAL_H
#define WARPLAB_SASS_INTERNAL_H

#include "runner/base/words/words.h"
#include "runner/device/sim/lex/arena.h"
#include "runner/device/sim/sass/sass.h"

enum { SASS_MAX_OPNDS = 16 };

/* A piece of the text. */
typedef struct {
    const char *s, *end;
} sass_text;

/* Names of opcodes and their forms, for lookup (ops.c). */
typedef struct {
    uint16_t sorted[SASS_OP_COUNT]; /* by name */
    uint16_t first[SASS_OP_COUNT];  /* index in the list of forms */
} sass_ops;
void sass_ops_prepare(sass_ops *ops);
/* Returns the opcode with that name; SASS_OP_COUNT: none. */
sass_op sass_op_named(const sass_ops *ops, sass_text name);

/* Whether an instruction fits a form, or what does not fit. *word is the modifier, if no form has
 * it. */
typedef enum { SASS_FITS, SASS_BAD_MODIFIER, SASS_BAD_OPERANDS } sass_fit;
/* Finds the form, and gives operands roles and widths. */
sass_fit sass_fit_form(const sass_ops *ops, sass_insn *i, sass_text *word);
/* Returns the bytes that its modifiers say: of memory, or of an atomic's type. */
unsigned sass_bytes(const sass_insn *i);

typedef struct {
    uint32_t func, insn;
    sass_text name;
} sass_jump; /* a target of an indirect branch */

typedef struct {
    sass_module *m;
    ptx_arena *arena;
    sass_ops ops;
    sass_text rest;
    uint32_t line; /* of the text, from 1 */
    lib_message *msg;
    bool failed;
    sass_insn *insns; /* of the function being read */
    sass_jump *jumps;
    size_t func_room, insn_room, label_room, place_room, jump_room, jump_count;
    uint32_t place, ptx_line;
    bool inlined; /* the line above has a place at which it was inlined */
} sass_reader;

/* Sets the message, if it is the first failure: a row of the catalogue with a line number and a
 * word. Always returns false. */
typedef lib_words sass_words(long long line, const char *word);
bool sass_fail(sass_reader *r, sass_text word, sass_words *why);
bool sass_no_memory(sass_reader *r);
/* Returns a copy that ends in NUL; NULL after sass_no_memory(). */
const char *sass_keep(sass_reader *r, sass_text t);

static inline sass_text sass_skip(sass_text t) {
    while (t.s < t.end && (*t.s == ' ' || *t.s == '\t')) t.s++;
    return t;
}
bool sass_eat(sass_text *t, const char *word);

/* operand.c: reads all operands up to the `;` into i->opnd. Returns false after sass_fail(). */
bool sass_operands(sass_reader *r, sass_insn *i, sass_text *t);

/* cfg.c: blocks and post-dominators. Returns false if memory is out. */
bool sass_blocks(ptx_arena *a, sass_func *f);

#endif
