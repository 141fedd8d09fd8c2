/* The common parts of pages: head with style, badges, charts. A page needs no network, no script
 * and no other file. */
#ifndef WARPLAB_GRADER_HTML_H
#define WARPLAB_GRADER_HTML_H

#include "runner/base/buffer.h"
#include "grader/report/model.h"

/* For text and attributes of HTML and XML: cleans hostile bytes, then escapes. */
void html_escape(lib_buffer *b, const char *s);
/* The same for Warplab's own texts; text in backticks becomes a <code> element. */
void html_said(lib_buffer *b, const char *s);
/* Writes the beginning of a page with its style; html_foot() writes the end. */
void html_head(lib_buffer *b, lib_lang lang, const char *title);
void html_foot(lib_buffer *b);
/* Writes a verdict or state as a coloured label. */
void html_badge(lib_buffer *b, lib_lang lang, const char *verdict);
void html_cell(lib_buffer *b, const char *text); /* <td>text</td>, escaped */
void html_said_cell(lib_buffer *b, const char *text);
void html_number(lib_buffer *b, double v); /* <td class=n>, grouped digits, 4 significant ones */
/* Vertical bars with labels. */
typedef struct {
    const char *label;
    double value;
    const char *note; /* shown above the bar; NULL: the value */
} html_bar;
void html_columns(lib_buffer *b, const char *title, const html_bar *bars, size_t n);
/* Horizontal bars, one per line, for long labels. `whole` is the value of a full bar; 0: the
 * largest value. */
void html_rows(lib_buffer *b, const char *title, const html_bar *bars, size_t n, double whole);
/* Two thin bars in one cell: the submission's value above the baseline's. */
void html_pair(lib_buffer *b, double mine, double base);

#endif
