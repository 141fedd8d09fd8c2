/* The debug sections of a PTX text as bytes, and where its labels stand. See dwarf.h.
 *
 * Outside of sections only lines that begin with a label are of interest. In them stand
 * .b8, .b16, .b32, .b64 with numbers, labels and symbols, which may have an addend. */
#include "runner/sim/debug/dwarf.h"
#include "runner/base/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 64 << 20, MOST_BYTES = 64 << 20, MOST_LABELS = 1 << 22 };

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

static void text_label(dwarf_text *t, const char *s, size_t n, uint32_t line) {
    if (!text_grow(t, &t->labels, &t->label_cap, t->label_count + 1, sizeof *t->labels,
                   MOST_LABELS))
        return;
    uint32_t name = text_name(t, s, n);
    if (!t->failed) t->labels[t->label_count++] = (dwarf_label){name, line};
}

static bool text_is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%' || c == '.';
}

/* ---- data ---- */

static void text_put(dwarf_text *t, dwarf_section *s, uint64_t v, unsigned bytes) {
    if (!text_grow(t, &s->bytes, &s->cap, s->n + bytes, 1, MOST_BYTES)) return;
    for (unsigned i = 0; i < bytes; i++) s->bytes[s->n++] = (uint8_t)(v >> 8 * i);
}

static uint64_t text_number(const char **p, const char *end) {
    bool minus = *p < end && **p == '-';
    uint64_t v = 0;
    if (minus) ++*p;
    bool hex = end - *p > 2 && (*p)[0] == '0' && ((*p)[1] == 'x' || (*p)[1] == 'X');
    if (hex) *p += 2;
    for (; *p < end; ++*p) {
        char c = **p;
        unsigned digit = c >= '0' && c <= '9'          ? (unsigned)(c - '0')
                         : hex && c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : hex && c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                       : 99;
        if (digit == 99) break;
        v = v * (hex ? 16 : 10) + digit;
    }
    return minus ? -v : v;
}

/* One value of a .bN: a number, or a symbol with or without an addend. */
static void text_value(dwarf_text *t, dwarf_section *s, const char **p, const char *end,
                       unsigned bytes) {
    const char *start = *p;
    if (start < end && ((*start >= '0' && *start <= '9') || *start == '-')) {
        text_put(t, s, text_number(p, end), bytes);
        return;
    }
    while (*p < end && text_is_name(**p)) ++*p;
    if (*p == start) {
        ++*p; /* a blank, a comma, or nothing that one knows */
        return;
    }
    size_t n = (size_t)(*p - start);
    uint64_t addend = 0;
    if (*p < end && (**p == '+' || **p == '-')) {
        if (**p == '+') ++*p;
        addend = text_number(p, end);
    }
    if (!text_grow(t, &s->fixes, &s->fix_cap, s->fix_count + 1, sizeof *s->fixes, MOST_BYTES))
        return;
    s->fixes[s->fix_count++] = (dwarf_fix){(uint32_t)s->n, text_name(t, start, n), addend};
    text_put(t, s, addend, bytes);
}

static void text_data(dwarf_text *t, dwarf_section *s, const char *p, const char *end) {
    unsigned bits = 0;
    for (p += 2; p < end && *p >= '0' && *p <= '9' && bits < 100; p++)
        bits = bits * 10 + (unsigned)(*p - '0');
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return;
    while (p < end && !t->failed) {
        if (*p == '/') return; /* a comment */
        text_value(t, s, &p, end, bits / 8);
    }
}

/* ---- lines ---- */

static dwarf_section *text_section(dwarf_text *t, const char *p, const char *end) {
    static const char *const names[DWARF_SECTIONS] = {".debug_info", ".debug_abbrev", ".debug_loc"};
    for (p += 8; p < end && (*p == ' ' || *p == '\t'); p++) {
    }
    const char *start = p;
    while (p < end && text_is_name(*p)) p++;
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

void dwarf_text_read(dwarf_text *t, const char *ptx, size_t n) {
    const char *end = ptx + n;
    uint32_t line = 1;
    bool in_section = false;
    dwarf_section *s = NULL;
    for (const char *p = ptx; p < end && !t->failed; line++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        if (!stop) stop = end;
        const char *q = p;
        while (q < stop && (*q == ' ' || *q == '\t')) q++;
        if (stop - q > 8 && !memcmp(q, ".section", 8)) {
            s = text_section(t, q, stop);
            in_section = true;
        } else if (in_section && q < stop && *q == '}') {
            in_section = false;
        } else if (in_section) {
            if (s && stop - q > 2 && q[0] == '.' && q[1] == 'b') text_data(t, s, q, stop);
        } else if (q < stop && *q == '$') {
            const char *e = q;
            while (e < stop && text_is_name(*e)) e++;
            if (e < stop && *e == ':') text_label(t, q, (size_t)(e - q), line);
        }
        p = stop + (stop < end);
        if (stop == end) break;
    }
    if (t->label_count)
        qsort_r(t->labels, t->label_count, sizeof *t->labels, text_by_name, t->names);
}

void dwarf_text_free(dwarf_text *t) {
    for (unsigned k = 0; k < DWARF_SECTIONS; k++) {
        free(t->section[k].bytes);
        free(t->section[k].fixes);
    }
    free(t->names);
    free(t->labels);
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
    if (lo == s->fix_count || s->fixes[lo].at != at) return NULL;
    *addend = s->fixes[lo].addend;
    return t->names + s->fixes[lo].name;
}

uint32_t dwarf_text_line(const dwarf_text *t, const char *label) {
    size_t lo = 0, hi = t->label_count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        int c = strcmp(t->names + t->labels[mid].name, label);
        if (!c) return t->labels[mid].line;
        if (c < 0) lo = mid + 1;
        else hi = mid;
    }
    return 0;
}
