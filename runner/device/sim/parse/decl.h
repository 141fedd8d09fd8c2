/* Declarations (decl.c): variables, registers, signatures of functions; source positions (loc.c);
 * sections (section.c); constants and initial values (init.c). */
#ifndef WARPLAB_PTX_DECL_H
#define WARPLAB_PTX_DECL_H

#include "runner/device/sim/lex/parser.h"

/* ---- decl.c ---- */

void ptx_parse_variables(ptx_parser *p, ptx_space space, bool is_extern, bool visible);
void ptx_parse_reg(ptx_parser *p);
void ptx_skip_pragma(ptx_parser *p);
ptx_func *ptx_parse_signature(ptx_parser *p, bool entry, bool prototype);
/* .attribute(...): returns whether .managed is among them. */
bool ptx_accept_attribute(ptx_parser *p);

/* ---- loc.c ---- */

void ptx_start_locs(ptx_parser *p);
void ptx_parse_file(ptx_parser *p);
void ptx_parse_loc(ptx_parser *p);
void ptx_finish_locs(ptx_parser *p);

/* ---- section.c ---- */

/* .section .debug_info { ... }: for debuggers. */
void ptx_parse_section(ptx_parser *p);

/* ---- init.c ---- */

typedef struct {
    uint64_t bits;
    uint8_t is_float; /* 0, 4 (f32 bits) or 8 (f64 bits) */
    bool is_unsigned;
} ptx_const;
ptx_const ptx_parse_const(ptx_parser *p);       /* a whole constant expression */
ptx_const ptx_parse_const_unary(ptx_parser *p); /* a number, possibly signed, or a parenthesis */
/* At the token after '='. dims[0] may be 0: then the elements are counted, and v->bytes is set. */
void ptx_parse_initialiser(ptx_parser *p, ptx_var *v, const uint64_t *dims, unsigned ndims);
uint64_t ptx_float_bits(ptx_const c, ptx_type type); /* as f32 or f64 bits */

#endif
