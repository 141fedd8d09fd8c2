/* Text for a terminal: display width, wrapping with wide characters, light markup, colour, a pager,
 * a transcript.
 *
 *   lesson text --text_say()--> cells (character, width, style)
 *               --greedy lines--> text_out --> terminal and transcript
 *
 * This file knows nothing of labs. Every byte that leaves through text_out has passed the filter
 * for control characters. */
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
    FILE *transcript; /* or NULL; gets the same text, without colour */
    int width;        /* columns to wrap at */
    int height;       /* rows of a page; 0: no pager */
    bool colour;
    int columns;              /* of the terminal itself */
    int column;               /* where the cursor is */
    int rows;                 /* printed since the pager last stopped */
    bool quit;                /* the reader left this page: drop output until text_page_begin() */
    bool (*more)(void *user); /* asks for the next page; false: the reader leaves */
    void *more_user;
} text_out;

/* Sets width and colour. The width is that of the terminal's window, otherwise COLUMNS, otherwise
 * 80, limited to 40 to 120. There is colour if the terminal has it, unless NO_COLOR or TERM=dumb is
 * set. */
void text_out_init(text_out *o, FILE *to);
/* Reads the terminal's size again. */
void text_out_resize(text_out *o);
/* Starts a new page of the pager. */
void text_page_begin(text_out *o);

/* Decodes one code point of s (n bytes left, n > 0) and returns its length. Malformed bytes give
 * U+FFFD and length 1. */
size_t text_decode(const char *s, size_t n, uint32_t *cp);
/* Returns the bytes of the character at s as a reader sees it (n > 0 bytes left): with its
 * combining marks, and with everything that zero-width joiners join. *columns is 0 (only a mark), 1
 * or 2. An ambiguous width counts as 1. */
size_t text_cluster(const char *s, size_t n, int *columns);
/* The width of a text in columns. */
int text_width(const char *s);
int text_width_n(const char *s, size_t n);
/* Returns the length of the longest prefix of s that fits in `columns`, in bytes. */
size_t text_fit(const char *s, int columns);

/* Returns the length of the longest prefix after which a line may end: after a blank (the blank
 * itself may exceed `columns` by one), or beside a wide character where Unicode allows it. Returns
 * the length of s if all of it fits; 0 if no line end is possible. */
size_t text_break(const char *s, int columns);
/* Makes letters, digits, punctuation and blanks of full width narrow, in place. */
void text_narrow(char *s);

/* Prints in one style, without wrapping. Control characters other than \n and \t are shown as
 * '?'. */
void text_put(text_out *o, text_style st, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void text_vput(text_out *o, text_style st, const char *fmt, va_list ap);
/* The same, padded with spaces to `columns`, and cut with ".." if it is too wide. Negative: padded
 * on the left. */
void text_cell(text_out *o, text_style st, int columns, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Prints untrusted text (a program's output), indented: at most max_lines lines, without the middle
 * if there are more. A line that is too wide continues below, indented by two more, after the last
 * blank that fits. */
void text_raw(text_out *o, const char *s, size_t n, int indent, int max_lines);
/* Prints marked-up text: paragraphs wrapped to the width, `code`, *strong*, "- " items; lines that
 * begin with four spaces are verbatim. */
void text_say(text_out *o, const char *s, int indent);
/* Prints one wrapped paragraph in one style, as by printf. Markup in the format and in arguments
 * works as in text_say(). */
void text_line(text_out *o, text_style st, int indent, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void text_vline(text_out *o, text_style st, int indent, const char *fmt, va_list ap);

/* The same functions for words in a language. */
void text_words(text_out *o, text_style st, int indent, lib_lang lang, lib_words words);
void text_put_words(text_out *o, text_style st, lib_lang lang, lib_words words);
void text_cell_words(text_out *o, text_style st, int columns, lib_lang lang, lib_words words);
void text_hang_words(text_out *o, text_style st, int column, lib_lang lang, lib_words words);

/* Continues a line on which something of `column` columns is already; the following lines are
 * indented by `column`. */
void text_hang(text_out *o, text_style st, int column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* text_begin() returns the escape sequence that starts a style, text_end() the one that ends it; ""
 * without colour. For prompts. */
const char *text_begin(const text_out *o, text_style st);
const char *text_end(const text_out *o);

#endif
