/* Checks a row of a catalogue against English's: for make/, and for catalogues read at run time. */
#ifndef WARPLAB_WORDS_CHECK_H
#define WARPLAB_WORDS_CHECK_H

#include "runner/base/words/po.h"
#include "runner/base/words/row.h"

/* The arguments of a row, in the order in which English names them. Names do not end in NUL. */
typedef struct {
    int n, plural; /* plural: the index of the one that decides the form, -1: none */
    const char *name[LIB_ARGS];
    size_t name_n[LIB_ARGS];
    lib_arg_form form[LIB_ARGS];
} lib_row_args;

/* For English's row. Returns NULL, or what is wrong: an English sentence without a full stop. */
const char *lib_row_args_read(const lib_po_row *row, lib_row_args *args);
/* Checks that a translation has English's arguments, each with a form that its type allows. forms:
 * how many its language has. A note of the translation, "#. may leave out: x", says which it does
 * not need. A form of a plural need not name the argument that decides it. Returns NULL, or what is
 * wrong. */
const char *lib_row_check(const lib_po_row *row, const lib_row_args *args, unsigned forms);
bool lib_row_translated(const lib_po_row *row);
/* Returns the forms one after another, each with its NUL, *n bytes in all (n may be NULL). plain:
 * "{{" becomes "{". malloc'ed; NULL if memory is out. */
char *lib_row_joined(const lib_po_row *row, bool plain, size_t *n);

#endif
