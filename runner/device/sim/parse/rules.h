/* Rules for instructions beyond ops.def (rules.c); check.c calls them. */
#ifndef WARPLAB_PTX_RULES_H
#define WARPLAB_PTX_RULES_H

#include "runner/device/sim/lex/parser.h"

/* Checks an instruction that fits its row. Fails with what is wrong. `at` is the mnemonic; opnd_at
 * has the position of each operand. */
void ptx_check_rules(ptx_parser *p, const ptx_insn *i, const ptx_opnd *o, const ptx_token *at,
                     const ptx_token *opnd_at);
/* Returns whether an instruction may access [variable + offset] in this space. If not, `why` (n
 * bytes with the NUL) says what was expected. */
bool ptx_check_fixed_address(const ptx_opnd *o, unsigned space, char *why, size_t n);
/* The same for the address of a variable as a value. */
bool ptx_check_variable_source(const ptx_insn *i, const ptx_var *v, char *why, size_t n);

#endif
