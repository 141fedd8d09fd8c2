/* Scopes, their labels, and the symbols of names. Each scope has one list; a name points at its
 * innermost declaration. */
#include "runner/device/sim/lex/scope.h"
#include <string.h>
#include "runner/device/sim/lex/lex.h"

void ptx_scope_enter(ptx_parser *p) {
    if (p->depth >= PTX_MAX_NESTING)
        ptx_fail(p, &p->tok, "scopes are nested more than %d deep", PTX_MAX_NESTING);
    p->depth++;
    p->scope[p->depth] = NULL;
    p->scope_number[p->depth] = ++p->scopes;
    p->scope_refs[p->depth] = p->refs.count;
    p->scope_call_bytes[p->depth] = p->depth > 1 ? p->scope_call_bytes[p->depth - 1] : 0;
}

/* Labels are local to their scope and may be used before they are declared. So each reference waits
 * for the end of the innermost scope that declares its name. */
static void resolve_labels(ptx_parser *p) {
    ptx_label_ref *refs = p->refs.data;
    size_t keep = p->scope_refs[p->depth];
    for (size_t i = keep; i < p->refs.count; i++) {
        ptx_sym *s = refs[i].name->sym;
        if (!s || s->depth != p->depth || s->kind < PTX_SYM_LABEL) {
            if (p->depth <= 1)
                ptx_fail(p, &refs[i].tok, "no label '%s' in this function", refs[i].name->text);
            refs[keep++] = refs[i];
            continue;
        }
        ptx_opnd *o = refs[i].opnd;
        if (!o) {
            if (s->kind == PTX_SYM_LABEL) *refs[i].slot = s->count;
            else
                ptx_fail(p, &refs[i].tok,
                         "expected the label of an instruction, '%s' names a directive",
                         s->name->text);
        } else if (o->kind == PTX_OPND_LABEL && s->kind == PTX_SYM_LABEL) {
            o->target = s->count;
        } else if (o->kind == PTX_OPND_LABELS && s->kind == PTX_SYM_TARGETS && !s->func) {
            o->labels = s->labels;
            o->offset = s->count;
            p->brx_edges += s->count;
            if (p->brx_edges > PTX_MAX_BRX)
                ptx_fail(p, &refs[i].tok, "more than %d successors of brx.idx in one function",
                         PTX_MAX_BRX);
        } else if (o->kind == PTX_OPND_PROTO &&
                   (s->kind == PTX_SYM_PROTO || s->kind == PTX_SYM_TARGETS) && s->func) {
            o->func = s->func;
        } else {
            ptx_fail(p, &refs[i].tok, "'%s' is not %s", s->name->text,
                     o->kind == PTX_OPND_LABEL ? "the label of an instruction"
                     : o->kind == PTX_OPND_LABELS
                         ? "the label of a .branchtargets list"
                         : "the label of a .callprototype or .calltargets");
        }
    }
    p->refs.count = keep;
}

void ptx_scope_leave(ptx_parser *p) {
    resolve_labels(p);
    for (ptx_sym *s = p->scope[p->depth]; s; s = s->sibling) {
        if (s->kind == PTX_SYM_RANGE) s->name->range = s->outer;
        else s->name->sym = s->outer;
    }
    p->depth--;
}

ptx_sym *ptx_declare_at(ptx_parser *p, ptx_name *name, ptx_sym_kind kind, unsigned depth) {
    ptx_sym *s = ptx_get(p, sizeof *s);
    s->name = name;
    s->kind = (uint8_t)kind;
    s->depth = (uint16_t)depth;
    s->reg = -1;
    s->sibling = p->scope[depth];
    p->scope[depth] = s;
    ptx_sym **head = kind == PTX_SYM_RANGE ? &name->range : &name->sym;
    s->outer = *head;
    *head = s;
    return s;
}

/* %r12 -> %r and 12; %r01 does not belong to %r<..>. */
static void split_name(ptx_parser *p, ptx_name *n) {
    n->split = true;
    uint32_t digits = 0;
    while (digits < n->len && digits < 10 && n->text[n->len - digits - 1] >= '0' &&
           n->text[n->len - digits - 1] <= '9')
        digits++;
    if (!digits || digits > 9 || digits == n->len ||
        (digits > 1 && n->text[n->len - digits] == '0'))
        return;
    uint32_t v = 0;
    for (uint32_t i = n->len - digits; i < n->len; i++) v = v * 10 + (uint32_t)(n->text[i] - '0');
    n->number = v;
    n->prefix = ptx_intern(p, n->text, n->len - digits);
}

/* Returns whether this scope has a register range that contains the name, or, for a range, a name
 * that the range contains. The module's own names are not registers. */
static bool meets_range(ptx_parser *p, ptx_name *n, ptx_sym_kind kind, uint32_t count) {
    if (kind == PTX_SYM_LABEL || kind == PTX_SYM_TARGETS || kind == PTX_SYM_PROTO || !p->depth)
        return false;
    uint32_t scope = p->scope_number[p->depth];
    if (kind == PTX_SYM_RANGE) return n->scope_of_least == scope && n->least < count;
    if (!n->split) split_name(p, n);
    if (!n->prefix) return false;
    const ptx_sym *r = n->prefix->range;
    if (r && r->depth == p->depth && n->number < r->count) return true;
    if (n->prefix->scope_of_least != scope || n->number < n->prefix->least)
        n->prefix->least = n->number;
    n->prefix->scope_of_least = scope;
    return false;
}

static ptx_sym *declare(ptx_parser *p, const ptx_token *at, ptx_name *name, ptx_sym_kind kind,
                        uint32_t count) {
    const ptx_sym *old = kind == PTX_SYM_RANGE ? name->range : name->sym;
    if ((old && old->depth == p->depth) || meets_range(p, name, kind, count))
        ptx_fail(p, at, "'%s' is declared twice in this scope", name->text);
    if (name->len == 1 && name->text[0] == '_') ptx_fail(p, at, "'_' cannot be declared");
    ptx_sym *s = ptx_declare_at(p, name, kind, p->depth);
    s->count = count;
    return s;
}
ptx_sym *ptx_declare(ptx_parser *p, const ptx_token *at, ptx_name *name, ptx_sym_kind kind) {
    return declare(p, at, name, kind, 0);
}
ptx_sym *ptx_declare_range(ptx_parser *p, const ptx_token *at, ptx_name *name, uint32_t count) {
    return declare(p, at, name, PTX_SYM_RANGE, count);
}

ptx_sym *ptx_lookup(ptx_parser *p, ptx_name *n) {
    if (!n->split) split_name(p, n);
    ptx_sym *s = n->sym;
    if (!n->prefix) return s;
    for (ptx_sym *r = n->prefix->range; r && (!s || r->depth > s->depth); r = r->outer) {
        if (n->number >= r->count) continue;
        s = ptx_declare_at(p, n, PTX_SYM_REG, r->depth);
        s->type = r->type;
        s->vec = r->vec;
        break;
    }
    return s;
}

int32_t ptx_use_reg(ptx_parser *p, const ptx_token *at, ptx_sym *s) {
    if (s->reg >= 0) return s->reg;
    if (p->reg_types.count + s->vec > PTX_MAX_REGS)
        ptx_fail(p, at, "more than %d registers in one function", PTX_MAX_REGS);
    s->reg = (int32_t)p->reg_types.count;
    for (unsigned i = 0; i < s->vec; i++) {
        *(uint8_t *)ptx_push(p, &p->reg_types, 1) = s->type;
        const char *name = s->name->text;
        if (s->vec > 1) {
            char *t = ptx_get(p, s->name->len + 3u);
            memcpy(t, name, s->name->len);
            t[s->name->len] = '.';
            t[s->name->len + 1] = "xyzw"[i];
            name = t;
        }
        ptx_push_pointer(p, &p->reg_names, name);
    }
    return s->reg;
}
