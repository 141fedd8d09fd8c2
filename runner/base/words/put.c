/* Puts words into a language. */
#include <stdlib.h>
#include <string.h>
#include "runner/base/say.h"
#include "runner/base/words/table.h"
#include "words/base.h"

static void words_put(lib_buffer *b, lib_lang lang, const lib_words *w, int depth);

static const char *text_in(const lib_texts *texts, lib_lang lang) {
    return texts->in[lang] ? texts->in[lang] : texts->in[LIB_EN] ? texts->in[LIB_EN] : "";
}

/* Prints its lines with the language's comma between them. */
static void put_list(lib_buffer *b, lib_lang lang, const char *text) {
    for (bool first = true; *text; first = false) {
        size_t n = strcspn(text, "\n");
        if (!first) lib_buffer_puts(b, lib_word(lang, W_BASE_LIST_COMMA));
        lib_buffer_shown(b, "%.*s", (int)n, text);
        text += n + (text[n] != 0);
    }
}

static void put_string_argument(lib_buffer *b, lib_lang lang, char as, const char *text) {
    if (!text) text = "";
    lib_word_id said = as == 'q' ? lib_words_said(text) : 0;
    if (said) {
        lib_buffer_puts(b, lib_word(lang, said));
    } else if (as == 'L') {
        put_list(b, lang, text);
    } else if (as == 'l') {
        char *shown = lib_shown(text, strlen(text));
        lib_buffer_puts(b, shown ? shown : "");
        free(shown);
    } else {
        lib_buffer_shown(b, "%s", text);
    }
}

/* Prints through a row of one argument, "3 warps". */
static void put_counted(lib_buffer *b, lib_lang lang, const lib_arg_form *form, long long v,
                        int depth) {
    char name[128];
    SAY(name, "%.*s", (int)form->row_n, form->row);
    const lib_row *row = lib_row_named(name);
    lib_words w = {.args = {{.i = v}}};
    if (!row) return;
    w.id = row->id;
    words_put(b, lang, &w, depth + 1);
}

static void put_size(lib_buffer *b, lib_lang lang, long long v, int depth) {
    static const lib_arg_form bytes = {.row = "count.bytes", .row_n = sizeof "count.bytes" - 1};
    char buf[32];
    if (v < 10000) put_counted(b, lang, &bytes, v, depth);
    else lib_buffer_printf(b, "%s MB", lib_figure(buf, 3, (double)v / 1e6));
}

static void put_integer(lib_buffer *b, lib_lang lang, const lib_arg_form *form, long long v,
                        int depth) {
    char buf[32], plain[32];
    switch (form->as) {
    case 'd':
        snprintf(plain, sizeof plain, "%lld", v);
        lib_buffer_puts(b, lib_group(buf, sizeof buf, plain));
        break;
    case 'x': lib_buffer_printf(b, "0x%0*llx", form->width, (unsigned long long)v); break;
    case 'W': lib_buffer_puts(b, lib_wan(buf, (double)v)); break;
    case '@': put_counted(b, lang, form, v, depth); break;
    case 'B': put_size(b, lang, v, depth); break;
    default: lib_buffer_printf(b, "%0*lld", form->width, v); break;
    }
}

static void put_real(lib_buffer *b, const lib_arg_form *form, double v) {
    char buf[512], plain[384]; /* of the largest double */
    switch (form->as) {
    case 'f':
        snprintf(plain, sizeof plain, "%.*f", form->digits, v);
        lib_buffer_puts(b, lib_group(buf, sizeof buf, plain));
        break;
    case 'W': lib_buffer_puts(b, lib_wan(buf, v)); break;
    default: lib_buffer_puts(b, lib_figure(buf, form->digits >= 0 ? form->digits : 6, v)); break;
    }
}

static void put_message(lib_buffer *b, lib_lang lang, const lib_packed *m, int depth) {
    lib_words w;
    if (lib_words_unpack(&w, *m)) words_put(b, lang, &w, depth + 1);
}

static void put_argument(lib_buffer *b, lib_lang lang, const lib_arg_form *form, lib_arg_type type,
                         const lib_arg_value *v, int depth) {
    switch (type) {
    case LIB_ARG_TEXT: put_string_argument(b, lang, form->as, v->s); break;
    case LIB_ARG_INTEGER: put_integer(b, lang, form, v->i, depth); break;
    case LIB_ARG_REAL: put_real(b, form, v->r); break;
    case LIB_ARG_ERROR: {
        lib_word_id id = lib_words_error((int)v->i);
        lib_buffer_puts(b, id ? lib_word(lang, id) : strerror((int)v->i));
        break;
    }
    case LIB_ARG_WORD: lib_buffer_puts(b, lib_word(lang, v->w)); break;
    case LIB_ARG_MESSAGE: put_message(b, lang, &v->m, depth); break;
    case LIB_ARG_TEXTS: put_string_argument(b, lang, 's', text_in(&v->t, lang)); break;
    case LIB_ARG_NONE: break;
    }
}

static int argument_index(const lib_row *row, const lib_piece *piece) {
    for (int i = 0; i < row->n; i++)
        if (strlen(row->args[i].name) == piece->name_n &&
            !memcmp(row->args[i].name, piece->name, piece->name_n))
            return i;
    return -1;
}

static void put_row(lib_buffer *b, lib_lang lang, const lib_row *row, const lib_words *w,
                    int depth) {
    long long n = row->plural >= 0 ? w->args[row->plural].i : 0;
    const char *at =
        lib_row_text(lang, row, n < 0 ? 0ULL - (unsigned long long)n : (unsigned long long)n);
    lib_piece piece;
    if (!row->n) {
        lib_buffer_puts(b, at);
        return;
    }
    while (lib_row_piece(&at, &piece) > 0) {
        int i = piece.name ? argument_index(row, &piece) : -1;
        if (!piece.name) lib_buffer_add(b, piece.text, piece.n);
        if (i < 0) continue;
        lib_arg_form english = lib_row_arg_form(&row->args[i]);
        put_argument(b, lang, piece.form.as ? &piece.form : &english, lib_row_type(&english),
                     &w->args[i], depth);
    }
}

static void words_put(lib_buffer *b, lib_lang lang, const lib_words *w, int depth) {
    const lib_row *row = w->id ? lib_row_find(w->id) : NULL;
    if (row && depth < LIB_WORDS_DEEP) put_row(b, lang, row, w, depth);
    else if (!w->id) put_string_argument(b, lang, 'l', text_in(&w->args[0].t, lang));
    else lib_buffer_puts(b, "...");
}

void lib_words_put(lib_buffer *b, lib_lang lang, lib_words w) {
    words_put(b, lang, &w, 0);
}

const char *lib_words_text(char *buf, size_t n, lib_lang lang, lib_words w) {
    lib_buffer b = {0};
    words_put(&b, lang, &w, 0);
    lib_say(buf, n, "%s", b.s ? b.s : "");
    lib_buffer_free(&b);
    return buf;
}

void lib_words_print(FILE *to, lib_lang lang, lib_words w) {
    lib_buffer b = {0};
    words_put(&b, lang, &w, 0);
    if (b.s) fwrite(b.s, 1, b.n, to);
    lib_buffer_free(&b);
}

char *lib_words_take(lib_lang lang, lib_words w) {
    lib_buffer b = {0};
    words_put(&b, lang, &w, 0);
    char *text = lib_strdup(b.s ? b.s : "");
    lib_buffer_free(&b);
    return text;
}
