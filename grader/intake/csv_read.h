/* Reads CSV (RFC 4180) as the systems of courses write it: text in, rows of cells out. */
#ifndef WARPLAB_GRADER_CSV_READ_H
#define WARPLAB_GRADER_CSV_READ_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char **cell;
    size_t count;
} csv_row;
typedef struct {
    csv_row *row;
    size_t count;
    bool mark; /* the text began with a byte-order mark */
} csv_table;
/* Returns false only if memory ran out. Free with csv_free(). */
bool csv_read(const char *text, csv_table *t);
void csv_free(csv_table *t);
/* Returns the first column with this heading, ignoring case; SIZE_MAX: none. */
size_t csv_column(const csv_table *t, const char *name);
/* Returns a cell without the blanks around it; "" if the row is shorter. */
const char *csv_cell(const csv_row *r, size_t column);

#endif
