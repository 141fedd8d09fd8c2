/* The parser's errors, and its memory. */
#include "runner/device/sim/lex/parser.h"
#include "runner/base/buffer.h"
#include "words/ptx.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */

/* The text may be hostile: it must not send control sequences to a terminal. */
static void append_clean(char *to, size_t n, const char *s, size_t len) {
    size_t at = strlen(to);
    for (size_t i = 0; i < len && at + 1 < n; i++) {
        unsigned char c = (unsigned char)s[i];
        to[at++] = c == '\t' ? ' ' : (char)(c < 32 || c > 126 ? '?' : c);
    }
    to[at] = 0;
}

PTX_NORETURN void ptx_fail(ptx_parser *p, const ptx_token *at, const char *fmt, ...) {
    char text[600], clean[600] = "";
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    append_clean(clean, sizeof clean, text, strlen(text));

    const char *line = at->at, *stop = at->at;
    while (line > p->text && line[-1] != '\n') line--;
    while (stop < p->end && *stop != '\n') stop++;
    size_t column = (size_t)(at->at - line);
    /* Only a part of the line, around the position. */
    const char *from = column > 70 ? at->at - 60 : line;
    size_t shown = (size_t)(stop - from);
    if (shown > 100) shown = 100;
    char source[128] = "";
    append_clean(source, sizeof source, from, shown);
    char mark[128];
    snprintf(mark, sizeof mark, "%*s^", (int)(at->at - from), "");
    lib_message_set(p->msg, w_ptx_at(at->line, (long long)column + 1, clean, source, mark));
    longjmp(p->fail, 1);
}

void ptx_hold_module(ptx_parser *p, const ptx_token *at, const char *what, unsigned version,
                     unsigned target) {
    const ptx_module *m = p->module;
    if (m->version_major * 100 + m->version_minor < version)
        ptx_fail(p, at, "%s needs .version %u.%u, and this module is of %u.%u", what, version / 100,
                 version % 100, m->version_major, m->version_minor);
    if (m->target < target)
        ptx_fail(p, at, "%s needs .target sm_%u, and this module is for sm_%u", what, target,
                 m->target);
}

PTX_NORETURN void ptx_fail_memory(ptx_parser *p) {
    lib_message_set(p->msg, w_ptx_no_memory(p->line));
    longjmp(p->fail, 2);
}

PTX_NORETURN void ptx_fail_stopped(ptx_parser *p) {
    lib_message_set(p->msg, w_ptx_stopped(p->line));
    longjmp(p->fail, 3);
}

/* ---- memory ---- */

void *ptx_get(ptx_parser *p, size_t bytes) {
    void *r = ptx_arena_get(p->arena, bytes);
    if (!r) ptx_fail_memory(p);
    return r;
}

void *ptx_push(ptx_parser *p, ptx_buffer *b, size_t size) {
    if (!lib_grow(&b->data, &b->cap, b->count, size, 64)) ptx_fail_memory(p);
    void *r = (char *)b->data + b->count++ * size;
    memset(r, 0, size);
    return r;
}

void ptx_push_pointer(ptx_parser *p, ptx_buffer *b, const void *pointer) {
    *(const void **)ptx_push(p, b, sizeof(void *)) = pointer;
}

void *ptx_keep(ptx_parser *p, const ptx_buffer *b, size_t size) {
    if (!b->count) return NULL;
    void *r = ptx_get(p, b->count * size);
    memcpy(r, b->data, b->count * size);
    return r;
}
