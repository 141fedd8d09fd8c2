/* See row.h. */
#include "runner/base/words/row.h"

#include <stdlib.h>
#include <string.h>

static const char small[] = "abcdefghijklmnopqrstuvwxyz", digits[] = "0123456789";

static size_t name_span(const char *s, const char *of, const char *more) {
    size_t n = 0;
    while (s[n] && (strchr(of, s[n]) || strchr(more, s[n]))) n++;
    return n;
}

/* Up to two digits; -1: none. */
static int two_digits(const char **s, const char *end) {
    int v = -1;
    for (int i = 0; i < 2 && *s < end && **s >= '0' && **s <= '9'; i++)
        v = (v < 0 ? 0 : v * 10) + (*(*s)++ - '0');
    return v;
}

bool lib_row_form(const char *text, size_t n, lib_arg_form *form) {
    static const struct {
        const char *name;
        char as;
    } forms[] = {{"s", 's'},     {"lines", 'l'}, {"list", 'L'}, {"said", 'q'}, {"d", 'd'},
                 {"u", 'u'},     {"x", 'x'},     {"f", 'f'},    {"g", 'g'},    {"wan", 'W'},
                 {"bytes", 'B'}, {"e", 'e'},     {"w", 'w'},    {"m", 'm'},    {"t", 't'}};
    const char *s = text, *end = text + n;
    *form = (lib_arg_form){.digits = -1};
    if (s == end) return true;
    if (*s == '@') {
        *form = (lib_arg_form){.as = '@', .digits = -1, .row = s + 1, .row_n = n - 1};
        return n > 1;
    }
    if (*s == '0') {
        s++;
        form->width = two_digits(&s, end);
        if (form->width < 1) return false;
    }
    if (s < end && *s == '.') {
        s++;
        form->digits = two_digits(&s, end);
        if (form->digits < 0) return false;
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strlen(forms[i].name) == (size_t)(end - s) &&
            !memcmp(forms[i].name, s, (size_t)(end - s)))
            form->as = forms[i].as;
    bool real = form->as == 'f' || form->as == 'g', whole = form->as == 'u' || form->as == 'x';
    return form->as && (form->as == 'f') <= (form->digits >= 0) && (form->digits < 0 || real) &&
           (!form->width || whole);
}

lib_arg_type lib_row_type(const lib_arg_form *form) {
    switch (form->as) {
    case 's':
    case 'l':
    case 'L':
    case 'q': return LIB_ARG_TEXT;
    case 'd':
    case 'u':
    case 'x':
    case 'B':
    case '@': return LIB_ARG_INTEGER;
    case 'f':
    case 'g':
    case 'W': return LIB_ARG_REAL;
    case 'e': return LIB_ARG_ERROR;
    case 'w': return LIB_ARG_WORD;
    case 'm': return LIB_ARG_MESSAGE;
    case 't': return LIB_ARG_TEXTS;
    default: return LIB_ARG_NONE;
    }
}

bool lib_row_takes(lib_arg_type type, const lib_arg_form *form) {
    return !form->as || lib_row_type(form) == type || (form->as == 'W' && type == LIB_ARG_INTEGER);
}

static int piece_bad(lib_piece *piece, const char *what) {
    piece->text = what;
    return -1;
}

int lib_row_piece(const char **at, lib_piece *piece) {
    const char *s = *at;
    *piece = (lib_piece){0};
    if (!*s) return 0;
    if (*s != '{' || s[1] == '{') {
        piece->text = s;
        piece->n = *s == '{' ? 1 : strcspn(s, "{");
        *at = s + piece->n + (*s == '{');
        return 1;
    }
    piece->name = ++s;
    piece->name_n = name_span(s, small, "_0123456789");
    if (!piece->name_n || strchr(digits, *s) || piece->name_n >= LIB_ARG_NAME)
        return piece_bad(
            piece,
            "a brace is not followed by the name of an argument (a brace itself is written twice)");
    s += piece->name_n;
    const char *form = *s == ':' ? s + 1 : s;
    size_t n = strcspn(form, "{}");
    if (form[n] != '}') return piece_bad(piece, "the place of an argument has no closing brace");
    if ((form == s && n) || (form != s && !n) || !lib_row_form(form, n, &piece->form))
        return piece_bad(piece, "behind the name of an argument stands no form that is known");
    *at = form + n + 1;
    return 1;
}

unsigned lib_row_id(const char *name) {
    unsigned h = 2166136261U; /* FNV-1a */
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 16777619U;
    h &= 0x7FFFFFFFU;
    return h ? h : 1;
}

/* ---- plurals: an expression of C over n ---- */

typedef struct {
    const char *s;
    unsigned long long n;
    bool bad;
    int depth;
} plural_reader;

static bool plural_next(plural_reader *r, const char *sign) {
    r->s += strspn(r->s, " \t");
    size_t n = strlen(sign);
    if (strncmp(r->s, sign, n) != 0) return false;
    r->s += n;
    return true;
}

static unsigned long long plural_choice(plural_reader *r);

static unsigned long long plural_operand(plural_reader *r) {
    if (r->depth > 50) r->bad = true;
    if (r->bad) return 0;
    unsigned long long v = 0;
    r->depth++;
    if (plural_next(r, "!") && *r->s != '=') v = !plural_operand(r);
    else if (plural_next(r, "(")) {
        v = plural_choice(r);
        if (!plural_next(r, ")")) r->bad = true;
    } else if (plural_next(r, "n")) v = r->n;
    else if (strspn(r->s, digits) && strspn(r->s, digits) < 10)
        v = strtoull(r->s, (char **)&r->s, 10);
    else r->bad = true;
    r->depth--;
    return v;
}

/* The operators of each rank, the weakest first; a longer operator precedes its prefix. */
static const char *const ranks[][5] = {
    {"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}};
enum { RANKS = sizeof ranks / sizeof *ranks };

static unsigned long long plural_apply(plural_reader *r, const char *op, unsigned long long a,
                                       unsigned long long b) {
    bool same = op[1] == '=';
    switch (*op) {
    case '|': return a || b;
    case '&': return a && b;
    case '=': return a == b;
    case '!': return a != b;
    case '<': return same ? a <= b : a < b;
    case '>': return same ? a >= b : a > b;
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    default: break;
    }
    if (!b) r->bad = true;
    return !b ? 0 : *op == '/' ? a / b : a % b;
}

static unsigned long long plural_ranked(plural_reader *r, size_t rank) {
    if (rank == RANKS) return plural_operand(r);
    unsigned long long v = plural_ranked(r, rank + 1);
    for (bool more = true; more && !r->bad;) {
        more = false;
        for (size_t i = 0; i < 5 && ranks[rank][i] && !more; i++) {
            if (!plural_next(r, ranks[rank][i])) continue;
            v = plural_apply(r, ranks[rank][i], v, plural_ranked(r, rank + 1));
            more = true;
        }
    }
    return v;
}

static unsigned long long plural_choice(plural_reader *r) {
    unsigned long long v = plural_ranked(r, 0);
    if (r->bad || !plural_next(r, "?")) return v;
    if (++r->depth > 50) r->bad = true;
    unsigned long long yes = plural_choice(r);
    if (!plural_next(r, ":")) r->bad = true;
    unsigned long long no = plural_choice(r);
    r->depth--;
    return v ? yes : no;
}

static bool rule_of(plural_reader *r, unsigned *forms) {
    if (!plural_next(r, "nplurals") || !plural_next(r, "=")) return false;
    r->s += strspn(r->s, " \t");
    if (*r->s < '1' || *r->s > '6') return false;
    *forms = (unsigned)(*r->s++ - '0');
    return plural_next(r, ";") && plural_next(r, "plural") && plural_next(r, "=");
}

bool lib_plural_read(const char *rule, unsigned *forms) {
    plural_reader r = {.s = rule, .n = 1};
    if (!rule_of(&r, forms)) return false;
    plural_choice(&r);
    plural_next(&r, ";");
    return !r.bad && !r.s[strspn(r.s, " \t")];
}

unsigned lib_plural_form(const char *rule, unsigned long long n) {
    unsigned forms = 1;
    plural_reader r = {.s = rule, .n = n};
    if (!rule_of(&r, &forms)) return 0;
    unsigned long long form = plural_choice(&r);
    return r.bad || form >= forms ? 0 : (unsigned)form;
}
