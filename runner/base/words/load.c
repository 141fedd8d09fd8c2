/* Reads a catalogue at run time. */
#include <stdlib.h>
#include <string.h>
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/words/check.h"
#include "runner/base/words/table.h"
#include "words/catalogue.h"

/* Returns a lib_row in the format of check.h for English. */
static lib_row_args args_of(const lib_row *row) {
    lib_row_args args = {.n = row->n, .plural = row->plural};
    for (int i = 0; i < row->n; i++) {
        args.name[i] = row->args[i].name;
        args.name_n[i] = strlen(row->args[i].name);
        args.form[i] = lib_row_arg_form(&row->args[i]);
    }
    return args;
}

static bool load_failed(lib_message *msg, const char *path, unsigned line, const char *what) {
    lib_message_set(msg, w_catalogue_file(path, line, what));
    return false;
}

static void texts_free(char **texts) {
    for (size_t i = 0; texts && i < lib_rows_n; i++) free(texts[i]);
    free(texts);
}

/* Rows that the program does not have are skipped, because the file may be of another version. */
static bool load_rows(char **texts, const lib_po *po, unsigned forms, const char *path,
                      lib_message *msg) {
    for (size_t i = 0; i < po->n; i++) {
        const lib_po_row *from = &po->rows[i];
        const lib_row *row = lib_row_named(from->id);
        if (!row || !lib_row_translated(from)) continue;
        lib_row_args args = args_of(row);
        const char *what = lib_row_check(from, &args, forms);
        if (what) return load_failed(msg, path, from->line, what);
        char **text = &texts[row - lib_rows];
        *text = lib_row_joined(from, !row->n, NULL);
        if (!*text) return load_failed(msg, path, from->line, "out of memory");
    }
    return true;
}

bool lib_words_load(lib_lang lang, const char *path, lib_message *msg) {
    size_t n = 0;
    char *bytes = lib_read_file(path, LIB_PO_BYTES, &n, msg);
    if (!bytes) return false;
    lib_po po;
    lib_po_error e;
    bool ok = lib_po_read(&po, bytes, n, &e);
    free(bytes);
    if (!ok) return load_failed(msg, path, e.line, e.what);
    unsigned forms = 0;
    char *rule = lib_po_header(&po, "Plural-Forms");
    char **texts = calloc(lib_rows_n, sizeof *texts);
    ok = rule && lib_plural_read(rule, &forms);
    if (!ok) load_failed(msg, path, 1, "the header says no Plural-Forms that can be understood");
    else if (!texts) ok = load_failed(msg, path, 1, "out of memory");
    ok = ok && load_rows(texts, &po, forms, path, msg);
    lib_po_free(&po);
    if (ok) {
        static char **before[LIB_LANGS], *rules[LIB_LANGS];
        texts_free(before[lang]);
        free(rules[lang]);
        before[lang] = texts;
        rules[lang] = rule;
        lib_row_replace(lang, (const char *const *)texts, rule);
    } else {
        texts_free(texts);
        free(rule);
    }
    return ok;
}
