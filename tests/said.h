/* Messages in tests. */
#ifndef WARPLAB_SAID_H
#define WARPLAB_SAID_H

#include "runner/base/message.h"

/* What it says; good until eight more were asked for in the thread. */
static inline const char *said_in(const lib_message *m, lib_lang lang) {
    static _Thread_local char texts[8][8192];
    static _Thread_local unsigned turn;
    return lib_message_text(texts[turn++ % 8], sizeof *texts, lang, m);
}
static inline const char *said(const lib_message *m) {
    return said_in(m, LIB_EN);
}
static inline const char *said_zh(const lib_message *m) {
    return said_in(m, LIB_ZH);
}
/* What has no row. zh: NULL for none. */
static inline void tell(lib_message *m, const char *en, const char *zh) {
    lib_message_set(m, lib_words_plain((lib_texts){{en, zh}}));
}

#endif
