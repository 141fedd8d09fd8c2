/* Writes headings, marked-up text, code and lists as HTML or Markdown. */
#ifndef WARPLAB_BOOK_PAPER_H
#define WARPLAB_BOOK_PAPER_H

#include <stdbool.h>
#include "runner/base/buffer.h"

typedef struct {
    lib_buffer b;
    bool html;
} paper;

void paper_begin(paper *p, const char *title);
void paper_end(paper *p);
void paper_heading(paper *p, int level, const char *text); /* level: 1 to 4 */
/* Adds a lesson's text: paragraphs, `code`, *strong*, "- " items, verbatim lines that begin with
 * four spaces. */
void paper_text(paper *p, const char *text);
/* Adds a paragraph that begins with a mark: "a) ", "2. ". */
void paper_item(paper *p, const char *mark, const char *text);
void paper_code(paper *p, const char *text);

#endif
