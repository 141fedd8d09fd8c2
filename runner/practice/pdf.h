/* A PDF of text and lines, in English and Chinese, with a file attached; A4.
 *
 *   pdf_new --> pdf_page, pdf_text, pdf_line ... --pdf_end--> the bytes
 *
 * No font is embedded. Latin letters are in Helvetica, which every reader has. All other letters are in
 * STSong-Light, one of the fonts that readers keep for Chinese or replace with one of the system's: the text can be
 * copied and searched everywhere, but where a machine has no Chinese font at all its letters are boxes. */
#ifndef WARPLAB_PRACTICE_PDF_H
#define WARPLAB_PRACTICE_PDF_H

#include <stdbool.h>
#include <stddef.h>

enum { PDF_WIDTH = 595, PDF_HEIGHT = 842, PDF_PAGES = 32 }; /* points; from the lower left */

typedef struct pdf pdf;
pdf *pdf_new(const char *title);
/* Begins a page; false when there are PDF_PAGES, and nothing more is drawn. */
bool pdf_page(pdf *p);
void pdf_text(pdf *p, double x, double y, double size, bool bold, const char *text);
/* Ends at x. */
void pdf_text_right(pdf *p, double x, double y, double size, const char *text);
void pdf_line(pdf *p, double x1, double y1, double x2, double y2);
/* One file, under that name; at most once. */
void pdf_attach(pdf *p, const char *name, const char *data, size_t n);
/* malloc'ed; ends p. */
char *pdf_end(pdf *p, size_t *n);

#endif
