/* Variables and values: where DWARF places a variable, its contents, and their text in C. See
 * debug.h. */
#include "runner/device/sim/debug/debug_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_STRIPS = 64, MOST_SHOWN = 32 };

const dwarf *debug_dwarf(sim_debug *d) {
    const sim_module *m = d->run ? d->run->image->owner : NULL;
    if (m && m != d->module) {
        dwarf_free(d->dwarf);
        d->dwarf = dwarf_new(m->text, m->text_len);
        d->module = m;
    }
    return d->dwarf;
}

bool sim_debug_has_variables(const sim_debug *d) {
    return d->dwarf && d->dwarf->count;
}

/* ---- types ---- */

uint32_t debug_type_strip(const dwarf *w, uint32_t type) {
    for (unsigned k = 0; type != DWARF_NONE && k < MOST_STRIPS; k++) {
        uint16_t tag = w->dies[type].tag;
        if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type)
            return type;
        type = w->dies[type].type;
    }
    return DWARF_NONE;
}

static bool type_is(const dwarf *w, uint32_t type, uint16_t tag) {
    return type != DWARF_NONE && w->dies[type].tag == tag;
}

static bool type_is_struct(const dwarf *w, uint32_t type) {
    return type_is(w, type, DW_TAG_structure_type) || type_is(w, type, DW_TAG_class_type) ||
           type_is(w, type, DW_TAG_union_type);
}

/* Returns the number of elements in dimension `dim` of an array; with dim UINT32_MAX, the number of
 * dimensions. */
static uint64_t type_elements(const dwarf *w, uint32_t array, unsigned dim) {
    unsigned k = 0;
    for (uint32_t i = array + 1; i < w->dies[array].end; i++)
        if (w->dies[i].tag == DW_TAG_subrange_type && w->dies[i].parent == array && k++ == dim)
            return w->dies[i].count;
    return dim == UINT32_MAX ? k : 0;
}

static uint64_t type_bytes(const dwarf *w, uint32_t type, unsigned depth) {
    type = debug_type_strip(w, type);
    if (type == DWARF_NONE || depth > MOST_STRIPS) return 0;
    const dwarf_die *o = &w->dies[type];
    if (o->tag == DW_TAG_pointer_type || o->tag == DW_TAG_reference_type) return 8;
    if (o->tag != DW_TAG_array_type) return o->size;
    uint64_t n = type_bytes(w, o->type, depth + 1), dims = type_elements(w, type, UINT32_MAX);
    for (unsigned k = 0; k < dims && k < 8; k++) n *= type_elements(w, type, k);
    return n;
}

uint64_t debug_type_bytes(const dwarf *w, uint32_t type, unsigned stars) {
    return stars ? 8 : w ? type_bytes(w, type, 0) : 0;
}

static void type_kind(const dwarf *w, uint32_t type, unsigned stars, sim_value *v) {
    v->stars = (uint8_t)stars;
    v->type = type == DWARF_NONE ? -1 : (int32_t)type;
    v->bytes = (unsigned)debug_type_bytes(w, type, stars);
    uint32_t t = stars ? DWARF_NONE : debug_type_strip(w, type);
    v->kind = SIM_VALUE_OTHER;
    if (stars || type_is(w, t, DW_TAG_pointer_type) || type_is(w, t, DW_TAG_reference_type))
        v->kind = SIM_VALUE_POINTER;
    else if (type_is(w, t, DW_TAG_enumeration_type)) v->kind = SIM_VALUE_INT;
    else if (type_is(w, t, DW_TAG_base_type)) {
        uint8_t e = w->dies[t].encoding;
        v->kind = e == DW_ATE_float                               ? SIM_VALUE_FLOAT
                  : e == DW_ATE_signed || e == DW_ATE_signed_char ? SIM_VALUE_INT
                                                                  : SIM_VALUE_UINT;
    }
    /* The size in its entry is not trusted. */
    if (!v->bytes || v->bytes > 8) v->kind = SIM_VALUE_OTHER;
}

/* Makes a scalar of these bits. */
bool debug_value_bits(sim_value *v, uint64_t bits) {
    unsigned n = v->bytes;
    if (v->kind == SIM_VALUE_OTHER || !n || n > 8) return v->kind == SIM_VALUE_OTHER;
    if (n < 8) bits &= (1ull << 8 * n) - 1;
    v->v.u = bits;
    if (v->kind == SIM_VALUE_INT) v->v.i = (int64_t)(bits << (64 - 8 * n)) >> (64 - 8 * n);
    if (v->kind == SIM_VALUE_FLOAT) {
        uint32_t word = (uint32_t)bits;
        float f;
        memcpy(&f, &word, sizeof f);
        if (n == 4) v->v.f = (double)f;
        else if (n == 8) memcpy(&v->v.f, &bits, sizeof bits);
        else return false;
    }
    return true;
}

bool debug_value_of_bits(const sim_debug *d, uint64_t bits, uint32_t type, sim_value *v) {
    *v = (sim_value){0};
    type_kind(d->dwarf, type, 0, v);
    return v->kind != SIM_VALUE_OTHER && debug_value_bits(v, bits);
}

bool debug_value_at(const sim_debug *d, unsigned lane, sim_addr at, uint32_t type, unsigned stars,
                    sim_value *v) {
    *v = (sim_value){0};
    type_kind(d->dwarf, type, stars, v);
    v->address = at;
    if (v->kind == SIM_VALUE_OTHER) return v->bytes != 0;
    uint64_t bits = 0;
    return debug_read(d, lane, at, &bits, v->bytes) && debug_value_bits(v, bits);
}

bool debug_value_true(const sim_value *v) {
    return v->kind == SIM_VALUE_FLOAT ? v->v.f != 0 : v->kind == SIM_VALUE_OTHER || v->v.u != 0;
}

/* ---- variables ---- */

/* 0x257231 is %r1. */
static bool register_named(const debug_here *h, uint64_t code, unsigned lane, uint64_t *bits) {
    char name[9] = {0};
    unsigned n = 0;
    for (int shift = 56; shift >= 0; shift -= 8)
        if (code >> shift & 255) name[n++] = (char)(code >> shift & 255);
    for (uint32_t r = 0; h->warp && r < h->func->ptx->reg_count; r++)
        if (!strcmp(h->func->ptx->reg_name[r], name)) return debug_register(h, r, lane, bits);
    return false;
}

static const ptx_var *var_named(const ptx_var *v, size_t n, const char *name) {
    for (size_t k = 0; k < n; k++)
        if (!strcmp(v[k].name, name)) return &v[k];
    return NULL;
}

/* Returns the generic address of a variable's symbol. */
static sim_addr symbol_address(const sim_debug *d, const debug_here *h, const char *symbol) {
    const ptx_func *f = h->func->ptx;
    const ptx_var *v = var_named(f->params, f->param_count, symbol);
    if (v) return (f->entry ? SIM_PARAM_WINDOW : SIM_FRAME_WINDOW) + v->offset;
    if (h->frame && (v = var_named(f->locals, f->local_count, symbol)))
        return SIM_LOCAL_WINDOW + h->frame->local_base + v->offset;
    sim_addr a = debug_shared_var(d, symbol);
    if (a) return d->block ? a : 0;
    return sim_module_name(d->module, symbol, &a) ? a : 0;
}

bool debug_variable(const sim_debug *d, const debug_here *h, unsigned lane, uint32_t die,
                    sim_value *v) {
    const dwarf *w = d->dwarf;
    const dwarf_die *o = &w->dies[die];
    uint32_t line = h->insn < h->func->ptx->insn_count ? h->func->ptx->insns[h->insn].ptx_line : 0;
    size_t n, at;
    dwarf_section_id section;
    const uint8_t *start = dwarf_location(w, o, line, &n, &section, &at), *p = start;
    if (!start || !n) return false;
    const uint8_t *end = start + n;
    uint8_t op = *p++;
    if (op == DW_OP_regx) {
        uint64_t code = dwarf_uleb(&p, end), bits;
        return p == end && register_named(h, code, lane, &bits) &&
               debug_value_of_bits(d, bits, o->type, v);
    }
    if (op != DW_OP_addr || end - p < 8) return false;
    uint64_t addend;
    const char *symbol = dwarf_text_symbol(&w->text, section, at + (size_t)(p - start), &addend);
    sim_addr a = symbol ? symbol_address(d, h, symbol) : 0;
    if (!a) return false;
    a += addend;
    p += 8;
    if (p < end && *p == DW_OP_plus_uconst) {
        p++;
        a += dwarf_uleb(&p, end);
    }
    return debug_value_at(d, lane, a, o->type, 0, v);
}

/* Returns whether the entry and all its parents up to the function contain the line. */
static bool variable_seen(const dwarf *w, uint32_t die, uint32_t function, uint32_t line,
                          unsigned *depth) {
    *depth = 0;
    for (uint32_t k = w->dies[die].parent; k != DWARF_NONE && k != function;
         k = w->dies[k].parent) {
        const dwarf_die *o = &w->dies[k];
        ++*depth;
        if (o->tag == DW_TAG_lexical_block || o->tag == DW_TAG_inlined_subroutine) {
            if (o->low && (line < o->low || line >= o->high)) return false;
        } else {
            return false;
        }
    }
    return true;
}

static bool is_variable(const dwarf_die *o) {
    return o->tag == DW_TAG_variable || o->tag == DW_TAG_formal_parameter;
}

static uint32_t here_line(const debug_here *h) {
    const ptx_func *f = h->func->ptx;
    return h->insn < f->insn_count ? f->insns[h->insn].ptx_line : f->ptx_line;
}

uint32_t debug_find_variable(const sim_debug *d, const debug_here *h, const char *name) {
    const dwarf *w = d->dwarf;
    uint32_t best = DWARF_NONE;
    unsigned best_depth = 0, depth;
    if (!w) return DWARF_NONE;
    uint32_t line = h->func ? here_line(h) : 0,
             function = h->func ? dwarf_function_at(w, line) : DWARF_NONE;
    for (uint32_t k = function; function != DWARF_NONE && k < w->dies[function].end; k++) {
        if (!is_variable(&w->dies[k]) || strcmp(w->dies[k].name, name)) continue;
        if (!variable_seen(w, k, function, line, &depth)) continue;
        if (best == DWARF_NONE || depth >= best_depth) best = k, best_depth = depth;
    }
    if (best != DWARF_NONE) return best;
    for (uint32_t k = 0; k < w->count; k++) {
        const dwarf_die *o = &w->dies[k];
        if (o->tag == DW_TAG_variable && o->has_location && !strcmp(o->name, name) &&
            (o->parent == DWARF_NONE || w->dies[o->parent].tag == DW_TAG_compile_unit))
            return k;
    }
    return DWARF_NONE;
}

void sim_debug_each_variable(const sim_debug *d, sim_vars which,
                             void (*fn)(void *user, const char *name, const sim_value *v),
                             void *user) {
    const dwarf *w = d->dwarf;
    debug_here h;
    if (!w || !d->run) return;
    if (!debug_scope(d, &h)) h = (debug_here){.func = &d->image->funcs[0]};
    uint32_t line = here_line(&h), function = dwarf_function_at(w, line);
    bool globals = which == SIM_VARS_GLOBALS;
    uint32_t from = globals ? 0 : function, to = globals                  ? (uint32_t)w->count
                                                 : function == DWARF_NONE ? 0
                                                                          : w->dies[function].end;
    for (uint32_t k = from; k < to; k++) {
        const dwarf_die *o = &w->dies[k];
        unsigned depth;
        bool unit = o->parent == DWARF_NONE || w->dies[o->parent].tag == DW_TAG_compile_unit;
        if (!is_variable(o) || !*o->name || unit != globals) continue;
        bool parameter = o->tag == DW_TAG_formal_parameter, shared = o->space == DWARF_IN_SHARED;
        sim_vars is = globals     ? SIM_VARS_GLOBALS
                      : shared    ? SIM_VARS_SHARED
                      : parameter ? SIM_VARS_PARAMETERS
                                  : SIM_VARS_LOCALS;
        if (is != which || (!globals && !variable_seen(w, k, function, line, &depth))) continue;
        if (debug_find_variable(d, &h, o->name) != k) continue; /* another one hides it */
        sim_value v;
        bool there = debug_variable(d, &h, debug_lane_of_focus(d), k, &v);
        if (there || !globals) fn(user, o->name, there ? &v : NULL);
    }
}

/* ---- parts ---- */

static size_t struct_parts(const sim_debug *d, unsigned lane, const sim_value *v, uint32_t type,
                           size_t first, size_t most,
                           void (*fn)(void *, const char *, const sim_value *), void *user) {
    const dwarf *w = d->dwarf;
    size_t n = 0;
    for (uint32_t k = type + 1; k < w->dies[type].end; k++) {
        const dwarf_die *o = &w->dies[k];
        if (o->parent != type || (o->tag != DW_TAG_member && o->tag != DW_TAG_inheritance))
            continue;
        /* the caller only needs to know that there are more */
        if (n > first && n - first > most) break;
        sim_value part;
        if (n >= first && n - first < most &&
            debug_value_at(d, lane, v->address + o->member, o->type, 0, &part))
            fn(user, *o->name ? o->name : "<base>", &part);
        n++;
    }
    return n;
}

/* Arrays of several dimensions become one flat list. */
static size_t array_parts(const sim_debug *d, unsigned lane, const sim_value *v, uint32_t type,
                          size_t first, size_t most,
                          void (*fn)(void *, const char *, const sim_value *), void *user) {
    const dwarf *w = d->dwarf;
    uint64_t bytes = debug_type_bytes(w, w->dies[type].type, 0), n = bytes ? v->bytes / bytes : 0;
    for (size_t k = first; k < n && k - first < most; k++) {
        char name[32];
        sim_value part;
        snprintf(name, sizeof name, "[%zu]", k);
        if (!debug_value_at(d, lane, v->address + k * bytes, w->dies[type].type, 0, &part)) break;
        fn(user, name, &part);
    }
    return n;
}

size_t sim_debug_parts(const sim_debug *d, int lane, const sim_value *v, size_t first, size_t most,
                       void (*fn)(void *user, const char *name, const sim_value *part),
                       void *user) {
    unsigned l = lane < 0 ? debug_lane_of_focus(d) : (unsigned)lane;
    const dwarf *w = d->dwarf;
    if (!w || v->type < 0 || v->stars || !v->address) return 0;
    uint32_t t = debug_type_strip(w, (uint32_t)v->type);
    if (type_is_struct(w, t)) return struct_parts(d, l, v, t, first, most, fn, user);
    if (type_is(w, t, DW_TAG_array_type)) return array_parts(d, l, v, t, first, most, fn, user);
    return 0;
}

/* ---- text ---- */

typedef struct {
    const sim_debug *d;
    unsigned lane, depth;
    char *text;
    size_t n, at;
    bool first, names;
} value_text;

static void text_add(value_text *o, const char *s) {
    size_t n = strlen(s);
    if (o->at + n >= o->n) n = o->at + 1 < o->n ? o->n - o->at - 1 : 0;
    memcpy(o->text + o->at, s, n);
    o->at += n;
    o->text[o->at] = 0;
}

static void text_value(value_text *o, const sim_value *v);

static void text_part(void *user, const char *name, const sim_value *v) {
    value_text *o = user;
    if (o->at + 1 >= o->n) return;
    if (!o->first) text_add(o, ", ");
    if (*name != '[') {
        text_add(o, name);
        text_add(o, " = ");
    }
    text_value(o, v);
    o->first = false;
}

static const char *enumerator(const dwarf *w, uint32_t type, int64_t value) {
    for (uint32_t k = type + 1; k < w->dies[type].end; k++)
        if (w->dies[k].tag == DW_TAG_enumerator && w->dies[k].value == value)
            return w->dies[k].name;
    return NULL;
}

static void text_scalar(value_text *o, const sim_value *v) {
    char s[64];
    const dwarf *w = o->d->dwarf;
    uint32_t t =
        w && v->type >= 0 && !v->stars ? debug_type_strip(w, (uint32_t)v->type) : DWARF_NONE;
    const char *name = type_is(w, t, DW_TAG_enumeration_type) ? enumerator(w, t, v->v.i) : NULL;
    bool boolean = type_is(w, t, DW_TAG_base_type) && w->dies[t].encoding == DW_ATE_boolean;
    if (name) snprintf(s, sizeof s, "%.60s", name);
    else if (boolean) snprintf(s, sizeof s, "%s", v->v.u ? "true" : "false");
    else if (v->kind == SIM_VALUE_POINTER) snprintf(s, sizeof s, "0x%" PRIx64, v->v.u);
    else if (v->kind == SIM_VALUE_FLOAT)
        snprintf(s, sizeof s, "%.*g", v->bytes == 8 ? 17 : 9, v->v.f);
    else if (v->kind == SIM_VALUE_INT) snprintf(s, sizeof s, "%" PRId64, v->v.i);
    else snprintf(s, sizeof s, "%" PRIu64, v->v.u);
    bool is_float = v->kind == SIM_VALUE_FLOAT && isfinite(v->v.f),
         whole = is_float && v->v.f == trunc(v->v.f) && fabs(v->v.f) < 1e9;
    if (whole) snprintf(s, sizeof s, "%.0f", v->v.f);
    /* 0.1f is 0.1, not 0.100000001 */
    if (is_float && !whole)
        for (int digits = 6; digits < (v->bytes == 8 ? 17 : 9); digits++) {
            char shorter[64];
            double back = 0;
            snprintf(shorter, sizeof shorter, "%.*g", digits, v->v.f);
            if (sscanf(shorter, "%lf", &back) != 1) break;
            if (v->bytes == 8 ? back != v->v.f : (float)back != (float)v->v.f) continue;
            snprintf(s, sizeof s, "%s", shorter);
            break;
        }
    text_add(o, s);
}

static void text_value(value_text *o, const sim_value *v) {
    if (v->kind != SIM_VALUE_OTHER) {
        text_scalar(o, v);
        return;
    }
    if (++o->depth > 4) {
        text_add(o, "{...}");
    } else {
        bool first = o->first;
        text_add(o, "{");
        o->first = true;
        size_t n = sim_debug_parts(o->d, (int)o->lane, v, 0, MOST_SHOWN, text_part, o);
        text_add(o, n > MOST_SHOWN ? ", ...}" : "}");
        o->first = first;
    }
    o->depth--;
}

void sim_debug_value_text(const sim_debug *d, int lane, const sim_value *v, char *text, size_t n) {
    value_text o = {
        .d = d, .lane = lane < 0 ? debug_lane_of_focus(d) : (unsigned)lane, .text = text, .n = n};
    if (!n) return;
    *text = 0;
    text_value(&o, v);
}

static void type_text(value_text *o, const dwarf *w, uint32_t type, unsigned depth) {
    if (type == DWARF_NONE || depth > 16) {
        text_add(o, "void");
        return;
    }
    const dwarf_die *t = &w->dies[type];
    switch (t->tag) {
    case DW_TAG_const_type:
        if (type_is(w, t->type, DW_TAG_pointer_type)) { /* the pointer itself, not its target */
            type_text(o, w, t->type, depth + 1);
            text_add(o, "const");
            break;
        }
        text_add(o, "const "); /* fall through */
    case DW_TAG_volatile_type: type_text(o, w, t->type, depth + 1); break;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
        type_text(o, w, t->type, depth + 1);
        text_add(o, t->tag == DW_TAG_pointer_type ? " *" : " &");
        break;
    case DW_TAG_array_type: {
        char s[32];
        type_text(o, w, t->type, depth + 1);
        uint64_t dims = type_elements(w, type, UINT32_MAX);
        for (unsigned k = 0; k < dims && k < 8; k++) {
            snprintf(s, sizeof s, "[%" PRIu64 "]", type_elements(w, type, k));
            text_add(o, s);
        }
        break;
    }
    default: text_add(o, *t->name ? t->name : "?"); break;
    }
}

void sim_debug_type_text(const sim_debug *d, const sim_value *v, char *text, size_t n) {
    static const char *const kinds[] = {"int", "unsigned", "double", "void *", "?"};
    value_text o = {.d = d, .text = text, .n = n};
    if (!n) return;
    *text = 0;
    if (v->type >= 0 && d->dwarf) type_text(&o, d->dwarf, (uint32_t)v->type, 0);
    else if (v->stars) text_add(&o, "void");
    else text_add(&o, kinds[v->kind]);
    for (unsigned k = 0; k < v->stars; k++) text_add(&o, k ? "*" : " *");
}
