/* What the page's files share: page.c (the whole) stands on page_kernel.c (one kernel's part), that on
 * page_listing.c (a line's instructions), all on page_words.c. */
#ifndef WARPLAB_PROFILE_PAGE_PARTS_H
#define WARPLAB_PROFILE_PAGE_PARTS_H

#include "runner/listing/listing.h"
#include "runner/profile/report.h"
#include "runner/device/sim/profile.h"

void page_text(FILE *f, const char *s);                   /* anything at all, escaped */
void page_words(FILE *f, lib_lang lang, lib_words words); /* escaped too */
void page_both(FILE *f, lib_words words);       /* in every language; the style shows one */
void page_both_drawn(FILE *f, lib_words words); /* the same inside an SVG's <text> */
/* A title of the device's tables. */
static inline lib_words page_title(const char *en, const char *zh) {
    return lib_words_plain((lib_texts){{[LIB_EN] = en, [LIB_ZH] = zh}});
}
lib_words page_time(double us); /* microseconds, in the unit that suits */
void page_us(FILE *f, double us);
void page_limiter(FILE *f, const char *limiter); /* NULL: "-" */
/* Three digits, and never an exponent above: 66900, 6.69. */
const char *page_figure_text(char to[32], double v);
void page_figure(FILE *f, double v);
/* A cell with a bar, filled for this part of it. */
void page_bar(FILE *f, double part);
void page_heading(FILE *f, int level, lib_words words);
/* A table's first row, "<tr>" to "</tr>"; a column of numbers stands at the right. */
typedef struct {
    lib_word_id title; /* 0: a column without */
    bool number;
} page_column;
void page_columns(FILE *f, const page_column *columns, size_t n);
/* p: NULL where the device's figures are not known. */
void page_kernel(FILE *f, profile_report *r, const profile_kernel *k, const sim_profile *p);
/* A row of a table with so many columns: what a source line became. Nothing where that is nothing. */
void page_listing_line(FILE *f, const listing_line *x, unsigned columns);

#endif
