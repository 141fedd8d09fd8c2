/* What the page's files share: page.c (the whole page) uses page_kernel.c (a kernel's part), which
 * uses page_listing.c (a line's instructions). All use page_words.c. */
#ifndef WARPLAB_PROFILE_PAGE_PARTS_H
#define WARPLAB_PROFILE_PAGE_PARTS_H

#include "runner/listing/listing.h"
#include "runner/profile/report.h"
#include "runner/device/sim/profile.h"

void page_text(FILE *f, const char *s);                   /* escapes any text */
void page_words(FILE *f, lib_lang lang, lib_words words); /* escaped too */
void page_both(FILE *f, lib_words words);       /* in all languages; the style shows one */
void page_both_drawn(FILE *f, lib_words words); /* the same, for an SVG's <text> */
/* A title from the device's tables. */
static inline lib_words page_title(const char *en, const char *zh) {
    return lib_words_plain((lib_texts){{[LIB_EN] = en, [LIB_ZH] = zh}});
}
lib_words page_time(double us); /* microseconds, in a suitable unit */
void page_us(FILE *f, double us);
void page_limiter(FILE *f, const char *limiter); /* NULL: "-" */
/* Writes three digits, and larger numbers without an exponent: 66,900, 6.69. */
const char *page_figure_text(char to[32], double v);
void page_figure(FILE *f, double v);
/* Cells: three digits, and all of larger numbers; microseconds with two digits after the point. */
void page_count(FILE *f, double v);
void page_time_cell(FILE *f, double us);
/* A cell with a bar that fills this part of it. */
void page_bar(FILE *f, double part);
void page_heading(FILE *f, int level, lib_words words);
/* A table's first row, "<tr>" to "</tr>"; columns of numbers are aligned right. */
typedef struct {
    lib_word_id title; /* 0: no title */
    bool number;
} page_column;
void page_columns(FILE *f, const page_column *columns, size_t n);
/* p: NULL if the device's figures are unknown. */
void page_kernel(FILE *f, profile_report *r, const profile_kernel *k, const sim_profile *p);
/* Writes a row of a table with this many columns: what a source line became. Writes nothing if
 * there is no code. */
void page_listing_line(FILE *f, const listing *l, const listing_line *x, unsigned columns);

#endif
