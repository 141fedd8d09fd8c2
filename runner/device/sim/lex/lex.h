/* Text to tokens, names to one object each (lex.c). */
#ifndef WARPLAB_PTX_LEX_H
#define WARPLAB_PTX_LEX_H

#include "runner/device/sim/lex/parser.h"

void ptx_lex_start(ptx_parser *p, const char *text, size_t len);
void ptx_next(ptx_parser *p);
/* Makes the current token, a dot and digits, a number after all: .5 */
void ptx_again_as_float(ptx_parser *p);
ptx_name *ptx_intern(ptx_parser *p, const char *s, size_t n);
/* "';'", "the name 'foo'", "the end of the text" */
const char *ptx_describe(const ptx_token *t, char *buf, size_t n);
static inline bool ptx_is(const ptx_parser *p, unsigned punct) {
    return p->tok.kind == PTX_TOK_PUNCT && p->tok.punct == punct;
}
bool ptx_accept(ptx_parser *p, unsigned punct);
void ptx_expect(ptx_parser *p, unsigned punct, const char *after);
bool ptx_is_dot(const ptx_parser *p, const char *word);
bool ptx_accept_dot(ptx_parser *p, const char *word);
uint64_t ptx_expect_int(ptx_parser *p, const char *what, uint64_t max);
ptx_name *ptx_expect_name(ptx_parser *p, const char *what);

#endif
