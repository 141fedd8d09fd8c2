/* Texts and numbers as JSON, and JSON as text. */
#include "grader/json/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"

json_t *json_text(const char *s) {
    char *clean = lib_clean(s, s ? strlen(s) : 0);
    json_t *j = clean ? json_string(clean) : NULL;
    free(clean);
    return j;
}

json_t *json_exact(const char *s) {
    json_t *j = s ? json_string(s) : NULL;
    return j ? j : json_text(s);
}

json_t *json_both(lib_words words) {
    json_t *o = json_object();
    for (int l = 0; l < LIB_LANGS; l++) {
        char *text = lib_words_take((lib_lang)l, words);
        json_set(o, lib_lang_name((lib_lang)l), json_text(text));
        free(text);
    }
    return o;
}

json_t *json_value(double v) {
    if (isnan(v)) return json_string("NaN");
    if (isinf(v)) return json_string(v > 0 ? "infinity" : "-infinity");
    if (v == trunc(v) && fabs(v) < 0x1p53) return json_integer((json_int_t)v);
    return json_real(v);
}

json_t *json_u64(uint64_t v) {
    char text[32];
    if (v <= INT64_MAX) return json_integer((json_int_t)v);
    SAY(text, "%llu", (unsigned long long)v);
    return json_string(text);
}

json_t *json_address(uint64_t v) {
    char text[32];
    SAY(text, "0x%llx", (unsigned long long)v);
    return json_string(text);
}

json_t *json_three(const unsigned v[3]) {
    return json_pack("[I,I,I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

void json_set(json_t *o, const char *key, json_t *v) {
    json_object_set_new(o, key, v ? v : json_null());
}

char *json_written(const json_t *o, bool pretty) {
    char *s = json_dumps(o, (pretty ? JSON_INDENT(2) : JSON_COMPACT) | JSON_PRESERVE_ORDER |
                                JSON_REAL_PRECISION(12));
    if (!s || !pretty) return s;
    lib_buffer b = {0};
    lib_buffer_puts(&b, s);
    lib_buffer_puts(&b, "\n");
    free(s);
    return lib_buffer_take(&b);
}
