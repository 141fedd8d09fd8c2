/* Shared by the files of this room: the translator's state, and the steps of an instruction. */
#ifndef WARPLAB_SIM_TRANSLATE_INTERNAL_H
#define WARPLAB_SIM_TRANSLATE_INTERNAL_H

#include "runner/base/buffer.h"
#include "runner/base/words/words.h"
#include "runner/device/sim/translate/translate.h"

enum { TR_SOURCES = 6, TR_PREDS = 3, TR_ADDRESSES = 2, TR_NAME = 48 };

/* How a row reads its sources (rows.def). */
typedef enum { TR_BITS, TR_FLOAT, TR_DOUBLE, TR_HALF, TR_PACKED, TR_SHORTS, TR_BYTES } tr_kind;

/* An instruction's operands in PTX, by their index among those of their kind. */
typedef struct {
    char dest[TR_NAME];          /* %r4; for two registers, the pair %xd */
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
    uint32_t skip;       /* sim_translation.param_skip */
    bool waits;          /* some loads of shared memory wait for an mbarrier */
    uint16_t broken;     /* barriers that some BREAK leaves */
    bool failed;
    tr_operands o;
} translator;

static inline const sass_insn *tr_insn(const translator *t) {
    return &t->f->insns[t->at];
}
/* line.c: adds a line of text. */
void tr_line(translator *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds a line that does nothing. Each instruction has at least one line, so that its execution can
 * be counted. */
void tr_nothing(translator *t);
/* Refuses the kernel because of this instruction. */
void tr_refuse(translator *t, unsigned why);

/* operand.c: fills t->o, and adds the lines that prepare sources. */
void tr_prepare(translator *t, tr_kind kind);
/* The name of a register that is written or read directly: "%r4". */
void tr_register(char to[TR_NAME], const sass_opnd *o, unsigned part);
/* The first address of shared memory that belongs to the program; in PTX it is 0. */
uint32_t tr_shared_start(const translator *t);
/* The bytes of sim_translation.param_skip. */
uint32_t tr_param_skip(const translator *t);
/* Puts a word of a constant bank into %a<k> or, if wide, %w<k>. */
void tr_constant(translator *t, const sass_opnd *o, unsigned k, bool wide);
/* Extends the source, an integer, to 64 bits. The carry of a sum of such values is above the low
 * half. */
void tr_widen(translator *t, unsigned source);

/* row.c: adds the opcode's PTX. */
void tr_expand(translator *t);
/* texture.c: the same for textures and surfaces. */
void tr_texture(translator *t);
/* matrix.c: the same for products of tensor cores. */
void tr_matrix(translator *t);
/* bulk.c: the same for copies of the tensor memory accelerator and what is told to an mbarrier. */
bool tr_is_bulk(const sass_insn *i);
void tr_bulk(translator *t);

#endif
