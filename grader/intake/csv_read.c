/* See csv_read.h. */
#include "grader/intake/csv_read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "runner/base/buffer.h"

void csv_free(csv_table *t) {
    for (size_t i = 0; i < t->count; i++) {
        for (size_t k = 0; k < t->row[i].count; k++) free(t->row[i].cell[k]);
        free(t->row[i].cell);
    }
    free(t->row);
    *t = (csv_table){0};
}

static bool add_cell(csv_row *r, char *text) {
    if (!text || !lib_grow_one(&r->cell, r->count, sizeof *r->cell)) {
        free(text);
        return false;
    }
    r->cell[r->count++] = text;
    return true;
}

static csv_row *add_row(csv_table *t) {
    if (!lib_grow_one(&t->row, t->count, sizeof *t->row)) return NULL;
    t->row[t->count] = (csv_row){0};
    return &t->row[t->count++];
}

/* Reads one cell. *s then points to the character that ends it. */
static char *read_cell(const char **s) {
    lib_buffer b = {0};
    const char *p = *s;
    lib_buffer_puts(&b, "");
    if (*p == '"') {
        for (p++; *p && (*p != '"' || p[1] == '"'); p++) {
            if (*p == '"') p++;
            lib_buffer_add(&b, p, 1);
        }
        if (*p == '"') p++;
        while (*p && *p != ',' && *p != '\n') p++;
    } else {
        size_t n = strcspn(p, ",\r\n");
        lib_buffer_add(&b, p, n);
        p += n;
    }
    *s = p;
    return lib_buffer_take(&b);
}

bool csv_read(const char *s, csv_table *t) {
    *t = (csv_table){0};
    if (!strncmp(s, "\xEF\xBB\xBF", 3)) s += 3, t->mark = true;
    while (*s) {
        csv_row *row = add_row(t);
        if (!row) return false;
        for (;;) {
            if (!add_cell(row, read_cell(&s))) return false;
            while (*s == '\r') s++;
            if (*s != ',') break;
            s++;
        }
        if (*s == '\n') s++;
    }
    return true;
}

size_t csv_column(const csv_table *t, const char *name) {
    for (size_t i = 0; t->count && i < t->row[0].count; i++)
        if (!strcasecmp(csv_cell(&t->row[0], i), name)) return i;
    return SIZE_MAX;
}

const char *csv_cell(const csv_row *r, size_t column) {
    if (column >= r->count) return "";
    char *cell = r->cell[column];
    size_t n = strlen(cell), lead = strspn(cell, " \t");
    while (n > lead && strchr(" \t", cell[n - 1])) cell[--n] = 0;
    return cell + lead;
}
