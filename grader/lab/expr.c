/* Expressions in a lab's declaration: "n", "w * h", "ceil_div(n, 256)".
 *
 * A recursive-descent parser turns the text into postfix code, which is evaluated on a small stack.
 * The parser limits the depth, so the stack has a fixed size. All values are doubles, exact for
 * whole numbers up to 2^53. A larger value is an error, because it could be a wrong size. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/say.h"
#include "grader/lab/inputs.h"
#include "words/lab.h"
#include "words/said.h"

enum { MAX_DEPTH = 32, MAX_OPS = 256, MAX_TEXT = 400 };

typedef enum {
    OP_NUMBER,
    OP_NAME,
    OP_NEG,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_MIN,
    OP_MAX,
    OP_CEIL_DIV,
    OP_CEIL_LOG2
} op_kind;
typedef struct {
    op_kind kind;
    unsigned at; /* where in the text, for messages */
    double number;
    unsigned name_len; /* the name is text[at .. at + name_len) */
} op;

struct grade_expr {
    char *text;
    op *ops;
    size_t count;
};

typedef struct {
    const char *text;
    size_t at;
    op ops[MAX_OPS];
    size_t count;
    unsigned depth;
    lib_message *msg;
} parser;

/* "expected a number in the expression\n  n * + 2\n      ^" */
static bool complain(lib_message *msg, const char *text, size_t at, lib_word_id what) {
    char before[MAX_TEXT + 1];
    memset(before, ' ', sizeof before);
    before[at < MAX_TEXT ? at : MAX_TEXT] = 0;
    lib_message_set(msg, w_lab_expr(what, text, before));
    return false;
}

static void expr_skip(parser *p) {
    while (p->text[p->at] == ' ' || p->text[p->at] == '\t') p->at++;
}

static bool expr_emit(parser *p, op o) {
    if (p->count == MAX_OPS) return complain(p->msg, p->text, o.at, W_LAB_EXPR_OPERATIONS);
    p->ops[p->count++] = o;
    return true;
}

static bool sum(parser *p);

static bool expr_expect(parser *p, char c) {
    expr_skip(p);
    if (p->text[p->at] != c)
        return complain(p->msg, p->text, p->at,
                        c == '('   ? W_LAB_EXPR_OPEN
                        : c == ')' ? W_LAB_EXPR_CLOSE
                                   : W_LAB_EXPR_COMMA);
    p->at++;
    return true;
}

static bool call(parser *p, size_t at, size_t len) {
    static const struct {
        const char *name;
        op_kind kind;
        int args;
    } functions[] = {{"min", OP_MIN, 2},
                     {"max", OP_MAX, 2},
                     {"ceil_div", OP_CEIL_DIV, 2},
                     {"ceil_log2", OP_CEIL_LOG2, 1}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strlen(functions[i].name) != len || memcmp(functions[i].name, p->text + at, len))
            continue;
        if (!expr_expect(p, '(') || !sum(p)) return false;
        for (int a = 1; a < functions[i].args; a++)
            if (!expr_expect(p, ',') || !sum(p)) return false;
        return expr_expect(p, ')') &&
               expr_emit(p, (op){.kind = functions[i].kind, .at = (unsigned)at});
    }
    return complain(p->msg, p->text, at, W_LAB_EXPR_FUNCTION);
}

static bool primary(parser *p) {
    expr_skip(p);
    size_t at = p->at;
    char c = p->text[at];
    if (c == '(') {
        p->at++;
        return sum(p) && expr_expect(p, ')');
    }
    if (isdigit((unsigned char)c) || c == '.') {
        /* strtod is not used because it accepts hexadecimal, "inf" and the locale's comma. */
        size_t end = at;
        while (isdigit((unsigned char)p->text[end])) end++;
        if (p->text[end] == '.')
            for (end++; isdigit((unsigned char)p->text[end]); end++) {
            }
        if ((p->text[end] | 32) == 'e' &&
            isdigit((unsigned char)
                        p->text[end + 1 + (p->text[end + 1] == '+' || p->text[end + 1] == '-')]))
            for (end += 2; isdigit((unsigned char)p->text[end]); end++) {
            }
        char digits[64];
        if (end - at >= sizeof digits || (end - at == 1 && c == '.'))
            return complain(p->msg, p->text, at, W_LAB_EXPR_NUMBER);
        memcpy(digits, p->text + at, end - at);
        digits[end - at] = 0;
        double v = strtod(digits, NULL);
        if (isalpha((unsigned char)p->text[end]) || p->text[end] == '_')
            return complain(p->msg, p->text, end, W_LAB_EXPR_OPERATOR_AFTER_NUMBER);
        if (!(v <= 0x1p53)) return complain(p->msg, p->text, at, W_LAB_EXPR_NUMBER_PAST);
        p->at = end;
        return expr_emit(p, (op){.kind = OP_NUMBER, .at = (unsigned)at, .number = v});
    }
    if (isalpha((unsigned char)c) || c == '_') {
        size_t end = at;
        while (isalnum((unsigned char)p->text[end]) || p->text[end] == '_') end++;
        p->at = end;
        expr_skip(p);
        if (p->text[p->at] == '(') return call(p, at, end - at);
        return expr_emit(
            p, (op){.kind = OP_NAME, .at = (unsigned)at, .name_len = (unsigned)(end - at)});
    }
    return complain(p->msg, p->text, at, c ? W_LAB_EXPR_OPERAND : W_LAB_EXPR_OPERAND_AT_END);
}

static bool unary(parser *p) {
    expr_skip(p);
    size_t at = p->at;
    if (p->text[at] != '-') return primary(p);
    p->at++;
    if (++p->depth > MAX_DEPTH) return complain(p->msg, p->text, at, W_LAB_EXPR_DEEP);
    bool ok = unary(p) && expr_emit(p, (op){.kind = OP_NEG, .at = (unsigned)at});
    p->depth--;
    return ok;
}

static bool product(parser *p) {
    if (!unary(p)) return false;
    for (;;) {
        expr_skip(p);
        size_t at = p->at;
        char c = p->text[at];
        if (c != '*' && c != '/' && c != '%') return true;
        p->at++;
        op_kind kind = c == '*' ? OP_MUL : c == '/' ? OP_DIV : OP_MOD;
        if (!unary(p) || !expr_emit(p, (op){.kind = kind, .at = (unsigned)at})) return false;
    }
}

static bool sum(parser *p) {
    if (++p->depth > MAX_DEPTH) return complain(p->msg, p->text, p->at, W_LAB_EXPR_DEEP);
    if (!product(p)) return false;
    for (;;) {
        expr_skip(p);
        size_t at = p->at;
        char c = p->text[at];
        if (c != '+' && c != '-') break;
        p->at++;
        if (!product(p) ||
            !expr_emit(p, (op){.kind = c == '+' ? OP_ADD : OP_SUB, .at = (unsigned)at}))
            return false;
    }
    p->depth--;
    return true;
}

grade_expr *grade_expr_new(const char *text, lib_message *msg) {
    if (msg) *msg = (lib_message){0};
    if (strlen(text) > MAX_TEXT) {
        complain(msg, "", 0, W_LAB_EXPR_LONG);
        return NULL;
    }
    parser *p = calloc(1, sizeof *p);
    grade_expr *e = NULL;
    if (!p) goto nomem;
    p->text = text;
    p->msg = msg;
    if (!sum(p)) goto out;
    expr_skip(p);
    if (text[p->at]) {
        complain(msg, text, p->at, W_LAB_EXPR_END);
        goto out;
    }
    e = calloc(1, sizeof *e);
    if (!e) goto nomem;
    e->text = strdup(text);
    e->ops = malloc(p->count * sizeof *e->ops);
    if (!e->text || !e->ops) goto nomem;
    memcpy(e->ops, p->ops, p->count * sizeof *e->ops);
    e->count = p->count;
out:
    free(p);
    return e;
nomem:
    lib_message_set(msg, w_said_out_of_memory());
    free(p);
    grade_expr_free(e);
    return NULL;
}

void grade_expr_free(grade_expr *e) {
    if (!e) return;
    free(e->text);
    free(e->ops);
    free(e);
}

static bool whole(double v) {
    return v == trunc(v);
}

/* stack[MAX_OPS] is never exceeded: each op pushes at most one value. */
bool grade_expr_eval(const grade_expr *e, const grade_param *params, size_t n, double *value,
                     lib_message *msg) {
    double stack[MAX_OPS] = {0};
    size_t sp = 0;
    if (msg) *msg = (lib_message){0};
    for (size_t i = 0; i < e->count; i++) {
        const op *o = &e->ops[i];
        double b = sp ? stack[sp - 1] : 0, a = sp > 1 ? stack[sp - 2] : 0, v = 0;
        switch (o->kind) {
        case OP_NUMBER: stack[sp++] = o->number; continue;
        case OP_NAME: {
            size_t k = 0;
            while (k < n && (strlen(params[k].name) != o->name_len ||
                             memcmp(params[k].name, e->text + o->at, o->name_len) != 0))
                k++;
            if (k == n) return complain(msg, e->text, o->at, W_LAB_EXPR_NO_PARAMETER);
            v = params[k].value;
            if (!(fabs(v) <= 0x1p53)) return complain(msg, e->text, o->at, W_LAB_EXPR_VALUE_PAST);
            stack[sp++] = v;
            continue;
        }
        case OP_NEG: stack[sp - 1] = -b; continue;
        case OP_CEIL_LOG2:
            if (!(b >= 1)) return complain(msg, e->text, o->at, W_LAB_EXPR_LOG_BELOW_1);
            for (v = 0; ldexp(1, (int)v) < b;) v++;
            stack[sp - 1] = v;
            continue;
        case OP_ADD: v = a + b; break;
        case OP_SUB: v = a - b; break;
        case OP_MUL: v = a * b; break;
        case OP_DIV:
        case OP_MOD:
        case OP_CEIL_DIV:
            if (b == 0) return complain(msg, e->text, o->at, W_LAB_EXPR_ZERO);
            if (o->kind == OP_DIV) v = whole(a) && whole(b) ? trunc(a / b) : a / b;
            else if (!whole(a) || !whole(b)) return complain(msg, e->text, o->at, W_LAB_EXPR_WHOLE);
            else v = o->kind == OP_MOD ? fmod(a, b) : ceil(a / b);
            break;
        case OP_MIN: v = a < b ? a : b; break;
        case OP_MAX: v = a > b ? a : b; break;
        }
        if (!(fabs(v) <= 0x1p53)) return complain(msg, e->text, o->at, W_LAB_EXPR_VALUE_PAST);
        stack[--sp - 1] = v;
    }
    *value = stack[0] + 0.0;
    return true;
}

bool grade_expr_count(const grade_expr *e, const char *what, const grade_param *params, size_t n,
                      uint64_t *count, lib_message *msg) {
    double v = 0;
    if (e && !grade_expr_eval(e, params, n, &v, msg)) return false;
    if (v < 0 || !whole(v) || v > 0x1p40) {
        lib_message_set(msg, w_lab_count_not_whole(what, v, e ? e->text : ""));
        return false;
    }
    *count = (uint64_t)v;
    return true;
}
