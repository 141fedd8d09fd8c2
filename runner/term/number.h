/* Reads a number that a person typed as an answer.
 *
 * A word after the number multiplies it (million, M), converts it (KB, ms), or says what is counted
 * (sectors). With any other word the whole answer is unreadable: no part of it is read as a number.
 *
 *   "8*128 + 80", "1,024 bytes", "25%", "4 KB", "8*8 = 64"
 *         --text_number_read--> a value, or what is wrong and where
 *
 * Words of all languages are understood, whatever the reader's language is; so are Chinese numerals
 * and fractions. */
#ifndef WARPLAB_TERM_NUMBER_H
#define WARPLAB_TERM_NUMBER_H

#include <stdbool.h>

typedef enum {
    TEXT_NUMBER_OK,
    TEXT_NUMBER_NONE, /* there is no number in the text */
    TEXT_NUMBER_WORD, /* `at` is neither number, operator nor unit */
    /* an operator at the end, or two in a row: a number is missing before `at` */
    TEXT_NUMBER_OPERAND,
    TEXT_NUMBER_PAREN, /* a parenthesis without its partner */
    TEXT_NUMBER_ZERO,  /* divided by zero */
    TEXT_NUMBER_BIG,   /* too large, or too long to read */
    TEXT_NUMBER_UNIT   /* `at` is a unit of something else, or may mean two things */
} text_number_wrong;

typedef struct {
    /* in the unit that the question asked for, if the typed unit can be converted to it */
    double value;
    bool percent; /* it was given in per cent */
    bool share;   /* a fraction, or between 0 and 1: may mean per cent if those are asked for */
    char at[48];  /* where it is wrong, as typed */
} text_number;

/* unit: what the question asks for; "": no unit. The value is valid only after TEXT_NUMBER_OK. */
text_number_wrong text_number_read(const char *text, const char *unit, text_number *out);

#endif
