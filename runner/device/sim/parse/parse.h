/* The door of this room: PTX text in; a checked module (ptx.h) out, or a message with line, column
 * and a caret.
 *
 *   parse.c       the module level: directives, functions, aliases; the finishing touches
 *   insn.c        bodies of functions: statements and instructions        operand.c  their operands
 *   decl.c        variables, registers, signatures                        init.c     constant expressions, initial values
 *   loc.c         source positions                                        scope.c    scopes, labels, what a name stands for
 *   section.c     data for debuggers, held to its grammar
 *   check.c       an instruction against its row in ops.def               spec.c     those rows, ready for matching
 *   tables.c      the words of ops.def, mods.def, sregs.def and the types, entered among the names
 *   lex.c         text -> tokens; interned names                          parser.c   failing and memory     arena.c
 *   cfg.c         blocks, post-dominators, reading order                  layout.c   offsets of shared variables
 *
 * parse -> insn -> operand, check -> decl, spec -> scope, init, tables -> lex -> parser -> arena:
 * none calls back. */
#ifndef WARPLAB_PTX_PARSE_H
#define WARPLAB_PTX_PARSE_H

#include "runner/device/sim/ptx/ptx.h"

typedef struct lib_message lib_message; /* runner/base/message.h */

/* Parses, checks and analyses. NULL and *msg on error: "PTX line 12, column 9: expected ..., found
 * ...", the line and a caret. */
ptx_module *ptx_parse(const char *text, size_t len, lib_message *msg);
/* The same, given up soon after *stop becomes nonzero; stop may be NULL. */
ptx_module *ptx_parse_until(const char *text, size_t len, const volatile int *stop,
                            lib_message *msg);
void ptx_free(ptx_module *m);

#endif
