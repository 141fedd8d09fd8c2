/* See message.h. */
#include "runner/base/message.h"

#include <string.h>
#include "runner/base/words/table.h"
#include "words/catalogue.h"

void lib_message_set(lib_message *m, lib_words words) {
    if (!m) return;
    lib_message new = {.id = words.id}; /* an argument may point into *m */
    new.used = (unsigned)lib_words_pack(new.args, sizeof new.args, &words);
    *m = new;
}

bool lib_message_any(const lib_message *m) {
    return m->id || m->used;
}

bool lib_message_same(const lib_message *a, const lib_message *b) {
    return a->id == b->id && a->used == b->used && !memcmp(a->args, b->args, a->used);
}

lib_packed lib_message_packed(const lib_message *m) {
    return m ? (lib_packed){m->args, m->id, m->used} : (lib_packed){0};
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
