/* What the tables say: words and mnemonics (tables.c), and rows of ops.def ready for matching
 * (spec.c; check.c matches). */
#ifndef WARPLAB_PTX_SPEC_H
#define WARPLAB_PTX_SPEC_H

#include "runner/sim/lex/parser.h"

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

struct ptx_spec {
    const char *mnemonic;
    uint64_t flags;                   /* of any form */
    uint64_t values[PTX_FIELD_COUNT]; /* of any form */
    char special;
    unsigned nforms;
    ptx_form forms[];
};

extern const char *const ptx_field_titles[PTX_FIELD_COUNT]; /* "a rounding mode" */
void ptx_append(char *buf, size_t n, const char *text);     /* to the string in buf, cut at n */

const ptx_spec *ptx_spec_get(ptx_parser *p, unsigned op);
/* Sorts a dotted word that is no type and no space into a field or flag. False: the mnemonic does
 * not take it. */
bool ptx_spec_modifier(const ptx_spec *s, ptx_insn *i, const ptx_word *w);
char ptx_spec_special(
    const ptx_spec *s); /* '*' call, 'L' brx.idx, 'l' bra, '?' read over; else 0 */
void ptx_spec_list_modifiers(const ptx_spec *s, char *buf,
                             size_t n); /* for messages: ".ftz, .sat" */

#endif
