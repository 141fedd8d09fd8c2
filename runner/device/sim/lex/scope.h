/* Scopes, and what a name stands for in them (scope.c). */
#ifndef WARPLAB_PTX_SCOPE_H
#define WARPLAB_PTX_SCOPE_H

#include "runner/device/sim/lex/parser.h"

/* In the innermost scope; fails when it is declared there. */
ptx_sym *ptx_declare(ptx_parser *p, const ptx_token *at, ptx_name *name, ptx_sym_kind kind);
/* The registers name0, name1, .. of which there are so many. */
ptx_sym *ptx_declare_range(ptx_parser *p, const ptx_token *at, ptx_name *name, uint32_t count);
void ptx_scope_enter(ptx_parser *p);
void ptx_scope_leave(ptx_parser *p);
ptx_sym *
ptx_lookup(ptx_parser *p,
           ptx_name *name); /* registers of ranges come into being here; NULL: not declared */
int32_t ptx_use_reg(ptx_parser *p, const ptx_token *at,
                    ptx_sym *s); /* its index; of a vector register the first */
/* In scope `depth`, whatever else the name is there. */
ptx_sym *ptx_declare_at(ptx_parser *p, ptx_name *name, ptx_sym_kind kind, unsigned depth);

#endif
