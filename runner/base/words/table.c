/* Rows by number and by name. */
#include <string.h>
#include "runner/base/words/table.h"

/* Loaded from WARPLAB_WORDS. */
static lib_language loaded[LIB_LANGS];

const lib_row *lib_row_find(lib_word_id id) {
    size_t low = 0, high = lib_rows_n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (lib_rows[mid].id < id) low = mid + 1;
        else high = mid;
    }
    return low < lib_rows_n && lib_rows[low].id == id ? &lib_rows[low] : NULL;
}

const lib_row *lib_row_named(const char *name) {
    const lib_row *row = lib_row_find(lib_row_id(name));
    return row && !strcmp(row->name, name) ? row : NULL;
}

const char *lib_row_text(lib_lang lang, const lib_row *row, unsigned long long n) {
    size_t at = (size_t)(row - lib_rows);
    const lib_language *of = loaded[lang].texts && loaded[lang].texts[at] ? &loaded[lang]
                             : lib_languages[lang].texts[at]              ? &lib_languages[lang]
                                                                          : &lib_languages[LIB_EN];
    const char *text = of->texts[at];
    for (unsigned form = row->plural >= 0 ? lib_plural_form(of->rule, n) : 0; form; form--)
        text += strlen(text) + 1;
    return text;
}

lib_arg_form lib_row_arg_form(const lib_arg *arg) {
    lib_arg_form form;
    lib_row_form(arg->form, strlen(arg->form), &form);
    return form;
}

void lib_row_replace(lib_lang lang, const char *const *texts, const char *rule) {
    loaded[lang] = (lib_language){lib_languages[lang].name, rule, texts};
}

const char *lib_lang_name(lib_lang lang) {
    return lib_languages[lang].name;
}

const char *lib_word(lib_lang lang, lib_word_id id) {
    const lib_row *row = id ? lib_row_find(id) : NULL;
    return row ? lib_row_text(lang, row, 0) : "";
}

lib_word_id lib_words_named(const char *room, const char *name) {
    char id[128];
    size_t n = strlen(room), m = strlen(name);
    if (n + m + 2 > sizeof id) return 0;
    memcpy(id, room, n);
    id[n++] = '.';
    for (const char *p = name; *p; p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || *p == '.';
        id[n++] = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : letter ? *p : '-';
    }
    id[n] = 0;
    const lib_row *row = lib_row_named(id);
    return row && !row->n ? row->id : 0;
}

lib_word_id lib_words_said(const char *sentence) {
    for (size_t i = 0; i < lib_rows_said_n; i++) {
        const lib_row *row = &lib_rows[lib_rows_said[i]];
        if (!strcmp(lib_row_text(LIB_EN, row, 0), sentence)) return row->id;
    }
    return 0;
}

const char *lib_words_name(lib_word_id id) {
    const lib_row *row = lib_row_find(id);
    return row ? row->name : "";
}

lib_word_id lib_words_id(const char *name) {
    const lib_row *row = lib_row_named(name);
    return row ? row->id : 0;
}

const char *lib_words_argument(lib_word_id id, int i, lib_arg_type *type) {
    const lib_row *row = lib_row_find(id);
    if (!row || i < 0 || i >= row->n) return NULL;
    lib_arg_form form = lib_row_arg_form(&row->args[i]);
    *type = lib_row_type(&form);
    return row->args[i].name;
}
