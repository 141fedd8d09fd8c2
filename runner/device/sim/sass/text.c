/* Parts of the text: how a refusal quotes them, copies that stay, words at their start. */
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/sass/internal.h"
#include "runner/base/message.h"
#include "words/sass.h"

enum { QUOTED = 80 /* of a word in a message */ };

bool sass_fail(sass_reader *r, sass_text word, sass_words *why) {
    if (!r->failed) {
        int n = word.end - word.s > QUOTED ? QUOTED : (int)(word.end - word.s);
        char *shown = word.s ? strndup(word.s, (size_t)n) : NULL;
        for (char *c = shown; c && *c; c++)
            if ((unsigned char)*c < ' ' || (unsigned char)*c > '~') *c = '?';
        lib_message_set(r->msg, why(r->line, shown));
        free(shown);
    }
    r->failed = true;
    return false;
}

bool sass_no_memory(sass_reader *r) {
    if (!r->failed) lib_message_set(r->msg, w_sass_no_memory(r->line));
    r->failed = true;
    return false;
}

const char *sass_keep(sass_reader *r, sass_text t) {
    size_t n = (size_t)(t.end - t.s);
    char *kept = ptx_arena_get(r->arena, n + 1);
    if (!kept) {
        sass_no_memory(r);
        return NULL;
    }
    memcpy(kept, t.s, n);
    return kept;
}

bool sass_eat(sass_text *t, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(t->end - t->s) < n || memcmp(t->s, word, n) != 0) return false;
    t->s += n;
    return true;
}
