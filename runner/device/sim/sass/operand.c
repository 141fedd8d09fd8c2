/* Operands: one after another up to the semicolon, each recognised by its first characters. The
 * table says what they are for and how many registers they have (ops.c).
 *
 *   R2.64.reuse -R2.H0_H0 |R3| UR4 !P0 UPT PR B0 SB0      registers
 *   0x10 -0x10 1.5 -QNAN +INF {5,4}                       immediates
 *   c[0x0][0x160] c[0x3][R2+0x4] cx[UR4][0x10]            constants
 *   [R2.64+UR4+0x10] [R2.X4] desc[UR4][R2.64] gdesc[UR8]  memory
 *   SR_TID.X `(.L_x_1) 32@lo((f + .L_x_1@srel)) 2D        names */
#include "runner/device/sim/sass/internal.h"
#include "words/sass.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool in_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool at(sass_text t, char c) {
    return t.s < t.end && *t.s == c;
}

static sass_text take_word(sass_text *t) {
    sass_text w = *t;
    while (t->s < t->end && in_word(*t->s)) t->s++;
    w.end = t->s;
    return w;
}

static bool word_is(sass_text t, const char *word) {
    size_t n = strlen(word);
    return (size_t)(t.end - t.s) == n && !memcmp(t.s, word, n);
}

static bool expected(sass_reader *r, sass_text t) {
    const char *end = memchr(t.s, ';', (size_t)(t.end - t.s));
    if (end) t.end = end;
    return sass_fail(r, t, w_sass_no_operand_like);
}

/* ---- numbers ---- */

/* A number like 0x10, at most 64 bits. */
static bool take_hex(sass_text *t, uint64_t *value) {
    sass_text w = *t;
    if (!sass_eat(&w, "0x") || w.s == w.end || !isxdigit((unsigned char)*w.s)) return false;
    *value = 0;
    for (unsigned n = 0; w.s < w.end && isxdigit((unsigned char)*w.s); w.s++, n++) {
        if (n == 16) return false;
        char c = (char)tolower((unsigned char)*w.s);
        *value = *value << 4 | (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    *t = w;
    return true;
}

static bool take_offset(sass_text *t, int64_t *value) {
    uint64_t v;
    bool minus = sass_eat(t, "-");
    if (!take_hex(t, &v) || (minus && v > INT64_MAX)) return false;
    *value = minus ? -(int64_t)v : (int64_t)v;
    return true;
}

/* 3, 0.25, 1.84e+19; not 2D, which is a word. */
static bool take_float(sass_text *t, double *value) {
    char copy[64];
    size_t n = 0;
    for (const char *s = t->s; s < t->end && n + 1 < sizeof copy; s++) {
        bool sign = (*s == '+' || *s == '-') && n && copy[n - 1] == 'e';
        if (!isdigit((unsigned char)*s) && *s != '.' && *s != 'e' && !sign) break;
        copy[n++] = *s;
    }
    copy[n] = 0;
    char *end;
    *value = strtod(copy, &end);
    if (end == copy || *end) return false;
    t->s += n;
    return t->s == t->end || (!in_word(*t->s) && *t->s != '@');
}

static bool take_named_float(sass_text *t, double *value) {
    static const struct {
        const char *word;
        double value;
    } names[] = {{"INF", INFINITY}, {"QNAN", NAN}, {"SNAN", NAN}};
    sass_text w = *t;
    bool minus = sass_eat(&w, "-");
    if (!minus) sass_eat(&w, "+");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (sass_eat(&w, names[k].word)) {
            *value = minus ? -names[k].value : names[k].value;
            *t = w;
            return true;
        }
    return false;
}

/* ---- registers ---- */

static const struct {
    const char *prefix;
    char none; /* RZ, PT */
    uint8_t kind, none_reg, most;
} files[] = {{"UR", 'Z', SASS_OPND_UREG, SASS_RZ, 254}, {"UP", 'T', SASS_OPND_UPRED, SASS_PT, 6},
             {"SB", 0, SASS_OPND_SCOREBOARD, 0, 15},    {"R", 'Z', SASS_OPND_REG, SASS_RZ, 254},
             {"P", 'T', SASS_OPND_PRED, SASS_PT, 6},    {"B", 0, SASS_OPND_BARRIER, 0, 15}};

/* R12, URZ, PT: kind and number of a whole word. Returns false for other words. */
static bool register_named(sass_text w, uint8_t *kind, uint8_t *reg) {
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        sass_text rest = w;
        if (!sass_eat(&rest, files[k].prefix) || rest.s == rest.end) continue;
        *kind = files[k].kind;
        *reg = files[k].none_reg;
        if (files[k].none && rest.end - rest.s == 1 && *rest.s == files[k].none) return true;
        unsigned n = 0;
        const char *s = rest.s;
        while (s < rest.end && isdigit((unsigned char)*s) && n <= files[k].most)
            n = n * 10 + (unsigned)(*s++ - '0');
        *reg = (uint8_t)n;
        if (s == rest.end && n <= files[k].most) return true;
    }
    return false;
}

/* Words after an operand: .reuse sets a flag, the others are kept. */
static bool take_suffixes(sass_reader *r, sass_text *t, sass_opnd *o) {
    char words[64];
    size_t n = 0;
    while (at(*t, '.')) {
        const char *dot = t->s++;
        sass_text w = take_word(t);
        size_t len = (size_t)(w.end - dot);
        if (word_is(w, "reuse")) {
            o->reuse = true;
            continue;
        }
        if (w.s == w.end || n + len >= sizeof words) return false;
        memcpy(words + n, dot, len);
        n += len;
    }
    if (!n) return true;
    const char *kept = sass_keep(r, (sass_text){words, words + n});
    if (o->sel[0]) return false; /* words on both sides of a bar: |R2.x|.y */
    o->sel = kept ? kept : "";
    return true;
}

/* ---- addresses ---- */

/* A register in brackets, with its width and scale. */
static bool take_base(sass_text *t, sass_opnd *o) {
    sass_text w = take_word(t);
    uint8_t kind, reg;
    if (!register_named(w, &kind, &reg)) return false;
    if (kind != SASS_OPND_REG && kind != SASS_OPND_UREG) return false;
    sass_base *b = kind == SASS_OPND_REG ? &o->base : &o->ubase;
    if (b->reg != SASS_NONE) return false;
    *b = (sass_base){.reg = reg, .scale = 1};
    while (at(*t, '.')) {
        t->s++;
        w = take_word(t);
        if (word_is(w, "64")) b->width = 2;
        else if (word_is(w, "U32") || word_is(w, "S32") || word_is(w, "32") || word_is(w, "16"))
            b->width = 1;
        else if (word_is(w, "X4")) b->scale = 4;
        else if (word_is(w, "X8")) b->scale = 8;
        else if (word_is(w, "X16")) b->scale = 16;
        else if (!word_is(w, "reuse")) return false;
    }
    if (b->scale > 1) b->width = 1;
    return true;
}

/* `(...) or 32@lo(...): up to the closing bracket. */
static bool take_expression(sass_text *t) {
    unsigned depth = 0;
    for (; t->s < t->end; t->s++) {
        if (*t->s == '(') depth++;
        if (*t->s == ')' && --depth == 0) {
            t->s++;
            return true;
        }
        if (!depth && *t->s == ';') return false;
    }
    return false;
}

/* After the opening bracket: registers and offsets joined by plus signs, up to the closing
 * bracket. */
static bool take_address(sass_reader *r, sass_text *t, sass_opnd *o) {
    do {
        if (at(*t, '`')) { /* filled in by a linker */
            const char *start = t->s;
            if (o->text || !take_expression(t)) return false;
            o->text = sass_keep(r, (sass_text){start, t->s});
        } else if (at(*t, '0') || at(*t, '-')) {
            int64_t more;
            if (!take_offset(t, &more) || o->imm) return false;
            o->imm = more;
        } else if (!take_base(t, o)) return false;
    } while (sass_eat(t, "+"));
    return sass_eat(t, "]");
}

/* "][", or "] [" as in constants of two halves. */
static bool take_between(sass_text *t) {
    return sass_eat(t, "][") || sass_eat(t, "] [");
}

/* c[0x0][0x160], or c[R0+..]: bank and offset in a register. */
static bool take_const(sass_reader *r, sass_text *t, sass_opnd *o) {
    uint64_t bank = SASS_NONE;
    o->kind = SASS_OPND_CONST;
    sass_text w = *t;
    if (o->form == SASS_BINDLESS) {
        sass_opnd in = {.base.reg = SASS_NONE, .ubase.reg = SASS_NONE};
        if (!take_base(t, &in) || in.ubase.reg == SASS_NONE || !take_between(t)) return false;
        o->desc = in.ubase.reg;
    } else if (take_hex(&w, &bank) && take_between(&w)) {
        if (bank > 31) return false;
        *t = w;
    } else bank = SASS_NONE;
    o->bank = (uint8_t)bank;
    bool ok = take_address(r, t, o);
    o->base.width = o->ubase.width = 1;
    return ok;
}

/* desc[UR4] with or without an address after it; gdesc[UR4]. */
static bool take_descriptor(sass_reader *r, sass_text *t, sass_opnd *o) {
    o->kind = SASS_OPND_MEM;
    if (!take_address(r, t, o) || o->base.reg != SASS_NONE || o->ubase.reg == SASS_NONE)
        return false;
    if (o->form != SASS_DESC) return true;
    o->desc = o->ubase.reg;
    o->ubase.reg = SASS_NONE;
    o->imm = 0;
    return !sass_eat(t, "[") || take_address(r, t, o);
}

/* ---- the rest ---- */

static bool take_set(sass_text *t, sass_opnd *o) {
    o->kind = SASS_OPND_SET;
    do {
        if (t->s == t->end || !isdigit((unsigned char)*t->s)) return false;
        o->imm |= (int64_t)1 << (*t->s++ - '0');
    } while (sass_eat(t, ","));
    return sass_eat(t, "}");
}

/* `(.L_x_1) is a label; other expressions are for a linker. */
static bool take_symbol(sass_reader *r, sass_text *t, sass_opnd *o) {
    const char *start = t->s;
    if (!take_expression(t)) return false;
    sass_text all = {start, t->s}, name = {start + 2, t->s - 1};
    bool label = start[0] == '`' && name.s < name.end && *name.s != '(';
    o->kind = label ? SASS_OPND_LABEL : SASS_OPND_SYMBOL;
    o->text = sass_keep(r, label ? name : all);
    return true;
}

static bool take_special(sass_reader *r, sass_text *t, sass_opnd *o) {
    const char *start = t->s;
    while (t->s < t->end && (in_word(*t->s) || *t->s == '.')) t->s++;
    o->kind = SASS_OPND_SREG;
    o->text = sass_keep(r, (sass_text){start, t->s});
    return true;
}

static bool take_name(sass_reader *r, sass_text *t, sass_opnd *o) {
    if (sass_eat(t, "[")) {
        o->kind = SASS_OPND_MEM;
        return take_address(r, t, o);
    }
    static const struct {
        const char *word;
        sass_mem_form form;
    } forms[] = {{"desc[", SASS_DESC}, {"gdesc[", SASS_GDESC}, {"tmem[", SASS_TMEM}};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (sass_eat(t, forms[k].word)) {
            o->form = (uint8_t)forms[k].form;
            return take_descriptor(r, t, o);
        }
    if (sass_eat(t, "cx[")) {
        o->form = SASS_BINDLESS;
        return take_const(r, t, o);
    }
    if (sass_eat(t, "c[")) return take_const(r, t, o);
    if (sass_eat(t, "{")) return take_set(t, o);
    sass_text w = *t;
    if (at(w, '`') || sass_eat(&w, "32@") || sass_eat(&w, "fun@")) return take_symbol(r, t, o);
    if (sass_eat(&w, "SR")) return take_special(r, t, o);
    w = take_word(t);
    if (w.s == w.end) return false;
    if (register_named(w, &o->kind, &o->reg)) return true;
    o->kind = word_is(w, "PR")    ? SASS_OPND_PREDS
              : word_is(w, "UPR") ? SASS_OPND_UPREDS
                                  : SASS_OPND_WORD;
    o->text = sass_keep(r, w);
    return true;
}

static bool take_number(sass_text *t, sass_opnd *o) {
    sass_text w = *t;
    o->kind = SASS_OPND_INT;
    if (take_offset(&w, &o->imm)) {
        *t = w;
        return true;
    }
    o->kind = SASS_OPND_FLOAT;
    if (take_named_float(t, &o->number)) return true;
    w = *t;
    bool minus = sass_eat(&w, "-");
    if (!take_float(&w, &o->number)) return false;
    if (minus) o->number = -o->number;
    *t = w;
    return true;
}

static bool take_operand(sass_reader *r, sass_text *t, sass_opnd *o) {
    *o = (sass_opnd){.sel = "",
                     .desc = SASS_NONE,
                     .bank = SASS_NONE,
                     .base.reg = SASS_NONE,
                     .ubase.reg = SASS_NONE};
    if (take_number(t, o)) return true;
    o->imm = 0;
    o->number = 0;
    if (sass_eat(t, "!") || sass_eat(t, "~")) o->inverted = true;
    else o->negated = sass_eat(t, "-");
    o->absolute = sass_eat(t, "|");
    if (!take_name(r, t, o) || !take_suffixes(r, t, o)) return false;
    return !o->absolute || (sass_eat(t, "|") && take_suffixes(r, t, o));
}

bool sass_operands(sass_reader *r, sass_insn *i, sass_text *t) {
    sass_opnd some[SASS_MAX_OPNDS];
    unsigned n = 0;
    for (;;) {
        *t = sass_skip(*t);
        sass_eat(t, ",");
        *t = sass_skip(*t);
        if (t->s == t->end || *t->s == ';' || (at(*t, '(') && t->end - t->s > 1 && t->s[1] == '*'))
            break;
        sass_text from = *t;
        if (n == SASS_MAX_OPNDS || !take_operand(r, t, &some[n++])) {
            return expected(r, from);
        }
    }
    i->opnd_count = (uint8_t)n;
    i->opnd = ptx_arena_get(r->arena, (n ? n : 1) * sizeof *i->opnd);
    if (!i->opnd) return sass_no_memory(r);
    memcpy(i->opnd, some, n * sizeof *i->opnd);
    return !r->failed;
}
