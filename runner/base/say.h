/* Text for people and for readers of reports: cut at whole characters, with harmless bytes, and
 * numbers in the usual form. */
#ifndef WARPLAB_BASE_SAY_H
#define WARPLAB_BASE_SAY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include "runner/base/buffer.h"

/* snprintf that cuts at a whole UTF-8 character and ends with "..." if something is missing. */
void lib_say(char *buf, size_t n, const char *format, ...) __attribute__((format(printf, 3, 4)));
void lib_vsay(char *buf, size_t n, const char *format, va_list ap);
/* Prints into an array. */
#define SAY(buf, format, ...) lib_say(buf, sizeof(buf), format, ##__VA_ARGS__)
/* The same sentence in both languages, into two arrays; both formats are checked. */
#define SAY2(en_buf, zh_buf, en, zh, ...)                                                          \
    (lib_say(en_buf, sizeof(en_buf), en, ##__VA_ARGS__),                                           \
     lib_say(zh_buf, sizeof(zh_buf), zh, ##__VA_ARGS__))

/* Returns valid UTF-8 without control characters except newline and tab. Invalid bytes become
 * U+FFFD. NULL gives "". malloc'ed; NULL if memory is out. */
char *lib_clean(const char *s, size_t n);
/* ---- text from outside, on a terminal ----
 * Names of files and students, a pack's description, a compiler's messages: hostile until printed
 * by one of these. They apply lib_clean(), and also replace marks that change the direction of text
 * or end a line by U+FFFD. */

/* printf; each %s is one line: a newline or tab in it becomes a blank. */
void lib_print(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lib_buffer_shown(lib_buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A text of several lines. The first function returns NULL if memory is out; malloc'ed. */
char *lib_shown(const char *text, size_t n);
void lib_print_text(FILE *to, const char *text);

/* Returns the line (from 1) of the first byte that is not UTF-8; 0: all of it is. */
size_t lib_not_utf8(const char *s, size_t n);
/* The ending of a plural, only for English: "%u warp%s", n, LIB_S(n). The Chinese format takes it
 * as %.0s. */
#define LIB_S(n) ((n) == 1 ? "" : "s")
/* A count as in Chinese, before a classifier: "8192 ", "320" or "1.25" with the unit. Returns
 * buf. */
const char *lib_wan(char buf[32], double n);
/* For programs that read it: 6 significant digits, no trailing zeros, NaN and infinity by name.
 * Returns buf. */
const char *lib_number(char buf[32], double v);
/* For people: `digits` significant digits, but whole numbers and those that are as long in full,
 * with commas: "1,048,576", "5,482,803", "0.6931". Returns buf. */
const char *lib_figure(char buf[32], int digits, double v);
/* Writes a number's text with commas: "12345.67" as "12,345.67". What comes before the digits
 * (a sign, blanks) and behind them stays. Cut at `room` bytes. */
const char *lib_group(char *to, size_t room, const char *number);

#endif
