/* Turns PTX text into tokens, and names into one object each.
 *
 *   cur --ptx_next()--> p->tok, one token at a time; everything is read once
 *
 * PTX ISA, section 4: identifiers [a-zA-Z][a-zA-Z0-9_$]* or [_$%][a-zA-Z0-9_$]+, integers with U,
 * 0f and 0d float literals. A dotted word (".global", ".shared::cta", ".1d") is one token. */
#include "runner/device/sim/lex/lex.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- characters --------------------------------------------------------------------------- */
enum { C_SPACE = 1, C_START = 2, C_NAME = 4, C_DIGIT = 8, C_HEX = 16 };
static const uint8_t char_class[256] = {
    [' '] = C_SPACE,
    ['\t'] = C_SPACE,
    ['\r'] = C_SPACE,
    ['\v'] = C_SPACE,
    ['\f'] = C_SPACE,
    ['0' ... '9'] = C_NAME | C_DIGIT | C_HEX,
    ['a' ... 'f'] = C_START | C_NAME | C_HEX,
    ['g' ... 'z'] = C_START | C_NAME,
    ['A' ... 'F'] = C_START | C_NAME | C_HEX,
    ['G' ... 'Z'] = C_START | C_NAME,
    ['_'] = C_START | C_NAME,
    ['$'] = C_START | C_NAME,
    ['%'] = C_START,
};
static inline bool char_is(char c, unsigned cls) {
    return (char_class[(unsigned char)c] & cls) != 0;
}

/* ---- names -------------------------------------------------------------------------------- */

/* FNV-1a. It starts from a value that differs from run to run (ptx_parse), so that a text with
 * colliding names cannot be prepared. */
static inline uint32_t hash_step(uint32_t h, char c) {
    return (h ^ (unsigned char)c) * 0x01000193u;
}

static void names_grow(ptx_parser *p) {
    size_t cap = p->name_cap ? p->name_cap * 2 : 2048;
    ptx_name **table = calloc(cap, sizeof(void *));
    if (!table) ptx_fail_memory(p);
    for (size_t i = 0; i < p->name_cap; i++) {
        for (ptx_name *n = p->names[i], *next; n; n = next) {
            next = n->chain;
            n->chain = table[n->hash & (cap - 1)];
            table[n->hash & (cap - 1)] = n;
        }
    }
    free(p->names);
    p->names = table;
    p->name_cap = cap;
}

static ptx_name *intern_hashed(ptx_parser *p, const char *s, size_t n, uint32_t hash) {
    hash ^= hash >> 15;
    for (ptx_name *e = p->names[hash & (p->name_cap - 1)]; e; e = e->chain)
        if (e->hash == hash && e->len == n && !memcmp(e->text, s, n)) return e;
    if (p->name_count >= p->name_cap) names_grow(p);
    char *text = ptx_get(p, sizeof(ptx_name) + n + 1);
    ptx_name *e = (ptx_name *)(void *)text;
    text += sizeof *e;
    memcpy(text, s, n);
    e->text = text;
    e->len = (uint32_t)n;
    e->hash = hash;
    e->chain = p->names[hash & (p->name_cap - 1)];
    p->names[hash & (p->name_cap - 1)] = e;
    p->name_count++;
    return e;
}
ptx_name *ptx_intern(ptx_parser *p, const char *s, size_t n) {
    uint32_t h = p->hash_seed;
    for (size_t i = 0; i < n; i++) h = hash_step(h, s[i]);
    if (!p->names) names_grow(p);
    return intern_hashed(p, s, n, h);
}

/* ---- tokens ------------------------------------------------------------------------------- */
void ptx_lex_start(ptx_parser *p, const char *text, size_t len) {
    p->text = p->cur = p->prev_end = text;
    p->end = text + len;
    p->line = p->prev_line = 1;
    p->line_start = true;
    if (!p->names) names_grow(p);
}

/* Skips blanks, comments, and lines of a preprocessor (`# 1 "x.cu"`, `@@DWARF`). */
static void skip_blanks(ptx_parser *p) {
    const char *c = p->cur, *end = p->end;
    for (;;) {
        while (c < end && char_is(*c, C_SPACE)) c++;
        if (c == end) break;
        if (*c == '\n') {
            c++;
            p->line++;
            p->line_start = true;
        } else if (*c == '/' && c + 1 < end && c[1] == '/') {
            const char *nl = memchr(c, '\n', (size_t)(end - c));
            c = nl ? nl : end;
        } else if (*c == '/' && c + 1 < end && c[1] == '*') {
            ptx_token open = {.at = c, .line = p->line};
            for (c += 2;; c++) {
                if (end - c < 2) ptx_fail(p, &open, "this comment has no end: expected */");
                if (*c == '\n') p->line++;
                if (*c == '*' && c[1] == '/') break;
            }
            c += 2;
        } else if (p->line_start && (*c == '#' || (*c == '@' && c + 1 < end && c[1] == '@'))) {
            const char *nl = memchr(c, '\n', (size_t)(end - c));
            c = nl ? nl : end;
        } else {
            break;
        }
    }
    p->cur = c;
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

static void lex_hex_float(ptx_parser *p, ptx_token *t, unsigned digits) {
    const char *c = t->at + 2;
    uint64_t v = 0;
    for (unsigned i = 0; i < digits; i++, c++) {
        if (c >= p->end || !char_is(*c, C_HEX))
            ptx_fail(p, t, "expected %u hexadecimal digits after %.2s", digits, t->at);
        v = v << 4 | (unsigned)digit_of(*c);
    }
    if (c < p->end && char_is(*c, C_NAME))
        ptx_fail(p, t, "expected exactly %u hexadecimal digits after %.2s", digits, t->at);
    t->kind = PTX_TOK_FLOAT;
    t->single = digits == 8;
    t->value = v;
    p->cur = c;
}

static void lex_decimal_float(ptx_parser *p, ptx_token *t) {
    char buf[128];
    size_t n = 0;
    const char *c = t->at;
    while (c < p->end && (char_is(*c, C_DIGIT) || *c == '.' ||
                          ((*c == '+' || *c == '-') && (c[-1] == 'e' || c[-1] == 'E')) ||
                          *c == 'e' || *c == 'E')) {
        if (n + 1 >= sizeof buf)
            ptx_fail(p, t, "a number of more than %zu characters", sizeof buf - 1);
        buf[n++] = *c++;
    }
    buf[n] = 0;
    char *stop;
    double d = strtod_l(buf, &stop, p->c_locale);
    if (*stop || (c < p->end && char_is(*c, C_NAME))) ptx_fail(p, t, "expected a number");
    t->kind = PTX_TOK_FLOAT;
    t->single = false;
    memcpy(&t->value, &d, 8);
    p->cur = c;
}

void ptx_again_as_float(ptx_parser *p) {
    lex_decimal_float(p, &p->tok);
    p->tok.len = (uint32_t)(p->cur - p->tok.at);
}

static void lex_number(ptx_parser *p, ptx_token *t) {
    const char *c = t->at, *end = p->end;
    unsigned base = 10;
    if (*c == '0' && c + 1 < end) {
        if (c[1] == 'f' || c[1] == 'F') {
            lex_hex_float(p, t, 8);
            return;
        }
        if (c[1] == 'd' || c[1] == 'D') {
            lex_hex_float(p, t, 16);
            return;
        }
        if (c[1] == 'x' || c[1] == 'X') base = 16, c += 2;
        else if (c[1] == 'b' || c[1] == 'B') base = 2, c += 2;
        else if (char_is(c[1], C_DIGIT)) base = 8;
    }
    const char *first = c;
    uint64_t v = 0;
    for (; c < end && (unsigned)digit_of(*c) < base; c++) {
        unsigned d = (unsigned)digit_of(*c);
        if (v > (UINT64_MAX - d) / base) ptx_fail(p, t, "this number does not fit in 64 bits");
        v = v * base + d;
    }
    if (base != 16 && base != 2 && c < end && (*c == '.' || *c == 'e' || *c == 'E')) {
        lex_decimal_float(p, t);
        return;
    }
    if (c == first) ptx_fail(p, t, "expected digits of base %u", base);
    t->is_unsigned = v > INT64_MAX;
    if (c < end && *c == 'U') c++, t->is_unsigned = true;
    if (c < end && char_is(*c, C_NAME)) {
        ptx_token bad = *t;
        bad.at = c;
        ptx_fail(p, &bad, "'%c' is no digit of a number of base %u", *c, base);
    }
    t->kind = PTX_TOK_INT;
    t->value = v;
    p->cur = c;
}

void ptx_next(ptx_parser *p) {
    ptx_look_at_stop(p);
    p->prev_line = p->line;
    p->prev_end = p->cur;
    const char *before = p->cur;
    skip_blanks(p);
    ptx_token *t = &p->tok;
    const char *c = p->cur, *end = p->end;
    *t = (ptx_token){.at = c, .line = p->line, .space_before = c != before};
    p->line_start = false;
    if (c == end) return;

    if (char_is(*c, C_START) && (*c != '%' || (c + 1 < end && char_is(c[1], C_NAME)))) {
        uint32_t h = hash_step(p->hash_seed, *c++);
        while (c < end && char_is(*c, C_NAME)) h = hash_step(h, *c++);
        t->kind = PTX_TOK_NAME;
        t->len = (uint32_t)(c - t->at);
        t->name = intern_hashed(p, t->at, t->len, h);
        p->cur = c;
    } else if (*c == '.' && c + 1 < end && char_is(c[1], C_NAME)) {
        uint32_t h = p->hash_seed;
        for (c++; c < end; h = hash_step(h, *c++)) {
            if (char_is(*c, C_NAME)) continue;
            if (*c == ':' && end - c > 2 && c[1] == ':' && char_is(c[2], C_NAME))
                h = hash_step(h, *c++);
            else break;
        }
        t->kind = PTX_TOK_DOT;
        t->len = (uint32_t)(c - t->at);
        t->name = intern_hashed(p, t->at + 1, t->len - 1, h);
        p->cur = c;
    } else if (char_is(*c, C_DIGIT)) {
        lex_number(p, t);
        t->len = (uint32_t)(p->cur - t->at);
    } else if (*c == '"') {
        for (c++; c < end && *c != '"'; c++) {
            if (*c == '\\' && c + 1 < end) c++;
            if (*c == '\n') ptx_fail(p, t, "this string has no end on its line: expected \"");
        }
        if (c == end) ptx_fail(p, t, "this string has no end: expected \"");
        c++;
        t->kind = PTX_TOK_STRING;
        t->len = (uint32_t)(c - t->at);
        p->cur = c;
    } else {
        if (!*c || !strchr("{}[]()<>,;:@!|+-*/%&^~=?.", *c)) {
            unsigned char u = (unsigned char)*c;
            if (u < 32 || u > 126) ptx_fail(p, t, "the byte 0x%02x does not belong in PTX", u);
            ptx_fail(p, t, "the character '%c' does not belong here", *c);
        }
        t->kind = PTX_TOK_PUNCT;
        t->punct = (uint16_t)(unsigned char)*c++;
        t->len = 1;
        if (c < end && ((*c == (char)t->punct && strchr("<>=&|", *c)) ||
                        (*c == '=' && strchr("<>!", t->punct)))) {
            t->punct = (uint16_t)(t->punct << 8 | (unsigned char)*c++);
            t->len = 2;
        }
        p->cur = c;
    }
}

/* ---- what the parser asks ----------------------------------------------------------------- */
const char *ptx_describe(const ptx_token *t, char *buf, size_t n) {
    int len = (int)(t->len < 60 ? t->len : 60);
    switch (t->kind) {
    case PTX_TOK_END: snprintf(buf, n, "the end of the text"); break;
    default: snprintf(buf, n, "'%.*s'", len, t->at);
    }
    return buf;
}

bool ptx_accept(ptx_parser *p, unsigned punct) {
    if (!ptx_is(p, punct)) return false;
    ptx_next(p);
    return true;
}

void ptx_expect(ptx_parser *p, unsigned punct, const char *after) {
    if (ptx_accept(p, punct)) return;
    char found[80];
    ptx_fail(p, &p->tok, "expected '%c' %s, found %s", (char)punct, after,
             ptx_describe(&p->tok, found, sizeof found));
}

bool ptx_is_dot(const ptx_parser *p, const char *word) {
    return p->tok.kind == PTX_TOK_DOT && !strcmp(p->tok.name->text, word);
}
bool ptx_accept_dot(ptx_parser *p, const char *word) {
    if (!ptx_is_dot(p, word)) return false;
    ptx_next(p);
    return true;
}

uint64_t ptx_expect_int(ptx_parser *p, const char *what, uint64_t max) {
    char found[80];
    if (p->tok.kind != PTX_TOK_INT)
        ptx_fail(p, &p->tok, "expected %s, found %s", what,
                 ptx_describe(&p->tok, found, sizeof found));
    uint64_t v = p->tok.value;
    if (v > max) ptx_fail(p, &p->tok, "%s may be at most %llu", what, (unsigned long long)max);
    ptx_next(p);
    return v;
}

ptx_name *ptx_expect_name(ptx_parser *p, const char *what) {
    char found[80];
    if (p->tok.kind != PTX_TOK_NAME)
        ptx_fail(p, &p->tok, "expected %s, found %s", what,
                 ptx_describe(&p->tok, found, sizeof found));
    ptx_name *n = p->tok.name;
    ptx_next(p);
    return n;
}
