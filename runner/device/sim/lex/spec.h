/* The tables, prepared: words and mnemonics (tables.c), and rows of ops.def (spec.c; check.c
 * matches them). */
#ifndef WARPLAB_PTX_SPEC_H
#define WARPLAB_PTX_SPEC_H

#include "runner/device/sim/lex/parser.h"

/* ---- tables.c ---- */

/* Gives the words of the .def files their meanings. */
void ptx_tables_load(ptx_parser *p);
/* Returns the row whose mnemonic is `first` and the longest run of `words`; NULL: none. */
const ptx_mnemonic *ptx_find_mnemonic(const ptx_name *first, ptx_name *const *words,
                                      unsigned nwords);
/* Returns the mnemonic nearest to the text, for "did you mean"; NULL: none is near. */
const char *ptx_nearest_mnemonic(const char *text);

/* ---- spec.c ---- */

enum { PTX_MAX_PATTERNS = 10 };

/* The pattern of one operand. */
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
    /* allowed values of each field; 0: the field may not be written */
    uint64_t values[PTX_FIELD_COUNT];
    uint32_t fields_required;
    uint8_t ntypes, klass, npatterns, nrequired;
    uint8_t spaces, spaces2; /* bit 1 << space; 0: none may be written */
    bool space_required, space2_required;
    ptx_pattern patterns[PTX_MAX_PATTERNS];
} ptx_form;

/* A row NEED of ops.def: the version and target that a module needs for instructions with these
 * words. */
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
    const ptx_need *unmet; /* the NEED rows that the module's .version and .target do not meet */
    unsigned nunmet;
    unsigned nforms;
    ptx_form forms[];
};

/* `target` of a need: .target sm_Na or sm_Nf, N from least to most; with `a` only sm_Na. */
#define PTX_OWN(least, most, a) (1u << 31 | (unsigned)(a) << 30 | (most) << 12 | (least))
#define PTX_OWN_LEAST(target)   ((target)&0xfff)
#define PTX_OWN_MOST(target)    ((target) >> 12 & 0xfff)

extern const char *const ptx_field_titles[PTX_FIELD_COUNT]; /* "a rounding mode" */
void ptx_append(char *buf, size_t n, const char *text);     /* to the string in buf, cut at n */

const ptx_spec *ptx_spec_get(ptx_parser *p, unsigned op);
/* Puts a dotted word that is neither type nor space into its field or flag. Returns false if the
 * mnemonic does not take it. */
bool ptx_spec_modifier(const ptx_spec *s, ptx_insn *i, const ptx_word *w);
/* Returns the need of this instruction that the module does not meet, and the words that make it
 * one, "st.v8" for messages. The instruction fits `form` with `taken` of its operands. NULL: it may
 * be written. */
const ptx_need *ptx_spec_unmet(ptx_parser *p, const ptx_insn *i, const ptx_opnd *opnds,
                               const ptx_form *form, unsigned taken, char *what, size_t n);
/* '*' call, 'L' brx.idx, 'l' bra, '?' skipped; otherwise 0 */
char ptx_spec_special(const ptx_spec *s);
/* for messages: ".ftz, .sat" */
void ptx_spec_list_modifiers(const ptx_spec *s, char *buf, size_t n);

#endif
