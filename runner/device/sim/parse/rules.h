/* What ops.def does not say of an instruction (rules.c): check.c asks here. */
#ifndef WARPLAB_PTX_RULES_H
#define WARPLAB_PTX_RULES_H

#include "runner/device/sim/lex/parser.h"

/* Of an instruction that fits its row: fails with what is wrong. `at` is the mnemonic, opnd_at has
 * the place of each operand. */
void ptx_check_rules(ptx_parser *p, const ptx_insn *i, const ptx_opnd *o, const ptx_token *at,
                     const ptx_token *opnd_at);
/* May an instruction go to [variable + offset] in this space? False: why, n bytes with the NUL, says
 * what was expected. */
bool ptx_check_fixed_address(const ptx_opnd *o, unsigned space, char *why, size_t n);
/* The same of the address of a variable as a value. */
bool ptx_check_variable_source(const ptx_insn *i, const ptx_var *v, char *why, size_t n);

#endif
