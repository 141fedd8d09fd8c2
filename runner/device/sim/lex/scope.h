/* Scopes, and the meaning of names in them (scope.c). */
#ifndef WARPLAB_PTX_SCOPE_H
#define WARPLAB_PTX_SCOPE_H

#include "runner/device/sim/lex/parser.h"

/* Declares a name in the innermost scope. Fails if it is already declared there. */
ptx_sym *ptx_declare(ptx_parser *p, const ptx_token *at, ptx_name *name, ptx_sym_kind kind);
/* Declares `count` registers name0, name1, .. */
ptx_sym *ptx_declare_range(ptx_parser *p, const ptx_token *at, ptx_name *name, uint32_t count);
void ptx_scope_enter(ptx_parser *p);
void ptx_scope_leave(ptx_parser *p);
/* makes registers of ranges on demand; NULL: not declared */
ptx_sym *ptx_lookup(ptx_parser *p, ptx_name *name);
/* its index; for a vector register, that of the first element */
int32_t ptx_use_reg(ptx_parser *p, const ptx_token *at, ptx_sym *s);
/* Declares the name in scope `depth`, even if it is declared in others. */
ptx_sym *ptx_declare_at(ptx_parser *p, ptx_name *name, ptx_sym_kind kind, unsigned depth);

#endif
