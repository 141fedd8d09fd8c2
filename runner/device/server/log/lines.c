/* Line tables of a program. See lines.h.
 *
 *   ELF --> .debug_line, and the strings that its headers name
 *       --> a unit: its files, then its program, which makes rows of (address, file, line)
 *       --> the row that contains an address */
#include "runner/device/server/log/lines.h"
#include "runner/base/file.h"
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/log.h"

#include <dwarf.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30, MOST_FORMS = 16, MOST_FILES = 1 << 16, ROWS = 32, FAR_BYTES = 256 };

typedef struct {
    const uint8_t *at, *end;
} lines_bytes;
struct dev_lines {
    char *image;
    size_t n;
    lines_bytes line, strings, line_strings;
};

/* ---- bytes: after the end, zeros are read ---- */

static uint64_t line_number(lines_bytes *b, unsigned n) {
    uint64_t v = 0;
    for (unsigned k = 0; k < n; k++)
        if (b->at < b->end) v |= (uint64_t)*b->at++ << 8 * k;
    return v;
}
static uint64_t line_uleb(lines_bytes *b) {
    uint64_t v = 0;
    for (unsigned shift = 0; b->at < b->end; shift += 7) {
        uint8_t byte = *b->at++;
        if (shift < 64) v |= (uint64_t)(byte & 127) << shift;
        if (!(byte & 128)) break;
    }
    return v;
}
static int64_t line_sleb(lines_bytes *b) {
    uint64_t v = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    while (b->at < b->end) {
        byte = *b->at++;
        if (shift < 64) v |= (uint64_t)(byte & 127) << shift;
        shift += 7;
        if (!(byte & 128)) break;
    }
    if (shift < 64 && byte & 64) v |= ~UINT64_C(0) << shift;
    return (int64_t)v;
}
static lines_bytes line_block(lines_bytes *b, uint64_t n) {
    uint64_t left = (uint64_t)(b->end - b->at);
    lines_bytes part = {b->at, b->at + (n < left ? n : left)};
    b->at = part.end;
    return part;
}
static const char *line_text(lines_bytes *b) {
    const uint8_t *zero = b->at < b->end ? memchr(b->at, 0, (size_t)(b->end - b->at)) : NULL;
    const char *text = zero ? (const char *)b->at : "";
    b->at = zero ? zero + 1 : b->end;
    return text;
}
static const char *text_at(lines_bytes in, uint64_t offset) {
    if (offset >= (uint64_t)(in.end - in.at)) return "";
    in.at += offset;
    return line_text(&in);
}

/* ---- the file ---- */

static lines_bytes section_bytes(const dev_lines *l, const Elf64_Shdr *s) {
    const uint8_t *image = (const uint8_t *)l->image;
    bool fits = s->sh_type != SHT_NOBITS && !(s->sh_flags & SHF_COMPRESSED) &&
                s->sh_offset <= l->n && s->sh_size <= l->n - s->sh_offset;
    return fits ? (lines_bytes){image + s->sh_offset, image + s->sh_offset + s->sh_size}
                : (lines_bytes){image, image};
}

static bool lines_sections(dev_lines *l) {
    Elf64_Ehdr h;
    Elf64_Shdr s;
    if (l->n < sizeof h) return false;
    memcpy(&h, l->image, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_shentsize != sizeof s || h.e_shoff > l->n ||
        (l->n - h.e_shoff) / sizeof s < h.e_shnum || h.e_shstrndx >= h.e_shnum)
        return false;
    memcpy(&s, l->image + h.e_shoff + h.e_shstrndx * sizeof s, sizeof s);
    lines_bytes names = section_bytes(l, &s);
    l->line = l->strings = l->line_strings = (lines_bytes){names.at, names.at};
    for (unsigned k = 0; k < h.e_shnum; k++) {
        memcpy(&s, l->image + h.e_shoff + k * sizeof s, sizeof s);
        const char *name = text_at(names, s.sh_name);
        lines_bytes *to = !strcmp(name, ".debug_line")       ? &l->line
                          : !strcmp(name, ".debug_str")      ? &l->strings
                          : !strcmp(name, ".debug_line_str") ? &l->line_strings
                                                             : NULL;
        if (to) *to = section_bytes(l, &s);
    }
    return l->line.at < l->line.end;
}

dev_lines *dev_lines_new(const char *path) {
    lib_message ignored;
    dev_lines *l = calloc(1, sizeof *l);
    if (l && (l->image = lib_read_file(path, MOST_BYTES, &l->n, &ignored)) && lines_sections(l))
        return l;
    dev_lines_free(l);
    return NULL;
}

void dev_lines_free(dev_lines *l) {
    if (l) free(l->image);
    free(l);
}

/* ---- a unit's header ---- */

typedef struct {
    const dev_lines *l;
    lines_bytes program, files; /* files: before DWARF 5 the list, otherwise the entries */
    unsigned version, least, range, first_special, address_bytes;
    bool wide, statement;
    int line_base;
    uint8_t lengths[256]; /* of the operands of standard operations */
    unsigned forms;
    uint64_t form[MOST_FORMS][2]; /* content, form */
    uint64_t file_count;
} lines_unit;

/* One attribute of a file's entry: a text, or a number that is not needed. */
static const char *line_form(const lines_unit *u, lines_bytes *b, uint64_t form) {
    unsigned offset = u->wide ? 8 : 4;
    switch (form) {
    case DW_FORM_string: return line_text(b);
    case DW_FORM_line_strp: return text_at(u->l->line_strings, line_number(b, offset));
    case DW_FORM_strp: return text_at(u->l->strings, line_number(b, offset));
    case DW_FORM_udata: line_uleb(b); break;
    case DW_FORM_data1: line_number(b, 1); break;
    case DW_FORM_data2: line_number(b, 2); break;
    case DW_FORM_data4: line_number(b, 4); break;
    case DW_FORM_data8: line_number(b, 8); break;
    case DW_FORM_data16: line_block(b, 16); break;
    case DW_FORM_block: line_block(b, line_uleb(b)); break;
    default: b->at = b->end; break;
    }
    return "";
}

static uint64_t line_forms(lines_unit *u, lines_bytes *b) {
    u->forms = (unsigned)line_number(b, 1);
    if (u->forms > MOST_FORMS) u->forms = 0, b->at = b->end;
    for (unsigned k = 0; k < u->forms; k++) {
        u->form[k][0] = line_uleb(b);
        u->form[k][1] = line_uleb(b);
    }
    uint64_t n = line_uleb(b);
    return n < MOST_FILES ? n : 0;
}

static void unit_files(lines_unit *u, lines_bytes b) {
    if (u->version < 5) {
        while (*line_text(&b)) {
        } /* folders */
        u->files = b;
        return;
    }
    uint64_t folders = line_forms(u, &b);
    for (uint64_t f = 0; f < folders && b.at < b.end; f++)
        for (unsigned k = 0; k < u->forms; k++) line_form(u, &b, u->form[k][1]);
    u->file_count = line_forms(u, &b);
    u->files = b;
}

/* Returns the next unit of `all`; false: there is none, or it is not understood. */
static bool unit_next(const dev_lines *l, lines_bytes *all, lines_unit *u) {
    memset(u, 0, sizeof *u);
    u->l = l;
    uint64_t n = line_number(all, 4);
    u->wide = n == UINT32_MAX;
    if (u->wide) n = line_number(all, 8);
    lines_bytes b = line_block(all, n);
    if (b.at == b.end) return false;
    u->version = (unsigned)line_number(&b, 2);
    u->address_bytes = 8;
    if (u->version >= 5) u->address_bytes = (unsigned)line_number(&b, 1), line_number(&b, 1);
    lines_bytes head = line_block(&b, line_number(&b, u->wide ? 8 : 4));
    u->program = b;
    u->least = (unsigned)line_number(&head, 1);
    if (u->version >= 4) line_number(&head, 1);
    u->statement = line_number(&head, 1);
    int base = (int)line_number(&head, 1); /* a signed byte */
    u->line_base = base < 128 ? base : base - 256;
    u->range = (unsigned)line_number(&head, 1);
    u->first_special = (unsigned)line_number(&head, 1);
    for (unsigned k = 1; k < u->first_special; k++) u->lengths[k] = (uint8_t)line_number(&head, 1);
    unit_files(u, head);
    return true;
}

static const char *unit_file(const lines_unit *u, uint64_t number) {
    lines_bytes b = u->files;
    if (u->version < 5) {
        for (uint64_t k = 1; b.at < b.end; k++) {
            const char *name = line_text(&b);
            if (!*name || k == number) return name;
            for (unsigned i = 0; i < 3; i++) line_uleb(&b);
        }
        return "";
    }
    for (uint64_t f = 0; f < u->file_count && b.at < b.end; f++) {
        const char *name = "";
        for (unsigned k = 0; k < u->forms; k++) {
            const char *text = line_form(u, &b, u->form[k][1]);
            if (u->form[k][0] == DW_LNCT_path) name = text;
        }
        if (f == number) return name;
    }
    return "";
}

/* ---- its program ---- */

typedef struct {
    uint64_t address, file, line;
} lines_row;

static void row_start(lines_row *r) {
    *r = (lines_row){0, 1, 1};
}

/* An extended operation. Returns true if the sequence ends. */
static bool row_extended(const lines_unit *u, lines_bytes *b, lines_row *r) {
    lines_bytes op = line_block(b, line_uleb(b));
    switch (line_number(&op, 1)) {
    case DW_LNE_end_sequence: return true;
    case DW_LNE_set_address:
        r->address = line_number(&op, u->address_bytes < 8 ? u->address_bytes : 8);
        return false;
    default: return false;
    }
}

/* One operation. Returns 1: it makes a row, 2: the sequence also ends with it, 0: neither. */
static int row_step(const lines_unit *u, lines_bytes *b, lines_row *r) {
    unsigned op = (unsigned)line_number(b, 1), range = u->range ? u->range : 1;
    if (op >= u->first_special) {
        unsigned by = op - u->first_special;
        r->address += (uint64_t)(by / range) * u->least;
        r->line += (uint64_t)(int64_t)(u->line_base + (int)(by % range));
        return 1;
    }
    switch (op) {
    case 0: return row_extended(u, b, r) ? 2 : 0;
    case DW_LNS_copy: return 1;
    case DW_LNS_advance_pc: r->address += line_uleb(b) * u->least; return 0;
    case DW_LNS_advance_line: r->line += (uint64_t)line_sleb(b); return 0;
    case DW_LNS_set_file: r->file = line_uleb(b); return 0;
    case DW_LNS_const_add_pc:
        r->address += (uint64_t)((255 - u->first_special) / range) * u->least;
        return 0;
    case DW_LNS_fixed_advance_pc: r->address += line_number(b, 2); return 0;
    default:
        for (unsigned k = 0; k < u->lengths[op]; k++) line_uleb(b);
        return 0;
    }
}

/* Finds the rows that contain the address and come before it in its sequence: the last ROWS of
 * them, the nearest first. Returns how many. */
static size_t unit_at(const lines_unit *u, uint64_t address, lines_row found[ROWS]) {
    lines_bytes b = u->program;
    lines_row r, ring[ROWS];
    size_t n = 0;
    row_start(&r);
    while (b.at < b.end) {
        int made = row_step(u, &b, &r);
        if (!made) continue;
        /* The last of several rows at one address counts; a row of address 0 belongs to code that
         * was left out. */
        const lines_row *last = &ring[(n + ROWS - 1) % ROWS];
        if (n && last->address && last->address <= address && address < r.address) {
            size_t have = n < ROWS ? n : ROWS;
            for (size_t k = 0; k < have; k++) found[k] = ring[(n - 1 - k) % ROWS];
            return have;
        }
        ring[n++ % ROWS] = r;
        if (made == 2) row_start(&r), n = 0;
    }
    return 0;
}

bool dev_lines_at(const dev_lines *l, uint64_t address, bool wanted(const char *file), char *file,
                  size_t n, unsigned *line) {
    lines_bytes all = l->line;
    lines_unit u;
    lines_row rows[ROWS];
    while (all.at < all.end && unit_next(l, &all, &u)) {
        size_t have = u.version < 2 || u.version > 5 ? 0 : unit_at(&u, address, rows);
        for (size_t k = 0; k < have && address - rows[k].address <= FAR_BYTES; k++) {
            const char *name = unit_file(&u, rows[k].file);
            if (!*name || !rows[k].line || rows[k].line > UINT32_MAX || !wanted(name)) continue;
            snprintf(file, n, "%s", name);
            *line = (unsigned)rows[k].line;
            return true;
        }
        if (have) return false;
    }
    return false;
}

/* ---- of a client ---- */

/* Not the toolkit's headers and nvcc's own files, which surround a call. */
static bool own_source(const char *file) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    return strncmp(name, "cuda_", 5) != 0 && strncmp(name, "vector_", 7) != 0 &&
           !strstr(file, "/targets/") && !strstr(file, "host_runtime.h") &&
           !strstr(name, ".stub.c") && !strstr(name, "cudafe") && !strstr(file, "/c++/");
}

bool dev_log_line(dev_client *c, const uint64_t *address, size_t n, char *file, size_t bytes,
                  unsigned *line) {
    dev_process *p = &c->process;
    if (p->path && !p->lines) {
        p->lines = dev_lines_new(p->path);
        free(p->path);
        p->path = NULL; /* not looked for again */
    }
    for (size_t k = 0; p->lines && k < n; k++)
        if (dev_lines_at(p->lines, address[k], own_source, file, bytes, line)) return true;
    return false;
}
