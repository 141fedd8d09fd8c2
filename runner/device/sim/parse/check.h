/* Compares an instruction with its row in ops.def (check.c). */
#ifndef WARPLAB_PTX_CHECK_H
#define WARPLAB_PTX_CHECK_H

#include "runner/device/sim/lex/spec.h"

/* Fits the instruction to its forms: sets klass, converts literals; fails with what was expected.
 * `at` is the mnemonic; opnd_at has the position of each operand (except for a call). */
void ptx_check_insn(ptx_parser *p, const ptx_spec *s, ptx_insn *i, ptx_opnd *opnds,
                    const ptx_token *at, const ptx_token *opnd_at);
void ptx_check_call(ptx_parser *p, const ptx_call_site *c);

#endif
