/* Reads a catalogue in gettext's PO format, which Poedit writes and msgfmt checks. make/ makes
 * tables from it, and load.c reads one at run time. Only libc, because make/ is built before
 * everything else. */
#ifndef WARPLAB_WORDS_PO_H
#define WARPLAB_WORDS_PO_H

#include <stdbool.h>
#include <stddef.h>

enum { LIB_PO_BYTES = 4 << 20, LIB_PO_STRING = 8000, LIB_PO_ROWS = 20000, LIB_PO_FORMS = 6 };

typedef struct {
    char *id;                 /* msgid, never "" */
    char *form[LIB_PO_FORMS]; /* msgstr, or msgstr[0] and so on; "" if not translated */
    unsigned forms;           /* number of forms; 1 if plural is false */
    bool plural;              /* it has msgid_plural */
    bool fuzzy;               /* "#, fuzzy": a draft, which must not be used */
    char *notes;              /* the text of its "#." lines, each with a newline; "" */
    unsigned line;            /* of its msgid, from 1 */
} lib_po_row;

typedef struct {
    lib_po_row *rows;
    size_t n, room;
    char *header; /* the text of msgid ""; "" if there is none */
} lib_po;

/* An error in a file: an English sentence without a full stop, and the line. en.po also has it as a
 * row of "said." */
typedef struct {
    const char *what;
    unsigned line;
} lib_po_error;

/* Reads a text of `n` bytes, hostile or not. On false, `po` is empty and `e` filled. */
bool lib_po_read(lib_po *po, const char *text, size_t n, lib_po_error *e);
void lib_po_free(lib_po *po);
/* Returns the value of a line of the header, for example "Plural-Forms"; malloc'ed. NULL: missing,
 * or memory is out. */
char *lib_po_header(const lib_po *po, const char *name);

#endif
