/* A message as JSON: {"id": "base.cannot-read", "args": {"path": "a.cu", "error": 2}}. An argument
 * with a text in each language is {"en": ..., "zh": ...}. A row of the catalogue is its name. A
 * message inside another is an object like the outer one. */
#include "grader/json/json.h"

#include <math.h>
#include <string.h>
#include "words/catalogue.h"

static json_t *texts_json(const lib_texts *t) {
    json_t *o = json_object();
    for (int l = 0; l < LIB_LANGS; l++)
        if (t->in[l]) json_set(o, lib_lang_name((lib_lang)l), json_text(t->in[l]));
    return o;
}

static json_t *words_json(const lib_words *w, int depth);

static json_t *argument_json(lib_arg_type type, const lib_arg_value *v, int depth) {
    lib_words inner;
    switch (type) {
    case LIB_ARG_TEXT: return json_text(v->s);
    case LIB_ARG_INTEGER:
    case LIB_ARG_ERROR: return json_integer(v->i);
    case LIB_ARG_REAL: return json_value(v->r);
    case LIB_ARG_WORD: return json_text(lib_words_name(v->w));
    case LIB_ARG_TEXTS: return texts_json(&v->t);
    case LIB_ARG_MESSAGE:
        return lib_words_unpack(&inner, v->m) ? words_json(&inner, depth + 1) : json_object();
    case LIB_ARG_NONE: break;
    }
    return NULL;
}

static json_t *words_json(const lib_words *w, int depth) {
    json_t *o = json_object(), *args = json_object();
    const char *name;
    lib_arg_type type;
    if (!w->id) {
        json_decref(args);
        json_set(o, "text", texts_json(&w->args[0].t));
        return o;
    }
    json_set(o, "id", json_text(lib_words_name(w->id)));
    for (int i = 0; depth < LIB_WORDS_DEEP && (name = lib_words_argument(w->id, i, &type)); i++)
        json_set(args, name, argument_json(type, &w->args[i], depth));
    json_set(o, "args", args);
    return o;
}

json_t *json_message(const lib_message *m) {
    lib_words w = lib_message_words(m);
    return words_json(&w, 0);
}

/* ---- reading, whatever the object contains ---- */

static void read_texts(lib_texts *t, const json_t *j) {
    for (int l = 0; l < LIB_LANGS; l++)
        t->in[l] = json_string_value(json_object_get(j, lib_lang_name((lib_lang)l)));
}

static double real_of(const json_t *j) {
    const char *name = json_string_value(j);
    if (name)
        return !strcmp(name, "infinity") ? INFINITY : !strcmp(name, "-infinity") ? -INFINITY : NAN;
    return json_number_value(j);
}

static bool read_message(lib_message *m, const json_t *j, int depth);

/* `inner` has room for one message per argument. */
static bool read_argument(lib_arg_value *v, lib_arg_type type, const json_t *j, lib_message *inner,
                          int depth) {
    switch (type) {
    case LIB_ARG_TEXT: v->s = json_string_value(j); return v->s != NULL;
    case LIB_ARG_INTEGER:
    case LIB_ARG_ERROR: v->i = json_integer_value(j); return json_is_integer(j);
    case LIB_ARG_REAL: v->r = real_of(j); return json_is_number(j) || json_is_string(j);
    case LIB_ARG_WORD:
        v->w = json_is_string(j) ? lib_words_id(json_string_value(j)) : 0;
        return v->w && !lib_words_argument(v->w, 0, &type);
    case LIB_ARG_TEXTS: read_texts(&v->t, j); return json_is_object(j);
    case LIB_ARG_MESSAGE:
        if (!read_message(inner, j, depth + 1)) return false;
        v->m = lib_message_packed(inner);
        return true;
    case LIB_ARG_NONE: break;
    }
    return false;
}

static bool read_message(lib_message *m, const json_t *j, int depth) {
    const json_t *texts = json_object_get(j, "text"), *args = json_object_get(j, "args");
    const char *id = json_string_value(json_object_get(j, "id")), *name;
    *m = (lib_message){0};
    if (!json_is_object(j) || depth >= LIB_WORDS_DEEP) return false;
    if (!id) {
        lib_texts t;
        read_texts(&t, texts);
        lib_message_set(m, lib_words_plain(t));
        return json_is_object(texts) || !json_object_size(j);
    }
    lib_words w = {.id = lib_words_id(id)};
    lib_message *inner = calloc(LIB_ARGS, sizeof *inner);
    bool ok = w.id && inner;
    lib_arg_type type;
    for (int i = 0; ok && (name = lib_words_argument(w.id, i, &type)); i++)
        ok = read_argument(&w.args[i], type, json_object_get(args, name), &inner[i], depth);
    if (ok) lib_message_set(m, w);
    free(inner);
    return ok;
}

bool json_read_message(lib_message *m, const json_t *j) {
    if (read_message(m, j, 0)) return true;
    const char *id = json_string_value(json_object_get(j, "id"));
    lib_message_set(m, w_catalogue_not_understood(id ? id : ""));
    return false;
}
