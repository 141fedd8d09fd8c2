/* Arguments as bytes, in the order of English. A text has its NUL; a whole number, a real one and
 * an errno take eight bytes; a row takes four; a message is its row (four), its length (two) and
 * its bytes; a text in each language is that many texts. */
#include <string.h>
#include "runner/base/say.h"
#include "runner/base/words/table.h"

enum { HEAD = 6, LEAST = 8 }; /* bytes of a message's head; the least that a cut argument gets */

/* Returns a row's arguments; those of id 0 are one, a text in each language. */
static int row_arguments(const lib_row *row) {
    return row ? row->n : 1;
}

static lib_arg_type argument_type(const lib_row *row, int i) {
    if (!row) return LIB_ARG_TEXTS;
    lib_arg_form form = lib_row_arg_form(&row->args[i]);
    return lib_row_type(&form);
}

/* ---- how much each may have ---- */

typedef struct {
    size_t fixed;                       /* bytes of everything that cannot be cut */
    size_t wants[LIB_ARGS * LIB_LANGS]; /* bytes of each argument that can be cut */
    size_t n;
} needs;

static size_t text_need(const char *text) {
    return (text ? strlen(text) : 0) + 1;
}

static needs pack_needs(const lib_row *row, const lib_words *w) {
    needs of = {0};
    for (int i = 0; i < row_arguments(row); i++) {
        const lib_arg_value *v = &w->args[i];
        switch (argument_type(row, i)) {
        case LIB_ARG_TEXT: of.wants[of.n++] = text_need(v->s); break;
        case LIB_ARG_TEXTS:
            for (int l = 0; l < LIB_LANGS; l++) of.wants[of.n++] = text_need(v->t.in[l]);
            break;
        case LIB_ARG_MESSAGE:
            of.fixed += HEAD;
            of.wants[of.n++] = v->m.n;
            break;
        case LIB_ARG_WORD: of.fixed += 4; break;
        default: of.fixed += 8; break;
        }
    }
    return of;
}

/* Returns the most that each may have so that all fit into `room`. What the small ones do not need
 * goes to the large ones. */
static size_t pack_share(const needs *of, size_t room) {
    size_t most = 0, settled = 0, taken = 0;
    for (bool more = true; more && settled < of->n;) {
        size_t now = (room > taken ? room - taken : 0) / (of->n - settled);
        more = now > most;
        if (more) most = now;
        settled = taken = 0;
        for (size_t i = 0; i < of->n; i++)
            if (of->wants[i] <= most) settled++, taken += of->wants[i];
    }
    return most;
}

/* ---- into bytes ---- */

typedef struct {
    unsigned char *to;
    size_t n;
} packer;

static void pack_bytes(packer *p, const void *bytes, size_t n) {
    memcpy(p->to + p->n, bytes, n);
    p->n += n;
}

static void pack_text(packer *p, const char *text, size_t most) {
    char *to = (char *)p->to + p->n;
    lib_say(to, most < text_need(text) ? most : text_need(text), "%s", text ? text : "");
    p->n += strlen(to) + 1;
}

static bool pack(packer *p, size_t room, const lib_words *w, int depth);

/* A message that does not fit even when cut is left out. */
static void pack_message(packer *p, const lib_packed *m, size_t most, int depth) {
    size_t head = p->n;
    lib_words in;
    packer inner = {.to = p->to + p->n + HEAD};
    bool there = (m->id || m->n) && lib_words_unpack(&in, *m) &&
                 pack(&inner, m->n < most ? m->n : most, &in, depth + 1);
    lib_word_id id = there ? m->id : 0;
    uint16_t n = there ? (uint16_t)inner.n : 0;
    memcpy(p->to + head, &id, 4);
    memcpy(p->to + head + 4, &n, 2);
    p->n += HEAD + n;
}

static bool pack(packer *p, size_t room, const lib_words *w, int depth) {
    const lib_row *row = w->id ? lib_row_find(w->id) : NULL;
    if ((w->id && !row) || depth >= LIB_WORDS_DEEP) return false;
    needs of = pack_needs(row, w);
    size_t all = of.fixed, most = SIZE_MAX;
    for (size_t i = 0; i < of.n; i++) all += of.wants[i];
    if (all > room) {
        if (of.fixed + of.n * LEAST > room) return false;
        most = pack_share(&of, room - of.fixed);
    }
    for (int i = 0; i < row_arguments(row); i++) {
        const lib_arg_value *v = &w->args[i];
        switch (argument_type(row, i)) {
        case LIB_ARG_TEXT: pack_text(p, v->s, most); break;
        case LIB_ARG_TEXTS:
            for (int l = 0; l < LIB_LANGS; l++) pack_text(p, v->t.in[l], most);
            break;
        case LIB_ARG_MESSAGE: pack_message(p, &v->m, most, depth); break;
        case LIB_ARG_WORD: pack_bytes(p, &v->w, 4); break;
        case LIB_ARG_REAL: pack_bytes(p, &v->r, 8); break;
        default: pack_bytes(p, &v->i, 8); break;
        }
    }
    return true;
}

size_t lib_words_pack(void *to, size_t room, const lib_words *w) {
    packer p = {.to = to};
    bool none = !w->id;
    for (int l = 0; none && l < LIB_LANGS; l++) none = !w->args[0].t.in[l] || !*w->args[0].t.in[l];
    return !none && pack(&p, room, w, 0) ? p.n : 0;
}

/* ---- and back ---- */

typedef struct {
    const unsigned char *at;
    size_t left;
} unpacker;

static bool unpack_bytes(unpacker *p, void *to, size_t n) {
    if (p->left < n) return false;
    memcpy(to, p->at, n);
    p->at += n, p->left -= n;
    return true;
}

static bool unpack_text(unpacker *p, const char **text) {
    const unsigned char *end = p->left ? memchr(p->at, 0, p->left) : NULL;
    if (!end) return false;
    *text = (const char *)p->at;
    p->left -= (size_t)(end + 1 - p->at);
    p->at = end + 1;
    return true;
}

static bool unpack_message(unpacker *p, lib_packed *m) {
    uint16_t n;
    if (!unpack_bytes(p, &m->id, 4) || !unpack_bytes(p, &n, 2) || p->left < n) return false;
    *m = (lib_packed){p->at, m->id, n};
    p->at += n, p->left -= n;
    return true;
}

static bool unpack_argument(unpacker *p, lib_arg_type type, lib_arg_value *v) {
    switch (type) {
    case LIB_ARG_TEXT: return unpack_text(p, &v->s);
    case LIB_ARG_TEXTS:
        for (int l = 0; l < LIB_LANGS; l++) {
            if (!unpack_text(p, &v->t.in[l])) return false;
            if (!*v->t.in[l]) v->t.in[l] = NULL;
        }
        return true;
    case LIB_ARG_MESSAGE: return unpack_message(p, &v->m);
    case LIB_ARG_WORD: return unpack_bytes(p, &v->w, 4);
    case LIB_ARG_REAL: return unpack_bytes(p, &v->r, 8);
    default: return unpack_bytes(p, &v->i, 8);
    }
}

bool lib_words_unpack(lib_words *w, lib_packed packed) {
    const lib_row *row = packed.id ? lib_row_find(packed.id) : NULL;
    unpacker p = {packed.at, packed.n};
    *w = (lib_words){.id = packed.id};
    if (packed.id && !row) return false;
    if (!packed.id && !packed.n) return true; /* an empty one */
    for (int i = 0; i < row_arguments(row); i++)
        if (!unpack_argument(&p, argument_type(row, i), &w->args[i])) return false;
    return !p.left;
}
