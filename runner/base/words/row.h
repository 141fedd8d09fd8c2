/* Reads a row's text: plain text and places for arguments.
 *
 *   {file}            a text, one line of it
 *   {log:lines}       a text of several lines
 *   {names:list}      a text whose lines are names: shown with the language's comma between them
 *   {why:said}        a sentence of SQLite, a driver or the C library: the row of "said." with this
 *                     English
 *   {n:d}             a whole number with separators: 586,570
 *   {line:u}          without separators; {minutes:02u} at least two digits
 *   {address:x}       0x7f00
 *   {n:@count.warps}  a whole number put into the row count.warps, which has one argument: "3
 *                     warps"
 *   {us:.2f}          a real number with two digits behind the point: 12,345.67
 *   {x:g}             6 significant digits, as lib_figure(); {x:.3g} 3
 *   {n:bytes}         a whole number of bytes as a size: 64 bytes, 67.1 MB
 *   {n:wan}           as counted in Chinese, whole or real, before a classifier: lib_wan()
 *   {error:e}         the meaning of an errno
 *   {what:w}          a row without arguments, by its id
 *   {why:m}           another message
 *   {title:t}         a text that exists in each language, one line of it
 *   {{                a brace; } is one everywhere else
 *
 * English says what an argument is at its first place. After that, and in other languages, {name}
 * is enough, and a number may be written in another way than in English. */
#ifndef WARPLAB_WORDS_ROW_H
#define WARPLAB_WORDS_ROW_H

#include <stdbool.h>
#include <stddef.h>

enum { LIB_ARGS = 8, LIB_ARG_NAME = 32 };

/* The types of arguments. */
typedef enum {
    LIB_ARG_NONE,
    LIB_ARG_TEXT,    /* const char *; NULL is "" */
    LIB_ARG_INTEGER, /* long long */
    LIB_ARG_REAL,    /* double */
    LIB_ARG_ERROR,   /* int */
    LIB_ARG_WORD,    /* lib_word_id */
    LIB_ARG_MESSAGE, /* const lib_message *; NULL is "" */
    LIB_ARG_TEXTS,   /* lib_texts */
} lib_arg_type;

/* The format of an argument. */
typedef struct {
    char as;    /* s l L q d u x @ B f g W e w m t; 0: as in English */
    int digits; /* after the point, or significant; -1: not given */
    int width;  /* padded with zeros to this width */
    const char *row;
    size_t row_n; /* for @ */
} lib_arg_form;

/* A run of text (name NULL) or a place. */
typedef struct {
    const char *text;
    size_t n;
    const char *name;
    size_t name_n;
    lib_arg_form form;
} lib_piece;

/* Returns the next piece of a text; *at moves after it. 0: the end; -1: not well-formed, and
 * piece->text is an English sentence that says why. */
int lib_row_piece(const char **at, lib_piece *piece);
/* Parses the text after the colon, "" if none. Returns false if it is no form. */
bool lib_row_form(const char *text, size_t n, lib_arg_form *form);
/* Returns the type that a form takes. wan: a real number. */
lib_arg_type lib_row_type(const lib_arg_form *form);
/* Returns whether a value of this type can have this format. */
bool lib_row_takes(lib_arg_type type, const lib_arg_form *form);
/* Returns a row's number: never 0, below 2^31, the same in every build. */
unsigned lib_row_id(const char *name);

/* "nplurals=2; plural=(n != 1);": how many forms there are, and which one a count takes (below
 * nplurals). Returns false if it is not understood. */
bool lib_plural_read(const char *rule, unsigned *forms);
unsigned lib_plural_form(const char *rule, unsigned long long n);

#endif
