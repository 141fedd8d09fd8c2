/* A row of ops.def ready for matching: made by spec.c, used by check.c. */
#ifndef WARPLAB_PTX_SPEC_H
#define WARPLAB_PTX_SPEC_H

#include "runner/sim/ptx/parse.h"

enum { PTX_MAX_PATTERNS = 8 };

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
    uint32_t values[PTX_FIELD_COUNT],
        fields_required; /* allowed values of each field; 0: may not be written */
    uint8_t ntypes, klass, npatterns, nrequired;
    uint8_t spaces, spaces2; /* bit 1 << space; 0: none may be written */
    bool space_required, space2_required;
    ptx_pattern patterns[PTX_MAX_PATTERNS];
} ptx_form;

struct ptx_spec {
    const char *mnemonic;
    uint64_t flags;                   /* of any form */
    uint32_t values[PTX_FIELD_COUNT]; /* of any form */
    char special;
    unsigned nforms;
    ptx_form forms[];
};

extern const char *const ptx_field_titles[PTX_FIELD_COUNT]; /* "a rounding mode" */
void ptx_append(char *buf, size_t n, const char *text);     /* to the string in buf, cut at n */

#endif
