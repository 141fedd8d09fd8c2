/* See i18n.h. */
#include "runner/term/i18n.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "words/term.h"

char *i18n_usage(lib_lang lang, const char *usage) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                      word[] = "-_abcdefghijklmnopqrstuvwxyz";
    lib_buffer b = {0};
    lib_buffer_puts(&b, "");
    for (const char *s = usage; *s;) {
        size_t n = strspn(s, letters);
        bool whole = n && !(s > usage && strchr(word, s[-1])) && !(s[n] && strchr(word, s[n]));
        char name[32] = "";
        if (whole) lib_say(name, sizeof name, "%.*s", (int)n, s);
        lib_word_id row = whole ? lib_words_named("term.usage", name) : 0;
        if (!n) n = 1;
        if (row) lib_buffer_puts(&b, lib_word(lang, row));
        else lib_buffer_add(&b, s, n);
        s += n;
    }
    return lib_buffer_take(&b);
}

const char *i18n_name(lib_lang lang) {
    return lib_lang_name(lang);
}

/* Compares the beginning: "zh_CN.UTF-8". */
static bool i18n_find(const char *name, lib_lang *lang) {
    for (int l = 0; l < LIB_LANGS; l++) {
        const char *code = lib_lang_name((lib_lang)l);
        if (strncmp(name, code, strlen(code)) != 0) continue;
        *lang = (lib_lang)l;
        return true;
    }
    return false;
}

bool i18n_parse(const char *name, lib_lang *lang) {
    if (i18n_find(name, lang)) return true;
    for (int l = 0; l < LIB_LANGS; l++) {
        if (strcasecmp(name, lib_word((lib_lang)l, W_TERM_LANGUAGE)) != 0) continue;
        *lang = (lib_lang)l;
        return true;
    }
    return false;
}

/* Returns the first variable that says which language the user reads; NULL if none does. */
static const char *i18n_locale(void) {
    static const char *const names[] = {"WARPLAB_LANG", "LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *v = getenv(names[i]);
        if (v && *v) return v;
    }
    return NULL;
}

lib_lang i18n_default(void) {
    const char *locale = i18n_locale();
    lib_lang lang = LIB_EN;
    if (locale) i18n_find(locale, &lang);
    return lang;
}

bool i18n_told(void) {
    const char *v = i18n_locale();
    return v && strcmp(v, "C") && strncmp(v, "C.", 2) && strcmp(v, "POSIX");
}
