/* The pages' common parts: head with style, badges, charts. Pages need no network, no script and no
 * file but themselves. */
#ifndef WARPLAB_GRADER_HTML_H
#define WARPLAB_GRADER_HTML_H

#include "grader/report/report.h"

#define T(lang, en, zh) ((lang) == GRADE_ZH ? (zh) : (en))

void html_head(grade_buf *b, grade_lang lang, const char *title);
void html_foot(grade_buf *b);
void html_badge(grade_buf *b, grade_lang lang, const char *verdict);
void html_cell(grade_buf *b, const char *text); /* <td>text</td>, escaped */
void html_number(grade_buf *b, double v);       /* <td class=n>, with digits grouped */
/* Bars side by side over `n` labelled bins. */
typedef struct {
    const char *label;
    double value;
    const char *note; /* shown over the bar; NULL: the value */
} html_bar;
void html_columns(grade_buf *b, const char *title, const html_bar *bars, size_t n);
/* Horizontal bars, a line each: for long labels. */
void html_rows(grade_buf *b, const char *title, const html_bar *bars, size_t n);
/* Two thin bars in one cell: this submission's value over the baseline's. */
void html_pair(grade_buf *b, double mine, double base);

#endif
