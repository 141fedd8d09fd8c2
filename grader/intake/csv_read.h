/* CSV (RFC 4180) as the courses' systems write it: text in, rows of cells out. */
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
    bool mark; /* it began with a byte-order mark */
} csv_table;
/* False only without memory. */
bool csv_read(const char *text, csv_table *t);
void csv_free(csv_table *t);
/* The first column whose heading is `name`, in any case; SIZE_MAX: none. */
size_t csv_column(const csv_table *t, const char *name);
/* "" where the row is shorter; blanks around it are not part of it */
const char *csv_cell(const csv_row *r, size_t column);

#endif
