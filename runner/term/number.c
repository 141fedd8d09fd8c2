/* See number.h. The text is first turned into code points in a plain form: full-width characters,
 * signs of arithmetic, the micro of microseconds and Chinese words for arithmetic become ASCII. A
 * recursive parser then reads them:
 *
 *   sum := product {(+|-) product}   product := power {(*|/) power}   power := sign [^ power]
 *   sign := [+|-] sign | atom        atom := number | ( sum )
 *
 * What follows must be a unit. */
#include "runner/term/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/word.h"
#include "runner/term/text.h"
#include "words/term.h"

enum { POINTS = 128, DEPTH = 16, UNIT_BYTES = 48 };

typedef struct {
    uint32_t cp[POINTS + 1]; /* ended by 0 */
    size_t n, at;
    int depth;
    bool percent, share, bytes; /* bytes: the question asks for bytes */
    text_number_wrong wrong;
    size_t wrong_at;
} number_text;

/* ---- plain form ---- */

static uint32_t plain(uint32_t c) {
    static const uint32_t as[][2] = {
        {0xd7, '*'},   {0xb7, '*'},   {0x2715, '*'},    {0x4e58, '*'},    {0xf7, '/'},
        {0x2212, '-'}, {0x2013, '-'}, {0x52a0, '+'},    {0x51cf, '-'},    {0x3000, ' '},
        {0x3002, ' '}, {0x3001, ','}, {0x3007, 0x96f6}, {0x4e24, 0x4e8c}, {'\t', ' '},
        {0xb5, 'u'},   {0x3bc, 'u'}};
    if (c >= 0xff01 && c <= 0xff5e) return c - 0xfee0;
    for (size_t i = 0; i < sizeof as / sizeof *as; i++)
        if (as[i][0] == c) return as[i][1];
    return c;
}

/* Returns false if the text is too long. What precedes the last '=' only led to the answer. */
static bool number_fill(number_text *r, const char *s) {
    for (size_t i = 0, len = strlen(s); i < len;) {
        uint32_t c;
        i += text_decode(s + i, len - i, &c);
        c = plain(c);
        if (c == '=') {
            r->n = 0;
            continue;
        }
        if (r->n == POINTS) return false;
        r->cp[r->n++] = c;
    }
    while (r->n && (r->cp[r->n - 1] == ' ' || r->cp[r->n - 1] == '.')) r->n--;
    r->cp[r->n] = 0;
    return true;
}

static uint32_t peek(number_text *r) {
    while (r->cp[r->at] == ' ') r->at++;
    return r->cp[r->at];
}

static double fail(number_text *r, text_number_wrong w) {
    if (!r->wrong) {
        r->wrong = w;
        r->wrong_at = r->at;
    }
    return 0;
}

/* ---- numbers ---- */

static bool is_digit(uint32_t c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(uint32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static double zh_scale(uint32_t c) {
    return c == 0x5341   ? 10
           : c == 0x767e ? 100
           : c == 0x5343 ? 1e3
           : c == 0x4e07 ? 1e4
           : c == 0x4ebf ? 1e8
                         : 0;
}

/* The other scales are in small letters: "m" is not a million. */
static double word_scale(const char *word) {
    static const struct {
        const char *word;
        double scale;
    } rows[] = {{"k", 1e3},        {"K", 1e3},         {"M", 1e6},       {"G", 1e9},
                {"Ki", 1024},      {"Mi", 1 << 20},    {"Gi", 1 << 30},  {"thousand", 1e3},
                {"million", 1e6},  {"millions", 1e6},  {"mio", 1e6},     {"billion", 1e9},
                {"billions", 1e9}, {"thousands", 1e3}, {"Million", 1e6}, {"Billion", 1e9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].word, word)) return rows[i].scale;
    return 0;
}

/* Reads scales after a number, with or without blanks: 2.1 million, 16 Mi, 2.1M, and Chinese ones.
 * If the question asks for bytes, k, M and G alone are rejected, because they may mean a power of
 * 1000 or of 1024. */
static double scales(number_text *r) {
    double all = 1;
    for (;;) {
        size_t at = r->at, n = 0;
        char word[12];
        while (r->cp[at] == ' ') at++;
        double s = zh_scale(r->cp[at]);
        if (s > 0) at++;
        for (; s <= 0 && n + 1 < sizeof word && is_letter(r->cp[at + n]); n++)
            word[n] = (char)r->cp[at + n];
        if (s <= 0 && n && !is_letter(r->cp[at + n])) {
            word[n] = 0;
            s = n == 1 && r->bytes ? 0 : word_scale(word);
            at += n;
        }
        if (s <= 0) return all;
        all *= s;
        r->at = at;
    }
}

/* 1024, 1,024, 1 024, 0.25, 1e3 */
static double decimal(number_text *r) {
    char b[64];
    size_t n = 0;
    for (;; r->at++) {
        uint32_t c = r->cp[r->at], next = c ? r->cp[r->at + 1] : 0;
        bool apart = (c == ',' || c == '_' || c == '\'' || c == ' ') && is_digit(next) && n;
        if (apart) continue;
        bool sign = n && b[n - 1] == 'e' && is_digit(next); /* `power` let no other sign through */
        bool power = (c == 'e' || c == 'E') && n &&
                     (is_digit(next) || next == '-' || next == '+') && !memchr(b, 'e', n);
        if (!is_digit(c) && c != '.' && !power && !sign) break;
        if (n + 1 == sizeof b) return fail(r, TEXT_NUMBER_BIG);
        b[n++] = power ? 'e' : (char)c;
    }
    b[n] = 0;
    char *end;
    double v = strtod(b, &end);
    if (*end || end == b) return fail(r, TEXT_NUMBER_WORD);
    return v * scales(r);
}

static int zh_digit(uint32_t c) {
    static const uint32_t digits[] = {0x96f6, 0x4e00, 0x4e8c, 0x4e09, 0x56db,
                                      0x4e94, 0x516d, 0x4e03, 0x516b, 0x4e5d};
    for (int i = 0; i < 10; i++)
        if (digits[i] == c) return i;
    return -1;
}
static bool zh_number_starts(uint32_t c) {
    return zh_digit(c) >= 0 || zh_scale(c) > 0;
}

/* Reads a Chinese number: 32, 1024, or 2048 digit by digit. */
static double zh_whole(number_text *r) {
    double all = 0, part = 0, digit = 0;
    for (; zh_number_starts(r->cp[r->at]); r->at++) {
        int d = zh_digit(r->cp[r->at]);
        double s = zh_scale(r->cp[r->at]);
        if (d >= 0) {
            digit = r->at && zh_digit(r->cp[r->at - 1]) >= 0 ? 10 * digit + d : d;
            /* 1e8 20e6: what has its 1e8 is kept; 3e4 1e4: what has no scale yet is multiplied */
        } else if (s >= 1e4) {
            if (s == 1e4 && all >= 1e8) all += (part + digit) * s;
            else all = (all + part + digit) * s;
            part = digit = 0;
        } else {
            part += (digit > 0 ? digit : 1) * s;
            digit = 0;
        }
    }
    return all + part + digit;
}

static bool follows(const number_text *r, uint32_t a, uint32_t b) {
    return r->cp[r->at] == a && r->cp[r->at + 1] == b;
}

static double number_sum(number_text *r);

static double atom(number_text *r) {
    uint32_t c = peek(r);
    if (r->wrong) return 0;
    if (c == '(') {
        if (r->depth++ == DEPTH) return fail(r, TEXT_NUMBER_BIG);
        r->at++;
        double v = number_sum(r);
        r->depth--;
        if (peek(r) != ')') return fail(r, TEXT_NUMBER_PAREN);
        r->at++;
        return v;
    }
    if (is_digit(c) || (c == '.' && is_digit(r->cp[r->at + 1]))) return decimal(r);
    if (c == 0x767e && r->cp[r->at + 1] == 0x5206 &&
        r->cp[r->at + 2] == 0x4e4b) { /* "per cent", before the number */
        r->at += 3;
        r->percent = true;
        return atom(r);
    }
    if (zh_number_starts(c)) {
        double v = zh_whole(r);
        if (!follows(r, 0x5206, 0x4e4b)) return v; /* the "of" of a fraction */
        r->at += 2;
        r->share = true;
        double of = atom(r);
        return v == 0 ? fail(r, TEXT_NUMBER_ZERO) : of / v;
    }
    return fail(r, !c || strchr("+-*/^)", (int)(c < 128 ? c : ' ')) ? TEXT_NUMBER_OPERAND
                                                                    : TEXT_NUMBER_WORD);
}

static double number_sign(number_text *r) {
    bool minus = false;
    for (uint32_t c; (c = peek(r)) == '-' || c == '+'; r->at++) minus ^= c == '-';
    double v = atom(r);
    return minus ? -v : v;
}

/* `**` is also a power. */
static bool take_power(number_text *r) {
    uint32_t c = peek(r);
    bool stars = c == '*' && r->cp[r->at + 1] == '*';
    if (c != '^' && !stars) return false;
    r->at += stars ? 2 : 1;
    return true;
}

static double number_power(number_text *r) {
    double v = number_sign(r);
    if (r->wrong || !take_power(r)) return v;
    if (r->depth++ == DEPTH) return fail(r, TEXT_NUMBER_BIG);
    double w = number_power(r);
    r->depth--;
    return r->wrong ? 0 : pow(v, w);
}

static double number_product(number_text *r) {
    double v = number_power(r);
    for (uint32_t c;
         !r->wrong && ((c = peek(r)) == '*' || c == '/' || follows(r, 0x9664, 0x4ee5));) {
        bool divide = c != '*';
        /* "sectors/request" is a unit, not a division */
        size_t next = r->at + (c > 127 ? 2 : 1);
        if (divide && r->cp[next] < 128 && ((r->cp[next] | 32) >= 'a' && (r->cp[next] | 32) <= 'z'))
            break;
        r->at = next;
        double w = number_power(r);
        if (r->wrong) return 0;
        if (divide && w == 0) return fail(r, TEXT_NUMBER_ZERO);
        if (divide) r->share = true;
        v = divide ? v / w : v * w;
    }
    return v;
}

static double number_sum(number_text *r) {
    double v = number_product(r);
    for (uint32_t c; !r->wrong && ((c = peek(r)) == '+' || c == '-');) {
        r->at++;
        double w = number_product(r);
        v = c == '+' ? v + w : v - w;
    }
    return v;
}

/* ---- units ---- */

typedef enum { BYTES, TIME, PLAIN_UNIT } unit_kind;
typedef struct {
    const char *sign;
    lib_word_id names; /* its names in all languages */
    unit_kind kind;
    double scale;
} unit_row;
static const unit_row units[] = {{"b", W_TERM_UNIT_BYTES, BYTES, 1},
                                 {"kb", 0, BYTES, 1024},
                                 {"kib", 0, BYTES, 1024},
                                 {"mb", 0, BYTES, 1 << 20},
                                 {"mib", 0, BYTES, 1 << 20},
                                 {"gb", 0, BYTES, 1 << 30},
                                 {"gib", 0, BYTES, 1 << 30},
                                 {"ns", W_TERM_UNIT_NS, TIME, 1e-9},
                                 {"us", W_TERM_UNIT_US, TIME, 1e-6},
                                 {"ms", W_TERM_UNIT_MS, TIME, 1e-3},
                                 {"s", W_TERM_UNIT_S, TIME, 1}};

/* Returns whether `name` is one of "a|b" in any language. */
static bool is_one_of(const char *name, lib_word_id names) {
    for (int lang = 0; lang < LIB_LANGS; lang++) {
        const char *list = lib_word((lib_lang)lang, names);
        size_t n;
        for (const char *w; (w = lib_next_word(&list, &n));)
            if (strlen(name) == n && !memcmp(w, name, n)) return true;
    }
    return false;
}

static const unit_row *unit_find(const char *name) {
    static const unit_row none = {"", 0, PLAIN_UNIT, 1};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].sign, name) || is_one_of(name, units[i].names)) return &units[i];
    return &none;
}

/* Makes letters small and removes blanks: "GB / s" -> "gb/s". */
static void unit_plain(const char *s, char out[UNIT_BYTES]) {
    size_t n = 0;
    for (; *s && n + 1 < UNIT_BYTES; s++)
        if (*s != ' ') out[n++] = (char)(*s >= 'A' && *s <= 'Z' ? *s + 32 : *s);
    out[n] = 0;
}

static size_t encode(uint32_t c, char *out) {
    if (c < 0x80) return out[0] = (char)c, 1;
    if (c < 0x800) return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 63)), 2;
    if (c < 0x10000)
        return out[0] = (char)(0xe0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 63)),
               out[2] = (char)(0x80 | (c & 63)), 3;
    return out[0] = (char)(0xf0 | c >> 18), out[1] = (char)(0x80 | (c >> 12 & 63)),
           out[2] = (char)(0x80 | (c >> 6 & 63)), out[3] = (char)(0x80 | (c & 63)), 4;
}

static void text_from(const number_text *r, size_t at, char *out, size_t size) {
    size_t n = 0;
    for (; at < r->n && n + 5 < size; at++) n += encode(r->cp[at], out + n);
    out[n] = 0;
}

/* Words for what is counted change no number (W_TERM_COUNTED). Returns the length of the longest
 * such word at s; 0 if there is none. With n, it must be n bytes long, apart from a plural's s. */
static size_t counted_at(const char *s, size_t n) {
    size_t best = 0;
    for (int lang = 0; lang < LIB_LANGS; lang++) {
        const char *list = lib_word((lib_lang)lang, W_TERM_COUNTED);
        size_t k;
        for (const char *w; (w = lib_next_word(&list, &k));) {
            if (k <= best || strncmp(s, w, k) != 0) continue;
            if (!n || k == n || (k + 1 == n && s[k] == 's')) best = n ? n : k;
        }
    }
    return best;
}

/* Returns how many bytes of a text in small letters are one known word, or a sign between two
 * words; 0 if none. */
static size_t counted_word(const char *s) {
    size_t n = 0;
    if (*s == ' ' || *s == '/') return 1;
    while (*s >= 'a' && s[n] >= 'a' && s[n] <= 'z') n++;
    return counted_at(s, n);
}

/* Returns true if all words are known. Otherwise *at is the offset of the first unknown word, in
 * bytes. */
static bool all_counted(const char *s, size_t *at) {
    for (*at = 0; s[*at];) {
        size_t n = counted_word(s + *at);
        if (!n) return false;
        *at += n;
    }
    return true;
}

/* Reads what follows the number: nothing, per cent, the unit that is asked for or one that can be
 * converted to it, or words for what is counted. Anything else is reported, and then no number is
 * read. */
static void number_unit(number_text *r, const char *asked, double *v) {
    char typed[UNIT_BYTES], want[UNIT_BYTES], raw[4 * POINTS] = {0};
    size_t at;
    if (!peek(r)) return;
    text_from(r, r->at, raw, sizeof raw);
    unit_plain(raw, typed);
    unit_plain(asked, want);
    if (!strcmp(typed, "%") || is_one_of(typed, W_TERM_UNIT_PERCENT)) {
        r->percent = true;
        return;
    }
    if (!strcmp(typed, want)) return;
    const unit_row *a = unit_find(typed), *b = unit_find(want);
    if (a->kind != PLAIN_UNIT) {
        /* The name of bytes or seconds may follow a plain number of them. */
        if (a->kind == b->kind) *v *= a->scale / b->scale;
        else if (b->kind != PLAIN_UNIT || *want || a->scale != 1) fail(r, TEXT_NUMBER_UNIT);
        return;
    }
    if (r->bytes && typed[0] && !typed[1] && strchr("kmg", typed[0])) {
        fail(r, TEXT_NUMBER_UNIT);
        return;
    }
    for (char *c = raw; *c; c++)
        if (*c >= 'A' && *c <= 'Z') *c = (char)(*c + 32);
    if (all_counted(raw, &at)) return;
    for (size_t i = 0; i < at; i++) r->at += (raw[i] & 0xc0) != 0x80;
    fail(r, r->cp[r->at] == ')' ? TEXT_NUMBER_PAREN : TEXT_NUMBER_WORD);
}

text_number_wrong text_number_read(const char *text, const char *unit, text_number *out) {
    number_text r = {0};
    char want[UNIT_BYTES];
    *out = (text_number){0};
    if (!number_fill(&r, text)) return TEXT_NUMBER_BIG;
    if (!peek(&r)) return TEXT_NUMBER_NONE;
    unit_plain(unit, want);
    r.bytes = unit_find(want)->kind == BYTES;
    double v = number_sum(&r);
    if (!r.wrong) number_unit(&r, unit, &v);
    if (!r.wrong && (!isfinite(v) || fabs(v) > 1e300)) fail(&r, TEXT_NUMBER_BIG);
    text_from(&r, r.wrong_at, out->at, sizeof out->at);
    out->value = v;
    out->percent = r.percent;
    out->share = r.share || (v > 0 && v <= 1);
    /* "zzz" contains no number at all */
    if (r.wrong == TEXT_NUMBER_WORD && !r.wrong_at) return TEXT_NUMBER_NONE;
    return r.wrong;
}
