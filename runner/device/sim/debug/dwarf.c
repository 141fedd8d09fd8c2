/* Reads the entries of .debug_info once into an array. See dwarf.h.
 *
 *   abbreviations of the unit --> for each entry its attributes --> dwarf_die
 *   references to other entries are offsets at first, and become indices at the end */
#include "runner/device/sim/debug/dwarf.h"
#include "runner/base/buffer.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_DIES = 1 << 22,
    MOST_DEPTH = 256,
    MOST_ATTRIBUTES = 64,
    MOST_ABBREVS = 1 << 14,
    SEARCHED_ABBREVS = 256,
    HEADER_BYTES = 11
};

uint64_t dwarf_uleb(const uint8_t **p, const uint8_t *end) {
    uint64_t v = 0;
    for (unsigned shift = 0; *p < end; shift += 7) {
        uint8_t b = *(*p)++;
        if (shift < 64) v |= (uint64_t)(b & 127) << shift;
        if (!(b & 128)) break;
    }
    return v;
}

static int64_t dwarf_sleb(const uint8_t **p, const uint8_t *end) {
    uint64_t v = 0;
    unsigned shift = 0;
    uint8_t b = 0;
    while (*p < end) {
        b = *(*p)++;
        if (shift < 64) v |= (uint64_t)(b & 127) << shift;
        shift += 7;
        if (!(b & 128)) break;
    }
    if (shift < 64 && b & 64) v |= ~(uint64_t)0 << shift;
    return (int64_t)v;
}

static uint64_t dwarf_fixed(const uint8_t **p, const uint8_t *end, unsigned n) {
    uint64_t v = 0;
    for (unsigned k = 0; k < n && *p < end; k++) v |= (uint64_t) * (*p)++ << 8 * k;
    return v;
}

/* ---- abbreviations ---- */

typedef struct {
    uint64_t code;
    uint16_t tag;
    bool children;
    uint32_t from; /* its attributes, in .debug_abbrev */
} abbrev;
typedef struct {
    abbrev *at;
    size_t n;
} abbrevs;

static bool abbrevs_read(abbrevs *a, const dwarf_section *s, size_t from) {
    const uint8_t *p = s->bytes + from, *end = s->bytes + s->n;
    size_t cap = 0;
    while (p < end) {
        uint64_t code = dwarf_uleb(&p, end);
        if (!code) return true;
        if (a->n == MOST_ABBREVS) return false;
        if (!lib_grow(&a->at, &cap, a->n, sizeof *a->at, 64)) return false;
        abbrev *x = &a->at[a->n++];
        x->code = code;
        x->tag = (uint16_t)dwarf_uleb(&p, end);
        x->children = p < end && *p++;
        x->from = (uint32_t)(p - s->bytes);
        while (p < end) {
            uint64_t name = dwarf_uleb(&p, end), form = dwarf_uleb(&p, end);
            if (!name && !form) break;
        }
    }
    return true;
}

static const abbrev *abbrev_find(const abbrevs *a, uint64_t code) {
    if (code - 1 < a->n && a->at[code - 1].code == code) return &a->at[code - 1];
    /* nvcc counts from 1. Others need not, but searching thousands of abbreviations would take too
     * long */
    for (size_t k = 0; k < a->n && k < SEARCHED_ABBREVS; k++)
        if (a->at[k].code == code) return &a->at[k];
    return NULL;
}

/* ---- an entry ---- */

typedef struct {
    dwarf *d;
    const dwarf_section *info;
    const uint8_t *p, *end; /* of the unit */
    size_t unit;            /* its offset */
    abbrevs abbrevs;
} die_reader;

/* An attribute's value, interpreted by its form. */
typedef struct {
    uint64_t n;
    int64_t i;
    const char *text;
    const char *symbol; /* ADDR, DATA4, DATA8: the symbol there */
    uint32_t at;        /* offset of the value in .debug_info */
    uint32_t block_bytes;
    bool block;
} attribute;

static bool read_block(die_reader *r, uint64_t n, attribute *a) {
    if (n > (uint64_t)(r->end - r->p)) return false;
    a->block = true;
    a->at = (uint32_t)(r->p - r->info->bytes);
    a->block_bytes = (uint32_t)n;
    r->p += n;
    return true;
}

static bool read_form(die_reader *r, uint64_t form, attribute *a) {
    *a = (attribute){.text = "", .at = (uint32_t)(r->p - r->info->bytes)};
    uint64_t addend;
    switch (form) {
    case DW_FORM_addr:
    case DW_FORM_data8:
    case DW_FORM_ref8:
        a->symbol = dwarf_text_symbol(&r->d->text, DWARF_INFO, a->at, &addend);
        a->n = dwarf_fixed(&r->p, r->end, 8);
        break;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_addr:
    case DW_FORM_strp:
        a->symbol = dwarf_text_symbol(&r->d->text, DWARF_INFO, a->at, &addend);
        a->n = dwarf_fixed(&r->p, r->end, 4);
        break;
    case DW_FORM_data2:
    case DW_FORM_ref2: a->n = dwarf_fixed(&r->p, r->end, 2); break;
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag: a->n = dwarf_fixed(&r->p, r->end, 1); break;
    case DW_FORM_sdata:
        a->i = dwarf_sleb(&r->p, r->end);
        a->n = (uint64_t)a->i;
        return true;
    case DW_FORM_udata:
    case DW_FORM_ref_udata: a->n = dwarf_uleb(&r->p, r->end); break;
    case DW_FORM_string: {
        const uint8_t *zero = memchr(r->p, 0, (size_t)(r->end - r->p));
        if (!zero) return false;
        a->text = (const char *)r->p;
        r->p = zero + 1;
        return true;
    }
    case DW_FORM_block: return read_block(r, dwarf_uleb(&r->p, r->end), a);
    case DW_FORM_block1: return read_block(r, dwarf_fixed(&r->p, r->end, 1), a);
    case DW_FORM_block2: return read_block(r, dwarf_fixed(&r->p, r->end, 2), a);
    case DW_FORM_block4: return read_block(r, dwarf_fixed(&r->p, r->end, 4), a);
    default: return false; /* a later DWARF form, whose length is unknown */
    }
    a->i = (int64_t)a->n;
    return true;
}

/* DW_OP_plus_uconst N, or a plain number. */
static uint64_t member_offset(const die_reader *r, const attribute *a) {
    if (!a->block) return a->n;
    const uint8_t *p = r->info->bytes + a->at, *end = p + a->block_bytes;
    if (p == end || *p++ != DW_OP_plus_uconst) return 0;
    return dwarf_uleb(&p, end);
}

static void take_attribute(const die_reader *r, dwarf_die *o, uint64_t name, uint64_t form,
                           const attribute *a) {
    bool reference = form >= DW_FORM_ref_addr && form <= DW_FORM_ref_udata;
    uint32_t target = (uint32_t)(a->n + (form == DW_FORM_ref_addr ? 0 : r->unit));
    switch (name) {
    case DW_AT_name: o->name = a->text; break;
    case DW_AT_byte_size: o->size = a->n; break;
    case DW_AT_encoding: o->encoding = (uint8_t)a->n; break;
    case DW_AT_address_class: o->space = (uint8_t)a->n; break;
    case DW_AT_count: o->count = a->n; break;
    case DW_AT_upper_bound: o->count = a->block ? 0 : a->n + 1; break;
    case DW_AT_const_value: o->value = a->i; break;
    case DW_AT_declaration: o->declared = a->n != 0; break;
    case DW_AT_data_member_location: o->member = member_offset(r, a); break;
    case DW_AT_low_pc: o->low = a->symbol ? dwarf_text_line(&r->d->text, a->symbol) : 0; break;
    case DW_AT_high_pc: o->high = a->symbol ? dwarf_text_line(&r->d->text, a->symbol) : 0; break;
    case DW_AT_type:
        if (reference) o->type = target;
        break;
    case DW_AT_abstract_origin:
    case DW_AT_specification:
        if (reference) o->origin = target;
        break;
    case DW_AT_location:
        o->has_location = true;
        o->location_list = !a->block;
        o->location = a->block ? a->at : (uint32_t)a->n;
        o->location_bytes = a->block_bytes;
        break;
    default: break;
    }
}

static dwarf_die *die_add(dwarf *d) {
    if (d->count == MOST_DIES || !lib_grow(&d->dies, &d->cap, d->count, sizeof *d->dies, 256))
        return NULL;
    dwarf_die *o = &d->dies[d->count++];
    *o = (dwarf_die){.name = "", .type = DWARF_NONE, .origin = DWARF_NONE, .parent = DWARF_NONE};
    return o;
}

static bool read_die(die_reader *r, uint64_t code, size_t at, uint32_t parent, bool *children) {
    const abbrev *x = abbrev_find(&r->abbrevs, code);
    dwarf_die *o = x ? die_add(r->d) : NULL;
    if (!o) return false;
    const dwarf_section *s = &r->d->text.section[DWARF_ABBREV];
    const uint8_t *p = s->bytes + x->from, *end = s->bytes + s->n;
    o->offset = (uint32_t)at;
    o->tag = x->tag;
    o->parent = parent;
    o->end = (uint32_t)r->d->count;
    *children = x->children;
    for (unsigned k = 0; p < end && k < MOST_ATTRIBUTES; k++) {
        attribute a;
        uint64_t name = dwarf_uleb(&p, end), form = dwarf_uleb(&p, end);
        if (!name && !form) return true;
        if (!read_form(r, form, &a)) return false;
        take_attribute(r, o, name, form, &a);
    }
    return false;
}

static bool read_unit(die_reader *r) {
    uint32_t parents[MOST_DEPTH];
    unsigned depth = 0;
    while (r->p < r->end) {
        size_t at = (size_t)(r->p - r->info->bytes);
        uint64_t code = dwarf_uleb(&r->p, r->end);
        if (!code) {
            if (!depth) continue;
            r->d->dies[parents[--depth]].end = (uint32_t)r->d->count;
            continue;
        }
        bool children;
        uint32_t index = (uint32_t)r->d->count;
        if (!read_die(r, code, at, depth ? parents[depth - 1] : DWARF_NONE, &children)) break;
        if (!children) continue;
        if (depth == MOST_DEPTH) break;
        parents[depth++] = index;
    }
    while (depth) r->d->dies[parents[--depth]].end = (uint32_t)r->d->count;
    return r->p >= r->end;
}

/* ---- the whole ---- */

static uint32_t die_at(const dwarf *d, uint32_t offset) {
    size_t lo = 0, hi = d->count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (d->dies[mid].offset < offset) lo = mid + 1;
        else hi = mid;
    }
    return lo < d->count && d->dies[lo].offset == offset ? (uint32_t)lo : DWARF_NONE;
}

static void link_dies(dwarf *d) {
    for (size_t k = 0; k < d->count; k++) {
        dwarf_die *o = &d->dies[k];
        if (o->type != DWARF_NONE) o->type = die_at(d, o->type);
        if (o->origin != DWARF_NONE) o->origin = die_at(d, o->origin);
    }
    for (size_t k = 0; k < d->count; k++) {
        dwarf_die *o = &d->dies[k];
        if (o->origin == DWARF_NONE) continue;
        const dwarf_die *from = &d->dies[o->origin];
        if (!*o->name) o->name = from->name;
        if (o->type == DWARF_NONE) o->type = from->type;
    }
}

/* Every stop asks for places, and few of the entries are functions. */
static void list_functions(dwarf *d) {
    size_t n = 0;
    for (size_t k = 0; k < d->count; k++)
        n += d->dies[k].tag == DW_TAG_subprogram && d->dies[k].low;
    d->functions = calloc(n + 1, sizeof *d->functions);
    for (size_t k = 0; d->functions && k < d->count; k++)
        if (d->dies[k].tag == DW_TAG_subprogram && d->dies[k].low)
            d->functions[d->function_count++] = (uint32_t)k;
}

dwarf *dwarf_new(const char *ptx, size_t n) {
    dwarf *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    dwarf_text_read(&d->text, ptx, n);
    const dwarf_section *info = &d->text.section[DWARF_INFO], *ab = &d->text.section[DWARF_ABBREV];
    if (d->text.failed) return d;
    for (size_t at = 0; at + HEADER_BYTES <= info->n;) {
        const uint8_t *p = info->bytes + at, *end = info->bytes + info->n;
        uint64_t bytes = dwarf_fixed(&p, end, 4), version = dwarf_fixed(&p, end, 2),
                 abbrev_at = dwarf_fixed(&p, end, 4), address = dwarf_fixed(&p, end, 1);
        if (version < 2 || version > 4 || address != 8 || abbrev_at >= ab->n) break;
        if (bytes > info->n - at - 4) bytes = info->n - at - 4;
        die_reader r = {
            .d = d, .info = info, .p = p, .end = info->bytes + at + 4 + bytes, .unit = at};
        bool ok = abbrevs_read(&r.abbrevs, ab, abbrev_at) && read_unit(&r);
        free(r.abbrevs.at);
        if (!ok) break;
        at += 4 + bytes;
    }
    link_dies(d);
    list_functions(d);
    return d;
}

void dwarf_free(dwarf *d) {
    if (!d) return;
    dwarf_text_free(&d->text);
    free(d->dies);
    free(d->functions);
    free(d);
}

/* ---- questions ---- */

static uint64_t location_word(const dwarf *d, size_t at, bool *label) {
    const dwarf_section *s = &d->text.section[DWARF_LOC];
    const uint8_t *p = s->bytes + at;
    uint64_t addend;
    const char *symbol = dwarf_text_symbol(&d->text, DWARF_LOC, at, &addend);
    *label = symbol != NULL;
    return symbol ? dwarf_text_line(&d->text, symbol) : dwarf_fixed(&p, s->bytes + s->n, 8);
}

const uint8_t *dwarf_location(const dwarf *d, const dwarf_die *v, uint32_t line, size_t *n,
                              dwarf_section_id *section, size_t *at) {
    if (!v->has_location) return NULL;
    if (!v->location_list) {
        *section = DWARF_INFO;
        *at = v->location;
        *n = v->location_bytes;
        return d->text.section[DWARF_INFO].bytes + v->location;
    }
    const dwarf_section *s = &d->text.section[DWARF_LOC];
    for (size_t k = v->location; k + 18 <= s->n;) {
        bool from_label, to_label;
        uint64_t from = location_word(d, k, &from_label), to = location_word(d, k + 8, &to_label);
        if (!from_label && !to_label && !from && !to) return NULL;
        size_t bytes = s->bytes[k + 16] | (size_t)s->bytes[k + 17] << 8;
        if (bytes > s->n - k - 18) return NULL;
        if (from <= line && line < to) {
            *section = DWARF_LOC;
            *at = k + 18;
            *n = bytes;
            return s->bytes + k + 18;
        }
        k += 18 + bytes;
    }
    return NULL;
}

uint32_t dwarf_function_at(const dwarf *d, uint32_t line) {
    for (size_t k = 0; k < d->function_count; k++) {
        const dwarf_die *o = &d->dies[d->functions[k]];
        if (o->low <= line && line < o->high) return d->functions[k];
    }
    return DWARF_NONE;
}
