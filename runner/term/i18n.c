/* See i18n.h. */
#include "runner/term/i18n.h"

#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"

/* The Chinese of a word of capitals, NULL: it has none. */
static const char *placeholder(const char *s, size_t n) {
    static const char *const words[][2] = {
#define PLACEHOLDER(en, zh) {en, zh},
#include "runner/term/placeholders.def"
#undef PLACEHOLDER
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i][0]) == n && !memcmp(words[i][0], s, n)) return words[i][1];
    return NULL;
}

char *i18n_usage(lib_lang lang, const char *usage) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                      word[] = "-_abcdefghijklmnopqrstuvwxyz";
    lib_buffer b = {0};
    lib_buffer_puts(&b, "");
    for (const char *s = usage; *s;) {
        size_t n = strspn(s, letters);
        bool whole = n && !(s > usage && strchr(word, s[-1])) && !(s[n] && strchr(word, s[n]));
        const char *zh = whole && lang == LIB_ZH ? placeholder(s, n) : NULL;
        if (!n) n = 1;
        if (zh) lib_buffer_puts(&b, zh);
        else lib_buffer_add(&b, s, n);
        s += n;
    }
    return lib_buffer_take(&b);
}

const char *i18n_name(lib_lang lang) {
    return lang == LIB_ZH ? "zh" : "en";
}

bool i18n_parse(const char *name, lib_lang *lang) {
    if (!strncmp(name, "zh", 2) || !strcmp(name, "中文")) *lang = LIB_ZH;
    else if (!strncmp(name, "en", 2) || !strcmp(name, "english")) *lang = LIB_EN;
    else return false;
    return true;
}

lib_lang i18n_default(void) {
    static const char *const names[] = {"WARPLAB_LANG", "LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *v = getenv(names[i]);
        if (v && *v) return !strncmp(v, "zh", 2) ? LIB_ZH : LIB_EN;
    }
    return LIB_EN;
}

bool i18n_told(void) {
    static const char *const names[] = {"WARPLAB_LANG", "LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *v = getenv(names[i]);
        if (v && *v) return strcmp(v, "C") && strncmp(v, "C.", 2) && strcmp(v, "POSIX");
    }
    return false;
}
