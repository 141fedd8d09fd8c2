/* The debug sections of a PTX text as bytes, and the lines of its labels. See dwarf.h.
 *
 * Outside of sections, only lines that begin with a label matter. Sections have .b8, .b16, .b32,
 * .b64 with numbers and symbols (which may have an addend, or another symbol subtracted), and
 * labels; parse/section.c checks the text for this. The values of labels in sections are known at
 * the end. */
#include "runner/device/sim/debug/dwarf.h"
#include "runner/base/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 64 << 20, MOST_BYTES = 64 << 20, MOST_LABELS = 1 << 22 };
#define NO_NAME UINT32_MAX

static bool text_grow(dwarf_text *t, void *array, size_t *cap, size_t need, size_t size,
                      size_t most) {
    if (need <= *cap) return true;
    if (need <= most && lib_grow_to(array, cap, need, size, 256)) return true;
    t->failed = true;
    return false;
}

static uint32_t text_name(dwarf_text *t, const char *s, size_t n) {
    if (!text_grow(t, &t->names, &t->name_cap, t->name_bytes + n + 1, 1, MOST_NAMES)) return 0;
    uint32_t at = (uint32_t)t->name_bytes;
    memcpy(t->names + at, s, n);
    t->names[at + n] = 0;
    t->name_bytes += n + 1;
    return at;
}

static void text_label(dwarf_text *t, dwarf_label **list, size_t *count, size_t *cap, const char *s,
                       size_t n, uint32_t line) {
    if (!text_grow(t, list, cap, *count + 1, sizeof **list, MOST_LABELS)) return;
    uint32_t name = text_name(t, s, n);
    if (!t->failed) (*list)[(*count)++] = (dwarf_label){name, line};
}

static bool text_is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%' || c == '.';
}
static const char *text_word(const char *p, const char *end) {
    while (p < end && text_is_name(*p)) p++;
    return p;
}
static const char *text_blanks(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    return p;
}
static bool text_is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* ---- data ---- */

static void section_put(dwarf_text *t, dwarf_section *s, uint64_t v, unsigned bytes) {
    if (!text_grow(t, &s->bytes, &s->cap, s->n + bytes, 1, MOST_BYTES)) return;
    for (unsigned i = 0; i < bytes; i++) s->bytes[s->n++] = (uint8_t)(v >> 8 * i);
}

/* Reads a number as PTX writes it: 10, 0x1F, 017, 0b11, with or without a U. */
static uint64_t text_number(const char **p, const char *end) {
    bool minus = *p < end && **p == '-';
    uint64_t v = 0;
    if (minus) *p = text_blanks(*p + 1, end);
    unsigned base = 10;
    if (end - *p > 1 && **p == '0') {
        char c = (*p)[1];
        base = c == 'x' || c == 'X' ? 16 : c == 'b' || c == 'B' ? 2 : text_is_digit(c) ? 8 : 10;
        if (base == 16 || base == 2) *p += 2;
    }
    for (; *p < end; ++*p) {
        char c = **p;
        unsigned digit = text_is_digit(c)       ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : 99;
        if (digit >= base) break;
        v = v * base + digit;
    }
    if (*p < end && **p == 'U') ++*p;
    return minus ? -v : v;
}

/* Reads the value of a symbol that begins at start and whose name ends at *p, with an addend or a
 * subtracted symbol. */
static void text_symbol(dwarf_text *t, dwarf_section *s, const char *start, const char **p,
                        const char *end, unsigned bytes) {
    dwarf_fix f = {.at = (uint32_t)s->n, .less = NO_NAME, .bytes = bytes};
    f.name = text_name(t, start, (size_t)(*p - start));
    const char *q = text_blanks(*p, end);
    if (q < end && (*q == '+' || *q == '-')) {
        bool minus = *q == '-';
        q = text_blanks(q + 1, end);
        *p = text_word(q, end);
        if (minus && *p > q && !text_is_digit(*q)) {
            f.less = text_name(t, q, (size_t)(*p - q));
        } else {
            *p = q;
            f.addend = text_number(p, end);
            if (minus) f.addend = -f.addend;
        }
    }
    if (!text_grow(t, &s->fixes, &s->fix_cap, s->fix_count + 1, sizeof *s->fixes, MOST_BYTES))
        return;
    s->fixes[s->fix_count++] = f;
    section_put(t, s, f.addend, bytes);
}

/* Returns the bytes of a .b8, .b16, .b32, .b64; 0: another word. */
static unsigned text_kind(const char *word, size_t n) {
    static const char *const kinds[] = {".b8", ".b16", ".b32", ".b64"};
    for (unsigned k = 0; k < 4; k++)
        if (strlen(kinds[k]) == n && !memcmp(kinds[k], word, n)) return 1u << k;
    return 0;
}

/* Reads the data on a line of a section. *bytes: size of each value, from the last .bN on. Returns
 * false at the end of the section. */
static bool text_data(dwarf_text *t, dwarf_section *s, const char *p, const char *end,
                      unsigned *bytes) {
    while (p < end && !t->failed && *p != '/') { /* a comment */
        const char *start = p;
        if (*p == '}') return false;
        if (text_is_digit(*p) || *p == '-') {
            uint64_t v = text_number(&p, end);
            if (s && *bytes) section_put(t, s, v, *bytes);
            continue;
        }
        if ((p = text_word(p, end)) == start) {
            p++; /* a blank, a comma, or something unknown */
            continue;
        }
        unsigned kind = text_kind(start, (size_t)(p - start));
        const char *q = text_blanks(p, end);
        if (kind) *bytes = kind;
        else if (q < end && *q == ':') {
            if (s)
                text_label(t, &t->places, &t->place_count, &t->place_cap, start,
                           (size_t)(p - start), (uint32_t)s->n);
            p = q + 1;
        } else if (s && *bytes) {
            text_symbol(t, s, start, &p, end, *bytes);
        }
    }
    return true;
}

/* ---- lines ---- */

/* Returns the section that begins on the line, whose name ends at *end_of_name; NULL: a section
 * that is not needed. */
static dwarf_section *text_section(dwarf_text *t, const char *p, const char *end,
                                   const char **end_of_name) {
    static const char *const names[DWARF_SECTIONS] = {".debug_info", ".debug_abbrev", ".debug_loc"};
    const char *start = text_blanks(p + 8, end);
    *end_of_name = p = text_word(start, end);
    for (unsigned k = 0; k < DWARF_SECTIONS; k++)
        if (strlen(names[k]) == (size_t)(p - start) &&
            !memcmp(names[k], start, (size_t)(p - start)))
            return &t->section[k];
    return NULL;
}

static int text_by_name(const void *a, const void *b, void *names) {
    const dwarf_label *x = a, *y = b;
    return strcmp((const char *)names + x->name, (const char *)names + y->name);
}

/* Finds one of n labels by name. */
static const dwarf_label *text_find(const dwarf_text *t, const dwarf_label *labels, size_t n,
                                    const char *name) {
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        int c = strcmp(t->names + labels[mid].name, name);
        if (!c) return &labels[mid];
        if (c < 0) lo = mid + 1;
        else hi = mid;
    }
    return NULL;
}

/* Fills in the values of labels in sections. */
static void text_resolve(dwarf_text *t, dwarf_section *s) {
    for (size_t k = 0; k < s->fix_count; k++) {
        const dwarf_fix *f = &s->fixes[k];
        const dwarf_label *x = text_find(t, t->places, t->place_count, t->names + f->name),
                          *less = f->less == NO_NAME
                                      ? NULL
                                      : text_find(t, t->places, t->place_count, t->names + f->less);
        if (!x || (f->less != NO_NAME && !less)) continue;
        uint64_t v = x->line + f->addend - (less ? less->line : 0);
        for (unsigned i = 0; i < f->bytes; i++) s->bytes[f->at + i] = (uint8_t)(v >> 8 * i);
    }
}

void dwarf_text_read(dwarf_text *t, const char *ptx, size_t n) {
    const char *end = ptx + n;
    uint32_t line = 1;
    unsigned bytes = 0;
    bool in_section = false;
    dwarf_section *s = NULL;
    for (const char *p = ptx; p < end && !t->failed; line++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop) stop = end;
        const char *q = text_blanks(p, stop);
        if (stop - q > 8 && !memcmp(q, ".section", 8)) {
            s = text_section(t, q, stop, &q);
            in_section = true;
            bytes = 0;
        }
        if (in_section) {
            in_section = text_data(t, s, q, stop, &bytes);
        } else if (q < stop && *q == '$') {
            const char *e = text_word(q, stop);
            if (e < stop && *e == ':')
                text_label(t, &t->labels, &t->label_count, &t->label_cap, q, (size_t)(e - q), line);
        }
        p = stop + (stop < end);
        if (stop == end) break;
    }
    if (t->label_count)
        qsort_r(t->labels, t->label_count, sizeof *t->labels, text_by_name, t->names);
    if (t->place_count)
        qsort_r(t->places, t->place_count, sizeof *t->places, text_by_name, t->names);
    for (unsigned k = 0; k < DWARF_SECTIONS && !t->failed; k++) text_resolve(t, &t->section[k]);
}

void dwarf_text_free(dwarf_text *t) {
    for (unsigned k = 0; k < DWARF_SECTIONS; k++) {
        free(t->section[k].bytes);
        free(t->section[k].fixes);
    }
    free(t->names);
    free(t->labels);
    free(t->places);
}

const char *dwarf_text_symbol(const dwarf_text *t, dwarf_section_id id, size_t at,
                              uint64_t *addend) {
    const dwarf_section *s = &t->section[id];
    size_t lo = 0, hi = s->fix_count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (s->fixes[mid].at < at) lo = mid + 1;
        else hi = mid;
    }
    if (lo == s->fix_count || s->fixes[lo].at != at || s->fixes[lo].less != NO_NAME) return NULL;
    *addend = s->fixes[lo].addend;
    return t->names + s->fixes[lo].name;
}

uint32_t dwarf_text_line(const dwarf_text *t, const char *label) {
    const dwarf_label *x = text_find(t, t->labels, t->label_count, label);
    return x ? x->line : 0;
}
