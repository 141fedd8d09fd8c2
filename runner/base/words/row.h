/* A row's text, read: plain text and places for arguments.
 *
 *   {file}            a text, one line of it
 *   {log:lines}       a text of several lines
 *   {names:list}      a text whose lines are names: they are shown with the language's comma between them
 *   {why:said}        a sentence of SQLite, a driver or the C library: the row of "said." whose English it is
 *   {n:d}             a whole number with separators: 586,570
 *   {line:u}          without; {minutes:02u} two digits and more
 *   {address:x}       0x7f00
 *   {n:@count.warps}  a whole number put into the row count.warps, which has one argument: "3 warps"
 *   {us:.2f}          a real number with two digits
 *   {x:g}             6 significant digits, as lib_number(); {x:.3g} 3
 *   {x:G}             4 significant digits with separators, as lib_grouped()
 *   {x:F}             as {x:g}, whole numbers with separators, as lib_figure()
 *   {n:wan}           as Chinese counts, whole or real, for the classifier to follow: lib_wan()
 *   {error:e}         what an errno means
 *   {what:w}          a row without arguments, by its id
 *   {why:m}           another message
 *   {title:t}         a text that has one in each language
 *   {{                a brace; } is one everywhere else
 *
 * English says what an argument is where it first stands; behind that, and in other languages, {name} alone
 * is enough, and a number may be written in another way than in English. */
#ifndef WARPLAB_WORDS_ROW_H
#define WARPLAB_WORDS_ROW_H

#include <stdbool.h>
#include <stddef.h>

enum { LIB_ARGS = 8, LIB_ARG_NAME = 32 };

/* What is handed over. */
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

/* How it is written. */
typedef struct {
    char as;    /* s l L q d u x @ f g G F W e w m t; 0: as English says */
    int digits; /* behind the point, or significant; -1: not said */
    int width;  /* zeros in front up to it */
    const char *row;
    size_t row_n; /* of @ */
} lib_arg_form;

/* A run of text (name NULL) or a place. */
typedef struct {
    const char *text;
    size_t n;
    const char *name;
    size_t name_n;
    lib_arg_form form;
} lib_piece;

/* The next piece of a text; *at moves behind it. 0: the end; -1: not well-formed, and then piece->text is an
 * English sentence that says why. */
int lib_row_piece(const char **at, lib_piece *piece);
/* What stands behind the colon, "" for nothing. False: no such form. */
bool lib_row_form(const char *text, size_t n, lib_arg_form *form);
/* The type that a form takes. wan: a real number. */
lib_arg_type lib_row_type(const lib_arg_form *form);
/* Whether a value of this type can be written so. */
bool lib_row_takes(lib_arg_type type, const lib_arg_form *form);
/* A row's number: never 0, below 2^31, the same in every build. */
unsigned lib_row_id(const char *name);

/* "nplurals=2; plural=(n != 1);": how many forms, and which one a count takes (below nplurals). False: not
 * understood. */
bool lib_plural_read(const char *rule, unsigned *forms);
unsigned lib_plural_form(const char *rule, unsigned long long n);

#endif
