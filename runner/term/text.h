/* Text for a terminal: display width, wrapping with wide characters, light markup, colour, a pager,
 * a transcript.
 *
 *   lesson text --text_say()--> cells (character, width, style)
 *               --greedy lines--> text_out --> terminal and transcript
 *
 * Knows nothing of labs. Every byte that leaves through text_out has passed the filter for control
 * characters. */
#ifndef WARPLAB_TEXT_H
#define WARPLAB_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "runner/base/word.h"
#include "runner/base/words/words.h"

typedef enum {
    TEXT_PLAIN,
    TEXT_STRONG,
    TEXT_CODE,
    TEXT_TITLE,
    TEXT_GOOD,
    TEXT_BAD,
    TEXT_WARN,
    TEXT_DIM,
    TEXT_STYLES
} text_style;

typedef struct {
    FILE *to;
    FILE *transcript; /* or NULL; gets the same text without colour */
    int width;        /* columns to wrap at */
    int height;       /* rows of a page; 0: no pager */
    bool colour;
    int columns;              /* of the terminal itself */
    int column;               /* where the cursor stands */
    int rows;                 /* printed since the pager last waited */
    bool quit;                /* the reader left this page: drop the rest until text_page_begin() */
    bool (*more)(void *user); /* asks for the next page; false: leave it */
    void *more_user;
} text_out;

/* Width from the terminal (COLUMNS, then the window size), else 80, kept within 40..120; colour
 * where the terminal has it and neither NO_COLOR nor TERM=dumb says no. */
void text_out_init(text_out *o, FILE *to);
void text_out_resize(text_out *o);
void text_page_begin(text_out *o);

/* Decodes one code point of s (n bytes left, n > 0) and returns its length; malformed bytes give
 * U+FFFD and length 1. */
size_t text_decode(const char *s, size_t n, uint32_t *cp);
/* The bytes of the character at s as a reader sees one (n > 0 left): with its combining marks, and all
 * that zero-width joiners join. Its columns are 0 (a mark alone), 1 or 2; one of ambiguous width has 1. */
size_t text_cluster(const char *s, size_t n, int *columns);
int text_width(const char *s);
int text_width_n(const char *s, size_t n);
/* The longest prefix of s that fits in `columns`, in bytes. */
size_t text_fit(const char *s, int columns);

/* The same to where a line may end: behind a blank, which may be one column more, or beside a wide character where Unicode lets a line end.
 * The whole of s where it fits; 0: it may end nowhere in so few columns. */
size_t text_break(const char *s, int columns);

/* printf in one style, as it stands (no wrapping); control characters but \n and \t are shown as
 * '?'. */
void text_put(text_out *o, text_style st, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void text_vput(text_out *o, text_style st, const char *fmt, va_list ap);
/* The same padded with spaces to `columns`; cut with ".." when too wide. Negative: padded on the
 * left. */
void text_cell(text_out *o, text_style st, int columns, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Untrusted text (a program's output): at most max_lines lines of it, the middle left out, each
 * indented; a wider one goes on below, indented by two more, at the last blank that fits. */
void text_raw(text_out *o, const char *s, size_t n, int indent, int max_lines);
/* Marked-up text: paragraphs wrapped to the width, `code`, *strong*, "- " items, lines of four
 * spaces verbatim. */
void text_say(text_out *o, const char *s, int indent);
/* One wrapped paragraph, printf'd, in one style (markup in the format or arguments works as in
 * text_say). */
void text_line(text_out *o, text_style st, int indent, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void text_vline(text_out *o, text_style st, int indent, const char *fmt, va_list ap);

/* The same of words in a language. */
void text_words(text_out *o, text_style st, int indent, lib_lang lang, lib_words words);
void text_put_words(text_out *o, text_style st, lib_lang lang, lib_words words);
void text_cell_words(text_out *o, text_style st, int columns, lib_lang lang, lib_words words);
void text_hang_words(text_out *o, text_style st, int column, lib_lang lang, lib_words words);

/* The same, when something of `column` columns stands on the line already: its further lines hang
 * below. */
void text_hang(text_out *o, text_style st, int column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The escape sequence that starts a style, "" without colour; text_end ends it. For prompts. */
const char *text_begin(const text_out *o, text_style st);
const char *text_end(const text_out *o);

#endif
