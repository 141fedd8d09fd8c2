/* See po.h. */
#include "runner/base/words/po.h"

#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"

/* The target of the next string. */
typedef enum { AT_NOTHING, AT_ID, AT_PLURAL, AT_FORM } po_place;

typedef struct {
    lib_po *po;
    lib_po_error *e;
    unsigned line;
    /* of the row being read */
    bool begun, plural, fuzzy, has_form[LIB_PO_FORMS];
    unsigned id_line, form;
    po_place at;
    lib_buffer id, forms[LIB_PO_FORMS], notes, other;
} po_reader;

static bool po_wrong(po_reader *r, const char *what) {
    *r->e = (lib_po_error){what, r->line};
    return false;
}

/* ---- a row ---- */

static void row_clear(po_reader *r) {
    lib_buffer_free(&r->id);
    lib_buffer_free(&r->notes);
    lib_buffer_free(&r->other);
    for (size_t i = 0; i < LIB_PO_FORMS; i++) lib_buffer_free(&r->forms[i]);
    memset(r->has_form, 0, sizeof r->has_form);
    r->begun = r->plural = r->fuzzy = false;
    r->at = AT_NOTHING;
}

static char *buffer_text(lib_buffer *b) {
    lib_buffer_puts(b, "");
    return lib_buffer_take(b);
}

static void row_free(lib_po_row *row) {
    free(row->id);
    free(row->notes);
    for (size_t i = 0; i < LIB_PO_FORMS; i++) free(row->form[i]);
}

static bool row_take(po_reader *r) {
    if (!r->begun) return true; /* only comments */
    if (!r->has_form[0]) return po_wrong(r, "a row has no msgstr");
    lib_po *po = r->po;
    if (!r->id.n) { /* the header */
        if (po->header) return po_wrong(r, "there are two headers (msgid \"\")");
        po->header = buffer_text(&r->forms[0]);
        row_clear(r);
        return po->header || po_wrong(r, "out of memory");
    }
    if (po->n == LIB_PO_ROWS) return po_wrong(r, "there are too many rows");
    if (!lib_grow(&po->rows, &po->room, po->n, sizeof *po->rows, 256))
        return po_wrong(r, "out of memory");
    lib_po_row row = {.plural = r->plural, .fuzzy = r->fuzzy, .line = r->id_line};
    row.id = buffer_text(&r->id);
    row.notes = buffer_text(&r->notes);
    bool whole = row.id && row.notes;
    for (; row.forms < LIB_PO_FORMS && r->has_form[row.forms]; row.forms++) {
        row.form[row.forms] = buffer_text(&r->forms[row.forms]);
        whole = whole && row.form[row.forms];
    }
    row_clear(r);
    if (!whole) {
        row_free(&row);
        return po_wrong(r, "out of memory");
    }
    po->rows[po->n++] = row;
    return true;
}

/* ---- a line ---- */

static lib_buffer *string_place(po_reader *r) {
    switch (r->at) {
    case AT_ID: return &r->id;
    case AT_PLURAL: return &r->other;
    case AT_FORM: return &r->forms[r->form];
    case AT_NOTHING: break;
    }
    return NULL;
}

/* Reads "..." with nothing after it, into the present string. */
static bool read_string(po_reader *r, const char *s, const char *end) {
    lib_buffer *b = string_place(r);
    if (!b) return po_wrong(r, "a string belongs to nothing");
    if (s == end || *s++ != '"') return po_wrong(r, "a string has to begin with a quotation mark");
    for (; s < end && *s != '"'; s++) {
        char c = *s;
        if (c == '\\') {
            static const char from[] = "nt\\\"", to[] = "\n\t\\\"";
            const char *known = ++s < end && *s ? strchr(from, *s) : NULL;
            if (!known)
                return po_wrong(r, "only \\n, \\t, \\\\ and \\\" are known behind a backslash");
            c = to[known - from];
        }
        lib_buffer_add(b, &c, 1);
        if (b->n > LIB_PO_STRING) return po_wrong(r, "a string is too long");
    }
    if (s == end) return po_wrong(r, "a string has no closing quotation mark");
    for (s++; s < end; s++)
        if (*s != ' ' && *s != '\t') return po_wrong(r, "something stands behind a string");
    return !b->failed || po_wrong(r, "out of memory");
}

/* Skips the word at s and the blanks after it. */
static bool keyword(const char **s, const char *end, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(end - *s) < n || memcmp(*s, word, n) != 0) return false;
    *s += n;
    while (*s < end && (**s == ' ' || **s == '\t')) ++*s;
    return true;
}

static bool begin_form(po_reader *r, unsigned form) {
    if (!r->begun) return po_wrong(r, "msgstr has no msgid above it");
    if (form >= LIB_PO_FORMS) return po_wrong(r, "there are too many plural forms");
    if (r->has_form[form] || (form && !r->has_form[form - 1]))
        return po_wrong(r, "plural forms are not numbered 0, 1 and so on");
    r->has_form[form] = true;
    r->form = form;
    r->at = AT_FORM;
    return true;
}

static bool read_keyword(po_reader *r, const char *s, const char *end) {
    if (keyword(&s, end, "msgid_plural")) {
        if (r->at != AT_ID) return po_wrong(r, "msgid_plural has no msgid above it");
        r->plural = true;
        r->at = AT_PLURAL;
    } else if (keyword(&s, end, "msgid")) {
        if (!row_take(r)) return false;
        r->begun = true;
        r->id_line = r->line;
        r->at = AT_ID;
    } else if (keyword(&s, end, "msgstr[")) {
        if (s == end || *s < '0' || *s > '9') return po_wrong(r, "a plural form has no number");
        unsigned form = (unsigned)(*s++ - '0');
        if (!r->plural) return po_wrong(r, "msgstr with a number has no msgid_plural above it");
        if (!keyword(&s, end, "]")) return po_wrong(r, "a plural form has no number");
        if (!begin_form(r, form)) return false;
    } else if (keyword(&s, end, "msgstr")) {
        if (r->plural) return po_wrong(r, "a row with msgid_plural needs msgstr[0]");
        if (!begin_form(r, 0)) return false;
    } else if (s < end && *s != '"') {
        return po_wrong(r,
                        "a line begins with neither msgid, msgid_plural, msgstr, # nor a string");
    }
    return read_string(r, s, end);
}

static bool read_comment(po_reader *r, const char *s, const char *end) {
    size_t n = (size_t)(end - s);
    if (n > 1 && s[1] == '~') return true; /* an obsolete row */
    /* The comments of a row come before it. */
    if (r->at == AT_FORM && !row_take(r)) return false;
    if (n > 1 && s[1] == '.') {
        s += n > 2 && s[2] == ' ' ? 3 : 2;
        lib_buffer_add(&r->notes, s, (size_t)(end - s));
        lib_buffer_puts(&r->notes, "\n");
        if (r->notes.n > LIB_PO_STRING) return po_wrong(r, "a note is too long");
    } else if (n > 1 && s[1] == ',') {
        for (; s + 5 <= end; s++) r->fuzzy = r->fuzzy || !memcmp(s, "fuzzy", 5);
    }
    return true;
}

/* ---- a file ---- */

/* Returns the length of the UTF-8 character at s; 0: invalid. */
static size_t utf8_length(const unsigned char *s, size_t n) {
    if (s[0] < 0x80) return s[0] != 0;
    size_t length = s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
    if (!length || length > n) return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
        (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))
        return 0;
    return length;
}

static bool line_is_utf8(po_reader *r, const char *s, const char *end) {
    while (s < end) {
        size_t n = utf8_length((const unsigned char *)s, (size_t)(end - s));
        if (!n) return po_wrong(r, "a line is not UTF-8");
        s += n;
    }
    return true;
}

static bool read_lines(po_reader *r, const char *text, size_t n) {
    const char *end = text + n, *next;
    if (n > LIB_PO_BYTES) return po_wrong(r, "the file is too long");
    for (const char *s = text; s < end; s = next) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        next = stop ? stop + 1 : end;
        if (!stop) stop = end;
        if (stop > s && stop[-1] == '\r') stop--;
        r->line++;
        if (!line_is_utf8(r, s, stop)) return false;
        while (s < stop && (*s == ' ' || *s == '\t')) s++;
        if (s == stop) continue;
        if (*s == '#' ? !read_comment(r, s, stop) : !read_keyword(r, s, stop)) return false;
    }
    return row_take(r);
}

static int by_id(const void *a, const void *b) {
    const lib_po_row *x = *(const lib_po_row *const *)a, *y = *(const lib_po_row *const *)b;
    int order = strcmp(x->id, y->id);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static bool no_twins(po_reader *r) {
    const lib_po *po = r->po;
    const lib_po_row **sorted = malloc((po->n + 1) * sizeof(*sorted));
    if (!sorted) return po_wrong(r, "out of memory");
    for (size_t i = 0; i < po->n; i++) sorted[i] = &po->rows[i];
    qsort(sorted, po->n, sizeof(*sorted), by_id);
    bool ok = true;
    for (size_t i = 1; ok && i < po->n; i++) {
        if (strcmp(sorted[i - 1]->id, sorted[i]->id) != 0) continue;
        r->line = sorted[i]->line;
        ok = po_wrong(r, "a row is there twice");
    }
    free(sorted);
    return ok;
}

bool lib_po_read(lib_po *po, const char *text, size_t n, lib_po_error *e) {
    *po = (lib_po){0};
    *e = (lib_po_error){0};
    po_reader r = {.po = po, .e = e};
    bool ok = read_lines(&r, text, n) && no_twins(&r);
    row_clear(&r);
    if (!ok) lib_po_free(po);
    return ok;
}

void lib_po_free(lib_po *po) {
    for (size_t i = 0; i < po->n; i++) row_free(&po->rows[i]);
    free(po->rows);
    free(po->header);
    *po = (lib_po){0};
}

char *lib_po_header(const lib_po *po, const char *name) {
    size_t n = strlen(name);
    for (const char *s = po->header; s && *s;) {
        size_t length = strcspn(s, "\n");
        if (length > n && !memcmp(s, name, n) && s[n] == ':') {
            s += n + 1, length -= n + 1;
            while (length && *s == ' ') s++, length--;
            return strndup(s, length);
        }
        s += length + (s[length] == '\n');
    }
    return NULL;
}
