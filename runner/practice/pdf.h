/* Writes a PDF (A4) with text in English and Chinese, lines, and an attached file.
 *
 *   pdf_new --> pdf_page, pdf_text, pdf_line ... --pdf_end--> the bytes
 *
 * No font is embedded. Latin letters are in Helvetica, which every reader has. All other letters
 * are in STSong-Light, which readers have for Chinese or replace by a font of the system. The text
 * can be copied and searched everywhere, but on a machine without a Chinese font its letters are
 * boxes. */
#ifndef WARPLAB_PRACTICE_PDF_H
#define WARPLAB_PRACTICE_PDF_H

#include <stdbool.h>
#include <stddef.h>

/* in points; the origin is the lower left corner */
enum { PDF_WIDTH = 595, PDF_HEIGHT = 842, PDF_PAGES = 32 };

typedef struct pdf pdf;
pdf *pdf_new(const char *title);
/* Begins a page. Returns false if there are PDF_PAGES already; then nothing more is drawn. */
bool pdf_page(pdf *p);
/* Writes text from x on; y is its baseline. */
void pdf_text(pdf *p, double x, double y, double size, bool bold, const char *text);
/* The text ends at x. */
void pdf_text_right(pdf *p, double x, double y, double size, const char *text);
void pdf_line(pdf *p, double x1, double y1, double x2, double y2);
/* Attaches a file with this name; at most one. */
void pdf_attach(pdf *p, const char *name, const char *data, size_t n);
/* Ends p. Returns the bytes, malloc'ed. */
char *pdf_end(pdf *p, size_t *n);

#endif
