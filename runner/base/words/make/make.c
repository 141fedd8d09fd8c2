/* Turns the catalogues into code for the program: words-make FOLDER EN.po OTHER.po ...
 *
 *   FOLDER/langs.h   the languages, by the names of their files, English first
 *   FOLDER/ROOM.h    a constructor for each row of a room; for the client library's room, a
 *                    function that says it
 *   FOLDER/rows.c    all rows, by number; FOLDER/LANGUAGE.c: their texts
 *
 * A file is written only if it changes: a new sentence recompiles one table, a new row the users of
 * its room. Errors in a catalogue are printed as FILE:LINE: SENTENCE, and status 1 ends the
 * build. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/words/check.h"

enum { LANGUAGES = 16 };

typedef struct {
    const char *file;
    char name[16], *rule;
    unsigned forms;
    lib_po po;
} catalogue;

typedef struct {
    unsigned id;
    const lib_po_row *english;
    lib_row_args args;
    char c[128]; /* cli_no_lab */
} row;

static catalogue languages[LANGUAGES];
static int n_languages;
static row *rows;
static size_t n_rows;
static const char *folder;

static void stop_build(const char *file, unsigned line, const char *id, const char *what) {
    fprintf(stderr, "%s:%u: %s%s%s\n", file, line, id, *id ? ": " : "", what);
    exit(1);
}

/* ---- reading ---- */

static char *read_catalogue_text(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f) stop_build(path, 1, "", strerror(errno));
    char *text = malloc(LIB_PO_BYTES + 1);
    *n = text ? fread(text, 1, LIB_PO_BYTES + 1, f) : 0;
    fclose(f);
    return text;
}

static void read_catalogue(const char *path) {
    if (n_languages == LANGUAGES) stop_build(path, 1, "", "there are too many languages");
    catalogue *c = &languages[n_languages++];
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    c->file = path;
    size_t n = strcspn(base, ".");
    if (n < 2 || n >= sizeof c->name || strspn(base, "abcdefghijklmnopqrstuvwxyz") != n)
        stop_build(path, 1, "", "a catalogue is called LANGUAGE.po, in small letters");
    memcpy(c->name, base, n);
    char *text = read_catalogue_text(path, &n);
    lib_po_error e;
    if (!lib_po_read(&c->po, text, n, &e)) stop_build(path, e.line, "", e.what);
    free(text);
    c->rule = lib_po_header(&c->po, "Plural-Forms");
    if (!c->rule || !lib_plural_read(c->rule, &c->forms))
        stop_build(path, 1, "", "the header says no Plural-Forms that can be understood");
}

/* ---- rows ---- */

static bool id_ok(const char *id) {
    size_t n = strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789.-");
    return strlen(id) < 100 && !id[n] && *id >= 'a' && *id <= 'z' && strchr(id, '.') &&
           strchr(id, '.')[1] && id[n - 1] != '.';
}

static int by_id(const void *a, const void *b) {
    const row *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_c(const void *a, const void *b) {
    const row *x = *(const row *const *)a, *y = *(const row *const *)b;
    int order = strcmp(x->c, y->c);
    return order ? order
                 : (x->english->line > y->english->line) - (x->english->line < y->english->line);
}

static const row *row_called(const char *id) {
    row key = {.id = lib_row_id(id)};
    const row *r = bsearch(&key, rows, n_rows, sizeof *rows, by_id);
    return r && !strcmp(r->english->id, id) ? r : NULL;
}

/* {n:@count.warps} needs a row count.warps with one whole number. */
static void check_counted(const catalogue *c, const lib_po_row *in) {
    lib_piece piece;
    for (unsigned f = 0; f < in->forms; f++)
        for (const char *at = in->form[f]; lib_row_piece(&at, &piece) > 0;) {
            if (!piece.name || piece.form.as != '@') continue;
            char id[128];
            snprintf(id, sizeof id, "%.*s", (int)piece.form.row_n, piece.form.row);
            const row *r = row_called(id);
            if (!r || r->args.n != 1 || lib_row_type(&r->args.form[0]) != LIB_ARG_INTEGER)
                stop_build(c->file, in->line, in->id, "@ names no row with one whole number");
            if (r->args.form[0].as == '@')
                stop_build(c->file, in->line, in->id, "@ names a row that itself has an @");
        }
}

static void english_rows(void) {
    const catalogue *c = &languages[0];
    n_rows = c->po.n;
    rows = calloc(n_rows + 1, sizeof *rows);
    const row **sorted = malloc((n_rows + 1) * sizeof(*sorted));
    if (!rows || !sorted) stop_build(c->file, 1, "", "out of memory");
    for (size_t i = 0; i < n_rows; i++) {
        row *r = &rows[i];
        r->english = &c->po.rows[i];
        const lib_po_row *e = r->english;
        if (!id_ok(e->id))
            stop_build(c->file, e->line, e->id, "an id is ROOM.WHAT-IT-SAYS, in small letters");
        const char *what = lib_row_args_read(e, &r->args);
        if (what) stop_build(c->file, e->line, e->id, what);
        if (!lib_row_translated(e)) stop_build(c->file, e->line, e->id, "English has no text here");
        if (e->plural && e->forms != c->forms)
            stop_build(c->file, e->line, e->id, "a plural has not as many forms as Plural-Forms");
        r->id = lib_row_id(e->id);
        snprintf(r->c, sizeof r->c, "%s", e->id);
        for (char *p = r->c; *p; p++)
            if (*p == '.' || *p == '-') *p = '_';
    }
    qsort(rows, n_rows, sizeof *rows, by_id);
    for (size_t i = 0; i < n_rows; i++) sorted[i] = &rows[i];
    qsort(sorted, n_rows, sizeof(*sorted), by_c);
    for (size_t i = 1; i < n_rows; i++) {
        if (rows[i].id == rows[i - 1].id)
            stop_build(c->file, rows[i].english->line, rows[i].english->id,
                       "two ids have the same number: rename one");
        if (!strcmp(sorted[i]->c, sorted[i - 1]->c))
            stop_build(c->file, sorted[i]->english->line, sorted[i]->english->id,
                       "two ids are one name in C: rename one");
    }
    free(sorted);
    for (size_t i = 0; i < n_rows; i++) check_counted(c, rows[i].english);
}

/* ---- writing ---- */

static void write_changed(const char *name, const char *ending, lib_buffer *b) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    if (b->failed || !b->s) stop_build(path, 1, "", "out of memory");
    FILE *f = fopen(path, "rb");
    bool same = false;
    if (f) {
        char *old = malloc(b->n + 1);
        same = old && fread(old, 1, b->n + 1, f) == b->n && !memcmp(old, b->s, b->n);
        free(old);
        fclose(f);
    }
    if (!same) {
        f = fopen(path, "wb");
        if (!f || fwrite(b->s, 1, b->n, f) != b->n || fclose(f))
            stop_build(path, 1, "", "cannot be written");
    }
    lib_buffer_free(b);
}

static void put_upper(lib_buffer *b, const char *s) {
    for (; *s; s++) lib_buffer_printf(b, "%c", *s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s);
}

static void put_c_text(lib_buffer *b, const char *s, size_t n) {
    lib_buffer_puts(b, "\"");
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '"' || c == '\\') lib_buffer_printf(b, "\\%c", c);
        else if (c < 0x20 || c > 0x7E || c == '?') lib_buffer_printf(b, "\\%03o", c);
        else lib_buffer_printf(b, "%c", c);
    }
    lib_buffer_puts(b, "\"");
}

static void write_langs(void) {
    lib_buffer b = {0};
    lib_buffer_puts(&b, "/* Made of the catalogues in runner/base/words. */\n"
                        "#ifndef WORDS_LANGS_H\n#define WORDS_LANGS_H\n\ntypedef enum {\n");
    for (int i = 0; i < n_languages; i++) {
        lib_buffer_puts(&b, "    LIB_");
        put_upper(&b, languages[i].name);
        lib_buffer_puts(&b, ",\n");
    }
    lib_buffer_printf(&b, "} lib_lang;\nenum { LIB_LANGS = %d };\n\n#endif\n", n_languages);
    write_changed("langs", ".h", &b);
}

static const struct {
    const char *type, *value; /* of a parameter; of an argument, printf with its name */
} c_types[] = {
    [LIB_ARG_TEXT] = {"const char *", ".s = "},
    [LIB_ARG_INTEGER] = {"long long ", ".i = "},
    [LIB_ARG_REAL] = {"double ", ".r = "},
    [LIB_ARG_ERROR] = {"int ", ".i = "},
    [LIB_ARG_WORD] = {"lib_word_id ", ".w = "},
    [LIB_ARG_MESSAGE] = {"const lib_message *", ".m = lib_message_packed("},
    [LIB_ARG_TEXTS] = {"lib_texts ", ".t = "},
};

/* Parameters end in "_", so that they hide no name of a file that includes the header, and no word
 * of C. */
static void put_constructor(lib_buffer *b, const row *r) {
    lib_buffer_puts(b, "enum { ");
    lib_buffer_puts(b, r->args.n ? "WITH_" : "W_");
    put_upper(b, r->c);
    lib_buffer_printf(b, " = 0x%08X };\nstatic inline lib_words w_%s(", r->id, r->c);
    for (int i = 0; i < r->args.n; i++)
        lib_buffer_printf(b, "%s%s%.*s_", i ? ", " : "",
                          c_types[lib_row_type(&r->args.form[i])].type, (int)r->args.name_n[i],
                          r->args.name[i]);
    lib_buffer_printf(b, "%s) {\n    return (lib_words){.id = 0x%08X", r->args.n ? "" : "void",
                      r->id);
    for (int i = 0; i < r->args.n; i++) {
        lib_arg_type type = lib_row_type(&r->args.form[i]);
        lib_buffer_printf(b, ",%s{%s%.*s_%s}", i ? " " : " .args = {", c_types[type].value,
                          (int)r->args.name_n[i], r->args.name[i],
                          type == LIB_ARG_MESSAGE ? ")" : "");
    }
    lib_buffer_printf(b, "%s};\n}\n\n", r->args.n ? "}" : "");
}

/* ---- the client library (runner/device/cudart): only libc, with the texts of its rows compiled
 * in. It can only put texts and plain numbers into words ---- */

static const char client_room[] = "cudart";

static void put_client_text(lib_buffer *b, const catalogue *c, const row *r) {
    const lib_po_row *in = NULL;
    lib_piece piece;
    for (size_t i = 0; !in && i < c->po.n; i++)
        if (!strcmp(c->po.rows[i].id, r->english->id)) in = &c->po.rows[i];
    if (!in || !lib_row_translated(in)) return;
    lib_buffer_printf(b, "        {\"%s\", ", c->name);
    for (const char *at = in->form[0]; lib_row_piece(&at, &piece) > 0;) {
        if (!piece.name) {
            put_c_text(b, piece.text, piece.n);
            continue;
        }
        int k = 0;
        while (k < r->args.n && (r->args.name_n[k] != piece.name_n ||
                                 memcmp(r->args.name[k], piece.name, piece.name_n) != 0))
            k++;
        char as = piece.form.as ? piece.form.as : k < r->args.n ? r->args.form[k].as : 0;
        if (in->plural || (as != 's' && as != 'u') || piece.form.width)
            stop_build(c->file, in->line, in->id, "the client library says texts and {n:u} only");
        lib_buffer_printf(b, "\"\\%03o\"", (unsigned)k + 1);
    }
    lib_buffer_puts(b, "},\n");
}

static void put_client_row(lib_buffer *b, const row *r) {
    lib_buffer_printf(b, "static inline void w_%s(bool *once_", r->c);
    for (int i = 0; i < r->args.n; i++)
        lib_buffer_printf(b, ", %s%.*s_", c_types[lib_row_type(&r->args.form[i])].type,
                          (int)r->args.name_n[i], r->args.name[i]);
    lib_buffer_puts(b, ") {\n    static const wl_text texts[] = {\n");
    for (int l = 0; l < n_languages; l++) put_client_text(b, &languages[l], r);
    lib_buffer_puts(b, "        {0, 0}};\n    wl_say(once_, texts, ");
    for (int i = 0; i < r->args.n; i++)
        lib_buffer_printf(
            b, lib_row_type(&r->args.form[i]) == LIB_ARG_TEXT ? "%s%.*s_" : "%sWL_NUMBER(%.*s_)",
            i ? ", " : "(const char *const[]){", (int)r->args.name_n[i], r->args.name[i]);
    lib_buffer_puts(b, r->args.n ? "});\n}\n\n" : "0);\n}\n\n");
}

static int by_room(const void *a, const void *b) {
    const row *x = *(const row *const *)a, *y = *(const row *const *)b;
    size_t n = strcspn(x->english->id, "."), m = strcspn(y->english->id, ".");
    int order = memcmp(x->english->id, y->english->id, n < m ? n : m);
    if (order || n != m) return order ? order : n < m ? -1 : 1;
    return (x->english->line > y->english->line) - (x->english->line < y->english->line);
}

static void write_rooms(void) {
    const row **sorted = malloc((n_rows + 1) * sizeof(*sorted));
    if (!sorted) stop_build(folder, 1, "", "out of memory");
    for (size_t i = 0; i < n_rows; i++) sorted[i] = &rows[i];
    qsort(sorted, n_rows, sizeof(*sorted), by_room);
    for (size_t i = 0; i < n_rows;) {
        char room[100];
        size_t n = strcspn(sorted[i]->english->id, ".");
        snprintf(room, sizeof room, "%.*s", (int)n, sorted[i]->english->id);
        lib_buffer b = {0};
        lib_buffer_printf(&b,
                          "/* Made of the rows of \"%s\" in runner/base/words/en.po. */\n"
                          "#ifndef WORDS_",
                          room);
        put_upper(&b, room);
        lib_buffer_puts(&b, "_H\n#define WORDS_");
        put_upper(&b, room);
        bool client = !strcmp(room, client_room);
        lib_buffer_printf(&b, "_H\n\n#include \"%s\"\n\n",
                          client ? "runner/device/cudart/client.h" : "runner/base/message.h");
        for (; i < n_rows && strcspn(sorted[i]->english->id, ".") == n &&
               !memcmp(sorted[i]->english->id, room, n);
             i++)
            (client ? put_client_row : put_constructor)(&b, sorted[i]);
        lib_buffer_puts(&b, "#endif\n");
        write_changed(room, ".h", &b);
    }
    free(sorted);
}

static void put_form(lib_buffer *b, const lib_arg_form *form) {
    static const char *const names[128] = {
        ['l'] = "lines", ['L'] = "list", ['q'] = "said", ['W'] = "wan", ['B'] = "bytes"};
    char as[2] = {form->as, 0};
    if (form->width) lib_buffer_printf(b, "0%d", form->width);
    if (form->digits >= 0) lib_buffer_printf(b, ".%d", form->digits);
    lib_buffer_printf(b, "%s%.*s",
                      names[(unsigned char)form->as] ? names[(unsigned char)form->as] : as,
                      (int)form->row_n, form->row ? form->row : "");
}

static void write_rows(void) {
    lib_buffer b = {0}, said = {0};
    size_t n_said = 0;
    lib_buffer_puts(&b, "/* Made of the catalogues in runner/base/words. */\n"
                        "#include \"runner/base/words/table.h\"\n\nconst lib_row lib_rows[] = {\n");
    for (size_t i = 0; i < n_rows; i++) {
        const row *r = &rows[i];
        lib_buffer_printf(&b, "    {0x%08X, %d, %d, \"%s\", ", r->id, r->args.n, r->args.plural,
                          r->english->id);
        lib_buffer_puts(&b, r->args.n ? "(const lib_arg[]){" : "0");
        for (int a = 0; a < r->args.n; a++) {
            lib_buffer_printf(&b, "{\"%.*s\", \"", (int)r->args.name_n[a], r->args.name[a]);
            put_form(&b, &r->args.form[a]);
            lib_buffer_puts(&b, "\"}, ");
        }
        lib_buffer_printf(&b, "%s},\n", r->args.n ? "}" : "");
        if (!strncmp(r->english->id, "said.", 5) || !strncmp(r->english->id, "error.", 6))
            lib_buffer_printf(&said, "%zu, ", i), n_said++;
    }
    lib_buffer_printf(&b, "};\nconst size_t lib_rows_n = %zu;\n", n_rows);
    lib_buffer_printf(
        &b, "const size_t lib_rows_said[] = {%s0};\nconst size_t lib_rows_said_n = %zu;\n",
        said.s ? said.s : "", n_said);
    for (int l = 0; l < n_languages; l++)
        lib_buffer_printf(&b, "extern const char *const lib_texts_%s[];\n", languages[l].name);
    lib_buffer_puts(&b, "const lib_language lib_languages[LIB_LANGS] = {\n");
    for (int l = 0; l < n_languages; l++) {
        lib_buffer_printf(&b, "    {\"%s\", ", languages[l].name);
        put_c_text(&b, languages[l].rule, strlen(languages[l].rule));
        lib_buffer_printf(&b, ", lib_texts_%s},\n", languages[l].name);
    }
    lib_buffer_puts(&b, "};\n");
    lib_buffer_free(&said);
    write_changed("rows", ".c", &b);
}

static void write_texts(const catalogue *c) {
    lib_buffer b = {0};
    const lib_po_row **texts = calloc(n_rows + 1, sizeof(*texts));
    if (!texts) stop_build(c->file, 1, "", "out of memory");
    for (size_t i = 0; i < c->po.n; i++) {
        const lib_po_row *from = &c->po.rows[i];
        const row *r = row_called(from->id);
        if (!r) stop_build(c->file, from->line, from->id, "English has no such row");
        if (!lib_row_translated(from)) continue;
        const char *what = lib_row_check(from, &r->args, c->forms);
        if (what) stop_build(c->file, from->line, from->id, what);
        check_counted(c, from);
        texts[r - rows] = from;
    }
    size_t missing = 0, first = 0;
    lib_buffer_printf(&b,
                      "/* Made of runner/base/words/%s.po. */\n"
                      "extern const char *const lib_texts_%s[];\n"
                      "const char *const lib_texts_%s[] = {\n",
                      c->name, c->name, c->name);
    for (size_t i = 0; i < n_rows; i++) {
        size_t n = 0;
        char *text = texts[i] ? lib_row_joined(texts[i], !rows[i].args.n, &n) : NULL;
        if (text) put_c_text(&b, text, n - 1);
        else {
            lib_buffer_puts(&b, "0");
            if (!missing++ || rows[i].english->line < rows[first].english->line) first = i;
        }
        lib_buffer_puts(&b, ",\n");
        free(text);
    }
    lib_buffer_puts(&b, "};\n");
    free(texts);
    write_changed(c->name, ".c", &b);
    if (missing)
        fprintf(stderr, "%s:1: rows that are not translated: %zu, the first of them %s\n", c->file,
                missing, rows[first].english->id);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fputs("usage: words-make FOLDER EN.po OTHER.po ...\n", stderr);
        return 2;
    }
    folder = argv[1];
    for (int i = 2; i < argc; i++) read_catalogue(argv[i]);
    if (strcmp(languages[0].name, "en") != 0) stop_build(argv[2], 1, "", "English comes first");
    english_rows();
    write_langs();
    write_rooms();
    write_rows();
    for (int i = 0; i < n_languages; i++) write_texts(&languages[i]);
    for (int i = 0; i < n_languages; i++) {
        lib_po_free(&languages[i].po);
        free(languages[i].rule);
    }
    free(rows);
    return 0;
}
