/* See check.h. */
#include "runner/base/words/check.h"

#include <stdlib.h>
#include <string.h>

static int args_find(const lib_row_args *args, const lib_piece *piece) {
    for (int i = 0; i < args->n; i++)
        if (args->name_n[i] == piece->name_n && !memcmp(args->name[i], piece->name, piece->name_n))
            return i;
    return -1;
}

/* Returns whether a note "KEY: a, b" names it. */
static bool noted(const char *notes, const char *key, const char *name, size_t n) {
    const char *s = strstr(notes, key);
    if (!s) return false;
    for (s += strlen(key); *s && *s != '\n';) {
        size_t m = strcspn(s, " ,\n");
        if (m == n && !memcmp(s, name, n)) return true;
        s += m + (s[m] && s[m] != '\n');
    }
    return false;
}

/* ---- a form of a row ---- */

static const char *check_form(const lib_po_row *row, const char *text, const lib_row_args *args) {
    lib_piece piece;
    int more;
    bool named[LIB_ARGS] = {0};
    for (const char *at = text; (more = lib_row_piece(&at, &piece)) > 0;) {
        if (!piece.name) continue;
        int i = args_find(args, &piece);
        if (i < 0) return "a place names an argument that English does not have";
        if (!lib_row_takes(lib_row_type(&args->form[i]), &piece.form))
            return "an argument has another type than in English";
        named[i] = true;
    }
    if (more < 0) return piece.text;
    for (int i = 0; i < args->n; i++)
        if (!named[i] && i != args->plural &&
            !noted(row->notes, "may leave out:", args->name[i], args->name_n[i]))
            return "an argument of English is missing (\"#. may leave out: NAME\" allows it)";
    return NULL;
}

/* ---- English ---- */

static const char *args_add(lib_row_args *args, const lib_piece *piece) {
    static const lib_arg_form text = {.as = 's', .digits = -1};
    lib_arg_form form = piece->form.as ? piece->form : text;
    int i = args_find(args, piece);
    if (i >= 0)
        return lib_row_takes(lib_row_type(&args->form[i]), &piece->form)
                   ? NULL
                   : "an argument has two types";
    if (args->n == LIB_ARGS) return "a row has more than 8 arguments";
    i = args->n++;
    args->name[i] = piece->name;
    args->name_n[i] = piece->name_n;
    args->form[i] = form;
    return NULL;
}

const char *lib_row_args_read(const lib_po_row *row, lib_row_args *args) {
    *args = (lib_row_args){.plural = -1};
    lib_piece piece;
    /* The last form names all arguments. */
    for (unsigned f = row->forms; f-- > 0;) {
        int more;
        for (const char *at = row->form[f]; (more = lib_row_piece(&at, &piece)) > 0;) {
            const char *what = piece.name ? args_add(args, &piece) : NULL;
            if (what) return what;
        }
        if (more < 0) return piece.text;
    }
    if (!row->plural) return NULL;
    bool said = strstr(row->notes, "plural:") != NULL;
    for (int i = 0; i < args->n && args->plural < 0; i++)
        if (lib_row_type(&args->form[i]) == LIB_ARG_INTEGER &&
            (!said || noted(row->notes, "plural:", args->name[i], args->name_n[i])))
            args->plural = i;
    if (args->plural < 0) return "a plural has no whole number that decides it";
    for (unsigned f = 0; f < row->forms; f++)
        if (check_form(row, row->form[f], args)) return "a form leaves out an argument of another";
    return NULL;
}

/* ---- another language ---- */

const char *lib_row_check(const lib_po_row *row, const lib_row_args *args, unsigned forms) {
    if (row->plural != (args->plural >= 0))
        return row->plural ? "English has no plural here (msgid_plural)"
                           : "English has a plural here (msgid_plural)";
    if (row->plural && row->forms != forms)
        return "a plural has not as many forms as the header's Plural-Forms";
    for (unsigned f = 0; f < row->forms; f++) {
        const char *what = check_form(row, row->form[f], args);
        if (what) return what;
    }
    return NULL;
}

bool lib_row_translated(const lib_po_row *row) {
    for (unsigned f = 0; f < row->forms; f++)
        if (!*row->form[f]) return false;
    return !row->fuzzy;
}

char *lib_row_joined(const lib_po_row *row, bool plain, size_t *n) {
    size_t all = 1; /* a row without forms has an empty text */
    for (unsigned f = 0; f < row->forms; f++) all += strlen(row->form[f]) + 1;
    char *text = malloc(all), *to = text;
    if (!text) return NULL;
    for (unsigned f = 0; f < row->forms; f++) {
        const char *s = row->form[f];
        for (; *s; s++) {
            *to++ = *s;
            if (plain && *s == '{' && s[1] == '{') s++;
        }
        *to++ = 0;
    }
    if (n) *n = (size_t)(to - text);
    return text;
}
