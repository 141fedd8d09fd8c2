/* See message.h. */
#include "runner/base/message.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "runner/base/words/table.h"
#include "words/catalogue.h"

void lib_message_set(lib_message *m, lib_words words) {
    if (!m) return;
    lib_message new = {.id = words.id}; /* an argument may lie in *m */
    new.used = (unsigned)lib_words_pack(new.args, sizeof new.args, &words);
    lib_words_text(new.text, sizeof new.text, LIB_EN, lib_message_words(&new));
    lib_words_text(new.zh, sizeof new.zh, LIB_ZH, lib_message_words(&new));
    *m = new;
}

bool lib_message_any(const lib_message *m) {
    return m->id || m->used || m->text[0];
}

lib_packed lib_message_packed(const lib_message *m) {
    if (!m) return (lib_packed){0};
    /* One without a row: its texts stand in it one behind the other. To go. */
    if (!m->id && !m->used && m->text[0]) {
        static _Thread_local char texts[4][sizeof m->text + sizeof m->zh];
        static _Thread_local unsigned turn;
        char *at = texts[turn++ % 4];
        lib_words words = lib_words_plain((lib_texts){{[LIB_EN] = m->text, [LIB_ZH] = m->zh}});
        size_t n = lib_words_pack(at, sizeof *texts, &words);
        return (lib_packed){at, 0, (unsigned)n};
    }
    return (lib_packed){m->args, m->id, m->used};
}

lib_words lib_message_words(const lib_message *m) {
    lib_words words;
    if (!lib_words_unpack(&words, lib_message_packed(m))) words = (lib_words){0};
    return words;
}

const char *lib_message_text(char *buf, size_t n, lib_lang lang, const lib_message *m) {
    return lib_words_text(buf, n, lang, lib_message_words(m));
}

/* ---- as bytes ---- */

size_t lib_message_write(const lib_message *m, void *to, size_t n) {
    const lib_row *row = m->id ? lib_row_find(m->id) : NULL;
    lib_packed packed = lib_message_packed(m);
    const char *name = row ? row->name : "";
    size_t head = strlen(name) + 1;
    if (head + packed.n > n) return 0;
    memcpy(to, name, head);
    if (packed.n) memcpy((char *)to + head, packed.at, packed.n);
    return head + packed.n;
}

bool lib_message_read(lib_message *m, const void *bytes, size_t n) {
    const char *name = bytes, *end = n ? memchr(name, 0, n) : NULL;
    size_t head = end ? (size_t)(end - name) + 1 : 0;
    const lib_row *row = end && *name ? lib_row_named(name) : NULL;
    lib_words words;
    if (end && (row || !*name) &&
        lib_words_unpack(&words, (lib_packed){end + 1, row ? row->id : 0, (unsigned)(n - head)})) {
        lib_message_set(m, words);
        return true;
    }
    lib_message_set(m, w_catalogue_not_understood(end ? name : ""));
    return false;
}

/* ---- to go ---- */

static const char *english(size_t i) {
    return lib_row_text(LIB_EN, &lib_rows[lib_rows_said[i]], 0);
}

void lib_chinese(char *text, size_t n) {
    /* Where one sentence holds another, the longer one comes first. */
    for (size_t length = 100; length > 2; length--)
        for (size_t i = 0; i < lib_rows_said_n; i++) {
            const char *en = english(i), *at = strlen(en) == length ? strstr(text, en) : NULL;
            if (!at) continue;
            lib_buffer b = {0};
            const char *rest = text;
            for (; at; at = strstr(rest, en)) {
                lib_buffer_add(&b, rest, (size_t)(at - rest));
                lib_buffer_puts(&b, lib_row_text(LIB_ZH, &lib_rows[lib_rows_said[i]], 0));
                rest = at + strlen(en);
            }
            lib_buffer_puts(&b, rest);
            if (b.s) lib_say(text, n, "%s", b.s);
            lib_buffer_free(&b);
        }
}

const char *lib_error_in(int error, lib_lang lang) {
    lib_word_id id = lib_words_error(error);
    return id ? lib_word(lang, id) : strerror(error);
}

void lib_message_say(lib_message *m, const char *format, ...) {
    if (!m) return;
    va_list ap;
    va_start(ap, format);
    lib_vsay(m->text, sizeof m->text, format, ap);
    va_end(ap);
    m->zh[0] = 0;
    m->id = m->used = 0;
}

void lib_message_set2(lib_message *m, const char *en, const char *zh, ...) {
    if (!m) return;
    va_list ap, again;
    va_start(ap, zh);
    va_copy(again, ap);
    lib_vsay(m->text, sizeof m->text, en, ap);
    lib_vsay(m->zh, sizeof m->zh, zh, again);
    lib_chinese(m->zh, sizeof m->zh);
    m->id = m->used = 0;
    va_end(again);
    va_end(ap);
}

const char *lib_message_in(const lib_message *m, lib_lang lang) {
    return lang == LIB_ZH && m->zh[0] ? m->zh : m->text;
}

void lib_message_put(const lib_message *m, char *en, char *zh, size_t n) {
    bool english = !m->zh[0] && m->text[0];
    lib_say(en, n, "%s", m->text);
    lib_say(zh, n, "%s%s", english ? lib_word(LIB_ZH, W_CATALOGUE_ENGLISH_ONLY) : "",
            lib_message_in(m, LIB_ZH));
}
