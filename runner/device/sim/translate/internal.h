/* What the files of this room share: the translator's state, and the steps of an instruction. */
#ifndef WARPLAB_SIM_TRANSLATE_INTERNAL_H
#define WARPLAB_SIM_TRANSLATE_INTERNAL_H

#include "runner/base/buffer.h"
#include "runner/base/words/words.h"
#include "runner/device/sim/translate/translate.h"

enum { TR_SOURCES = 6, TR_PREDS = 3, TR_ADDRESSES = 2, TR_NAME = 48 };

/* How a row reads its sources (rows.def). */
typedef enum { TR_BITS, TR_FLOAT, TR_DOUBLE, TR_HALF, TR_PACKED } tr_kind;

/* An instruction's operands as PTX writes them, by their place among those of their kind. */
typedef struct {
    char dest[TR_NAME];          /* %r4, of two registers the pair %xd */
    char dest_list[2 * TR_NAME]; /* {%r4,%r5} */
    char set[2][TR_NAME];        /* predicates written */
    char source[TR_SOURCES][TR_NAME];
    char source_list[TR_SOURCES][2 * TR_NAME];
    char test[TR_PREDS][TR_NAME]; /* predicates read */
    char address[TR_ADDRESSES][TR_NAME];
    char special[TR_NAME], label[TR_NAME];
    const sass_opnd *dest_at, *source_at[TR_SOURCES];
    unsigned sources, tests, sets, addresses;
} tr_operands;

typedef struct {
    const sass_module *m;
    const sass_func *f;
    const sim_translate_about *about;
    lib_message *msg;
    lib_buffer out;
    uint32_t *insn_of;
    size_t line_room;
    uint32_t lines;
    uint32_t at;         /* the instruction, or insn_count */
    char guard[TR_NAME]; /* "@%p0 " or "" */
    uint16_t broken;     /* barriers that some BREAK leaves */
    bool failed;
    tr_operands o;
} translator;

static inline const sass_insn *tr_insn(const translator *t) {
    return &t->f->insns[t->at];
}
/* line.c: a line of the text. */
void tr_line(translator *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A line that does nothing: each instruction has one at least, so that it is seen to be
 * executed. */
void tr_nothing(translator *t);
/* The kernel cannot be translated, for this instruction. */
void tr_refuse(translator *t, unsigned why);

/* operand.c: t->o, with the lines that prepare sources. */
void tr_prepare(translator *t, tr_kind kind);
/* Name of a register that is written or read as it is: "%r4". */
void tr_register(char to[TR_NAME], const sass_opnd *o, unsigned part);
/* A word of a constant bank in %a<k> or, if wide, %w<k>. */
void tr_constant(translator *t, const sass_opnd *o, unsigned k, bool wide);
/* The source, an integer, with 64 bits: the carry of a sum over such is above the low half. */
void tr_widen(translator *t, unsigned source);

/* row.c: the opcode's PTX. */
void tr_expand(translator *t);
/* texture.c: the same of textures and surfaces. */
void tr_texture(translator *t);

#endif
