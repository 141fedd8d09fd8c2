/* The pages' common parts: head with style, badges, charts. Pages need no network, no script and no
 * file but themselves. */
#ifndef WARPLAB_GRADER_HTML_H
#define WARPLAB_GRADER_HTML_H

#include "runner/base/buffer.h"
#include "grader/report/model.h"

/* For HTML and XML, text and attributes: hostile bytes cleaned, then escaped. */
void html_escape(lib_buffer *b, const char *s);
/* The same of a text of ours, whose `code` becomes an element. */
void html_said(lib_buffer *b, const char *s);
void html_head(lib_buffer *b, lib_lang lang, const char *title);
void html_foot(lib_buffer *b);
void html_badge(lib_buffer *b, lib_lang lang, const char *verdict);
void html_cell(lib_buffer *b, const char *text); /* <td>text</td>, escaped */
void html_said_cell(lib_buffer *b, const char *text);
void html_number(lib_buffer *b, double v); /* <td class=n>, digits grouped, 4 that count */
/* Bars side by side over `n` labelled bins. */
typedef struct {
    const char *label;
    double value;
    const char *note; /* shown over the bar; NULL: the value */
} html_bar;
void html_columns(lib_buffer *b, const char *title, const html_bar *bars, size_t n);
/* Horizontal bars, a line each: for long labels. `whole` is the value of a full bar; 0: the
 * largest of them. */
void html_rows(lib_buffer *b, const char *title, const html_bar *bars, size_t n, double whole);
/* Two thin bars in one cell: this submission's value over the baseline's. */
void html_pair(lib_buffer *b, double mine, double base);

#endif
