/* What the tables say: words and mnemonics (tables.c), and rows of ops.def ready for matching
 * (spec.c; check.c matches). */
#ifndef WARPLAB_PTX_SPEC_H
#define WARPLAB_PTX_SPEC_H

#include "runner/device/sim/lex/parser.h"

/* ---- tables.c ---- */

/* Gives the words of the .def files their meaning. */
void ptx_tables_load(ptx_parser *p);
/* The row whose mnemonic is `first` and the longest run of `words`; NULL: there is none. */
const ptx_mnemonic *ptx_find_mnemonic(const ptx_name *first, ptx_name *const *words,
                                      unsigned nwords);
/* The mnemonic nearest to what was written, for "did you mean"; NULL: nothing is near. */
const char *ptx_nearest_mnemonic(const char *text);

/* ---- spec.c ---- */

enum { PTX_MAX_PATTERNS = 10 };

/* What one operand must be. */
typedef struct {
    char kind;         /* the letters of ops.def */
    uint8_t type_kind; /* 'n': the n-th type written, 'x': twice type 0, 't': `type` */
    uint8_t type;
    bool optional;
    char pair; /* 0, '!' a second half must be written, '?' may be */
} ptx_pattern;

typedef struct {
    uint64_t types[PTX_MAX_TYPES];
    uint64_t flags, flags_required;
    uint64_t values[PTX_FIELD_COUNT]; /* allowed of each field; 0: may not be written */
    uint32_t fields_required;
    uint8_t ntypes, klass, npatterns, nrequired;
    uint8_t spaces, spaces2; /* bit 1 << space; 0: none may be written */
    bool space_required, space2_required;
    ptx_pattern patterns[PTX_MAX_PATTERNS];
} ptx_form;

/* A row NEED of ops.def: what a module must be that has instructions with these words. */
typedef struct {
    ptx_form words; /* types; of flags one, of each field and of SPACE one value; no operands */
    uint8_t shared; /* forms of .shared, 1 << PTX_SHARED_..; 0: any */
    bool discards, more, predicate; /* `_`, `+`, `pred` */
    uint16_t version;               /* 402: 4.2 */
    uint32_t target;                /* PTX_OWN(), or the least one; 0: any */
} ptx_need;

struct ptx_spec {
    const char *mnemonic;
    uint64_t flags;                   /* of any form */
    uint64_t values[PTX_FIELD_COUNT]; /* of any form */
    char special;
    const ptx_need *unmet; /* NEED rows that the module's .version and .target do not meet */
    unsigned nunmet;
    unsigned nforms;
    ptx_form forms[];
};

/* `target` of a need: .target sm_Na or sm_Nf, N from least to most; with `a` alone sm_Na. */
#define PTX_OWN(least, most, a) (1u << 31 | (unsigned)(a) << 30 | (most) << 12 | (least))
#define PTX_OWN_LEAST(target)   ((target)&0xfff)
#define PTX_OWN_MOST(target)    ((target) >> 12 & 0xfff)

extern const char *const ptx_field_titles[PTX_FIELD_COUNT]; /* "a rounding mode" */
void ptx_append(char *buf, size_t n, const char *text);     /* to the string in buf, cut at n */

const ptx_spec *ptx_spec_get(ptx_parser *p, unsigned op);
/* Sorts a dotted word that is no type and no space into a field or flag. False: the mnemonic does
 * not take it. */
bool ptx_spec_modifier(const ptx_spec *s, ptx_insn *i, const ptx_word *w);
/* The need of this instruction, which fits `form` with `taken` of its operands, that the module does
 * not meet, and the words that make it one, "st.v8" for messages; NULL: it may be written. */
const ptx_need *ptx_spec_unmet(ptx_parser *p, const ptx_insn *i, const ptx_opnd *opnds,
                               const ptx_form *form, unsigned taken, char *what, size_t n);
char ptx_spec_special(
    const ptx_spec *s); /* '*' call, 'L' brx.idx, 'l' bra, '?' read over; else 0 */
void ptx_spec_list_modifiers(const ptx_spec *s, char *buf,
                             size_t n); /* for messages: ".ftz, .sat" */

#endif
