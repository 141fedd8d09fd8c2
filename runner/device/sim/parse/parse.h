/* The door of this room. In: PTX text. Out: a checked module (ptx.h), or a message with line,
 * column and a caret.
 *
 *   parse.c     the module level: directives, functions, aliases; the last steps
 *   insn.c      bodies of functions: statements and instructions
 *   operand.c   their operands
 *   decl.c      variables, registers, signatures
 *   init.c      constant expressions, initial values
 *   loc.c       source positions
 *   scope.c     scopes, labels, the meaning of names
 *   section.c   data for debuggers, checked against its grammar
 *   check.c     compares an instruction with its row in ops.def
 *   spec.c      these rows, prepared for matching
 *   tables.c    the words of ops.def, mods.def, sregs.def and the types, entered among the names
 *   lex.c       text -> tokens; interned names
 *   parser.c    errors and memory; arena.c
 *   cfg.c       blocks, post-dominators, reading order
 *   layout.c    offsets of shared variables
 *
 * parse -> insn -> operand, check -> decl, spec -> scope, init, tables -> lex -> parser -> arena.
 * There are no calls in the other direction. */
#ifndef WARPLAB_PTX_PARSE_H
#define WARPLAB_PTX_PARSE_H

#include "runner/device/sim/ptx/ptx.h"

typedef struct lib_message lib_message; /* runner/base/message.h */

/* Parses, checks and analyses. On an error, returns NULL and sets *msg: "PTX line 12, column 9:
 * expected ..., found ...", the line and a caret. */
ptx_module *ptx_parse(const char *text, size_t len, lib_message *msg);
/* The same. It gives up soon after *stop becomes nonzero; stop may be NULL. */
ptx_module *ptx_parse_until(const char *text, size_t len, const volatile int *stop,
                            lib_message *msg);
void ptx_free(ptx_module *m);

#endif
