/* The parsers of function bodies: operands (operand.c), instructions and statements (insn.c). */
#ifndef WARPLAB_PTX_BODY_H
#define WARPLAB_PTX_BODY_H

#include "runner/device/sim/lex/parser.h"

/* ---- operand.c ---- */

/* A name or a constant; the meaning of the name decides. */
void ptx_parse_plain(ptx_parser *p, ptx_opnd *o);
/* A label, resolved when its scope is known. */
void ptx_parse_label(ptx_parser *p, ptx_opnd *o, ptx_opnd_kind kind, const char *what);
/* Appends one written operand to the n at o: more than one ptx_opnd for d|p and for [texture,
 * coordinates]. Returns how many there are then. */
unsigned ptx_parse_operand(ptx_parser *p, ptx_insn *i, ptx_opnd *o, unsigned n);
/* call (rets), f, (args), prototype: the operands as ptx.h describes them. Returns how many. */
unsigned ptx_parse_call(ptx_parser *p, ptx_opnd *o);

/* ---- insn.c ---- */

/* At '{', with scope 1 and the parameters open. Fills p->fn. */
void ptx_parse_body(ptx_parser *p);

#endif
