/* The number that a person typed at a question.
 *
 * What stands behind the number multiplies it (million, M), converts it (KB, ms) or names what is counted (sectors).
 * A word that is none of these makes the whole unreadable: a number is never read in half.
 *
 *   "8*128 + 80", "1,024 bytes", "25%", "4 KB", "8*8 = 64" --text_number_read--> a value, or what is wrong and where
 *
 * Words are those of every language, whichever the reader has; Chinese numerals and fractions are read too. */
#ifndef WARPLAB_TERM_NUMBER_H
#define WARPLAB_TERM_NUMBER_H

#include <stdbool.h>

typedef enum {
    TEXT_NUMBER_OK,
    TEXT_NUMBER_NONE,    /* there is no number in it */
    TEXT_NUMBER_WORD,    /* `at` is neither number, sign nor unit */
    TEXT_NUMBER_OPERAND, /* a sign at the end, or two in a row: a number is missing before `at` */
    TEXT_NUMBER_PAREN,   /* a parenthesis without its partner */
    TEXT_NUMBER_ZERO,    /* divided by zero */
    TEXT_NUMBER_BIG,     /* too large, or too long to read */
    TEXT_NUMBER_UNIT /* `at` is a unit of something else than was asked for, or may mean two things */
} text_number_wrong;

typedef struct {
    double value; /* in the unit that was asked for, where one was typed that can be converted */
    bool percent; /* it was said in per cent */
    bool
        share; /* a fraction, or between 0 and 1: where per cent are asked for it may be meant so */
    char at[48]; /* where it went wrong, as typed */
} text_number;

/* unit: what the question wants, "" for none. */
text_number_wrong text_number_read(const char *text, const char *unit, text_number *out);

#endif
