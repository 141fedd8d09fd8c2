/* The entry's declaration, read and written again, and the main() that calls it.
 *
 *   "void f(const float *a, int n)" --build_entry_parse()--> build_entry
 *                                   --build_glue_source()--> C++ text (build.c compiles it once)
 *
 * The text of a lesson never reaches the compiler: the compiled text is made from the parsed
 * declaration. An entry may only have the types below; each says how a 64-bit slot of the call
 * (device/cudart/glue.h) becomes a value. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "runner/build/build.h"
#include "words/build.h"

/* INTEGER: cast down. REAL: the slot's bits. OPAQUE: only as the target of a pointer, declared but
 * never accessed. */
typedef enum { INTEGER, REAL, OPAQUE } slot_kind;
static const struct {
    const char *name;
    slot_kind kind;
    /* declarations that the glue must contain first, so that the name is mangled as in CUDA's
     * headers */
    const char *declare;
} types[] = {
    {"bool", INTEGER, ""},
    {"char", INTEGER, ""},
    {"signed char", INTEGER, ""},
    {"unsigned char", INTEGER, ""},
    {"short", INTEGER, ""},
    {"unsigned short", INTEGER, ""},
    {"int", INTEGER, ""},
    {"unsigned", INTEGER, ""},
    {"unsigned int", INTEGER, ""},
    {"long", INTEGER, ""},
    {"unsigned long", INTEGER, ""},
    {"long long", INTEGER, ""},
    {"unsigned long long", INTEGER, ""},
    {"size_t", INTEGER, ""},
    {"int8_t", INTEGER, ""},
    {"uint8_t", INTEGER, ""},
    {"int16_t", INTEGER, ""},
    {"uint16_t", INTEGER, ""},
    {"int32_t", INTEGER, ""},
    {"uint32_t", INTEGER, ""},
    {"int64_t", INTEGER, ""},
    {"uint64_t", INTEGER, ""},
    {"float", REAL, ""},
    {"double", REAL, ""},
    {"void", OPAQUE, ""},
    {"half", OPAQUE, "struct __half;\ntypedef __half half;\n"},
    {"__half", OPAQUE, "struct __half;\n"},
    {"half2", OPAQUE, "struct __half2;\ntypedef __half2 half2;\n"},
    {"__half2", OPAQUE, "struct __half2;\n"},
    {"__nv_bfloat16", OPAQUE, "struct __nv_bfloat16;\n"},
    {"float2", OPAQUE, "struct float2;\n"},
    {"float3", OPAQUE, "struct float3;\n"},
    {"float4", OPAQUE, "struct float4;\n"},
    {"double2", OPAQUE, "struct double2;\n"},
    {"int2", OPAQUE, "struct int2;\n"},
    {"int3", OPAQUE, "struct int3;\n"},
    {"int4", OPAQUE, "struct int4;\n"},
    {"uint2", OPAQUE, "struct uint2;\n"},
    {"uint4", OPAQUE, "struct uint4;\n"},
    {"uchar4", OPAQUE, "struct uchar4;\n"},
    {"uchar3", OPAQUE, "struct uchar3;\n"},
};
enum { TYPES = sizeof types / sizeof *types };

/* ---- reading ---- */

typedef struct {
    const char *text, *at;
    char token[80];    /* longer than any name, so that a name that is too long is recognised */
    const char *start; /* of the token */
    lib_message *msg;
    bool failed;
} entry_reader;

static bool entry_fail(entry_reader *r, lib_word_id expected) {
    if (!r->failed) {
        char *place = lib_format("  %s\n  %*s^", r->text, (int)(r->start - r->text), "");
        lib_message_set(r->msg, *r->token ? w_build_entry_expected(expected, r->token, place)
                                          : w_build_entry_expected_more(expected, place));
        free(place);
    }
    r->failed = true;
    return false;
}

static void next(entry_reader *r) {
    while (isspace((unsigned char)*r->at)) r->at++;
    r->start = r->at;
    size_t n = 0;
    if (isalpha((unsigned char)*r->at) || *r->at == '_') {
        while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_') n++;
    } else if (*r->at) {
        n = 1;
    }
    size_t kept = n < sizeof r->token ? n : sizeof r->token - 1;
    memcpy(r->token, r->at, kept);
    r->token[kept] = 0;
    r->at += n;
}

static bool is(const entry_reader *r, const char *token) {
    return !strcmp(r->token, token);
}
static bool is_name(const entry_reader *r) {
    return isalpha((unsigned char)*r->token) || *r->token == '_';
}

static bool entry_take(entry_reader *r, const char *token) {
    if (!is(r, token)) return false;
    next(r);
    return true;
}

static bool entry_expect(entry_reader *r, const char *token, lib_word_id expected) {
    return entry_take(r, token) || entry_fail(r, expected);
}

static int find_type(const char *name) {
    for (int i = 0; i < TYPES; i++) {
        if (!strcmp(types[i].name, name)) return i;
    }
    return -1;
}

static bool take_restrict(entry_reader *r) {
    return entry_take(r, "__restrict__") || entry_take(r, "__restrict") ||
           entry_take(r, "restrict");
}

static bool parse_param(entry_reader *r, build_entry_param *p, size_t index) {
    static const char *const words[] = {"signed", "unsigned", "char", "short", "int", "long"};
    lib_buffer type = {0};
    const entry_reader begin = *r;
    while (entry_take(r, "const")) p->is_const = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            if (!is(r, words[i])) continue;
            lib_buffer_printf(&type, "%s%s", type.n ? " " : "", words[i]);
            next(r);
            more = true;
            break;
        }
    }
    if (!type.n && is_name(r)) {
        lib_buffer_puts(&type, r->token);
        next(r);
    }
    while (entry_take(r, "const")) p->is_const = true;
    int t = type.n ? find_type(type.s) : -1;
    if (t >= 0) snprintf(p->type, sizeof p->type, "%s", type.s);
    lib_buffer_free(&type);
    if (t < 0) {
        *r =
            (entry_reader){.text = begin.text, .at = r->at, .start = begin.start, .msg = begin.msg};
        memcpy(r->token, begin.token, sizeof r->token);
        return entry_fail(r, W_BUILD_ENTRY_TYPE);
    }
    if (entry_take(r, "*")) {
        p->pointer = true;
        while (take_restrict(r) || entry_take(r, "const")) {
        }
        if (is(r, "*")) return entry_fail(r, W_BUILD_ENTRY_NO_POINTER_TO_POINTER);
    } else if (types[t].kind == OPAQUE) {
        return entry_fail(r, W_BUILD_ENTRY_BY_POINTER);
    }
    if (is_name(r)) {
        if (strlen(r->token) >= sizeof p->name) return entry_fail(r, W_BUILD_ENTRY_SHORTER_NAME);
        memcpy(p->name, r->token, strlen(r->token) + 1);
        next(r);
    } else {
        snprintf(p->name, sizeof p->name, "p%zu", index);
    }
    return true;
}

bool build_entry_parse(const char *text, build_entry *e, lib_message *msg) {
    *e = (build_entry){0};
    entry_reader r = {.text = text, .at = text, .msg = msg};
    next(&r);
    if (!entry_expect(&r, "void", W_BUILD_ENTRY_VOID)) return false;
    if (!is_name(&r) || find_type(r.token) >= 0 || is(&r, "main"))
        return entry_fail(&r, W_BUILD_ENTRY_NAME);
    if (strlen(r.token) >= sizeof e->name) return entry_fail(&r, W_BUILD_ENTRY_SHORTER_NAME);
    snprintf(e->name, sizeof e->name, "%s", r.token);
    next(&r);
    if (!entry_expect(&r, "(", W_BUILD_ENTRY_OPEN)) return false;
    if (!is(&r, ")")) {
        do {
            if (e->count == sizeof e->params / sizeof *e->params)
                return entry_fail(&r, W_BUILD_ENTRY_PARAMETERS);
            if (!parse_param(&r, &e->params[e->count], e->count)) return false;
            for (size_t i = 0; i < e->count; i++) {
                if (!strcmp(e->params[i].name, e->params[e->count].name))
                    return entry_fail(&r, W_BUILD_ENTRY_DIFFERENT_NAMES);
            }
            e->count++;
        } while (entry_take(&r, ","));
    }
    if (!entry_expect(&r, ")", W_BUILD_ENTRY_CLOSE)) return false;
    entry_take(&r, ";");
    return *r.token ? entry_fail(&r, W_BUILD_ENTRY_END) : true;
}

bool build_entry_number(const char *type, bool *real) {
    int t = find_type(type);
    *real = t >= 0 && types[t].kind == REAL;
    return t >= 0 && types[t].kind != OPAQUE;
}

/* ---- writing ---- */

static void write_type(lib_buffer *b, const build_entry_param *p) {
    lib_buffer_printf(b, "%s%s%s", p->is_const ? "const " : "", p->type, p->pointer ? " *" : "");
}

char *build_entry_text(const build_entry *e) {
    lib_buffer b = {0};
    lib_buffer_printf(&b, "void %s(", e->name);
    for (size_t i = 0; i < e->count; i++) {
        if (i) lib_buffer_puts(&b, ", ");
        write_type(&b, &e->params[i]);
        lib_buffer_printf(&b, "%s%s", e->params[i].pointer ? "" : " ", e->params[i].name);
    }
    lib_buffer_puts(&b, ")");
    return b.s;
}

char *build_glue_source(const build_entry *e) {
    lib_buffer b = {0};
    lib_buffer_puts(&b, "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include "
                        "\"runner/device/cudart/glue.h\"\n");
    for (int t = 0; t < TYPES; t++) {
        bool used = false;
        for (size_t i = 0; i < e->count; i++)
            used = used || !strcmp(e->params[i].type, types[t].name);
        if (used) lib_buffer_puts(&b, types[t].declare);
    }
    char *text = build_entry_text(e);
    lib_buffer_printf(&b, "%s;\n", text);
    free(text);
    lib_buffer_puts(&b, "template <class T, class Bits> static T bits(uint64_t slot) {\n"
                        "    Bits b = (Bits)slot;\n    T v;\n    __builtin_memcpy(&v, &b, sizeof "
                        "v);\n    return v;\n}\n"
                        "int main() {\n"
                        /* a fault could otherwise end the process before the text is written */
                        "    setvbuf(stdout, nullptr, _IOLBF, 0);\n"
                        "    uint64_t a[WARPLAB_MAX_ARGS];\n    while "
                        "(__warplab_next(a, WARPLAB_MAX_ARGS))\n");
    lib_buffer_printf(&b, "        %s(", e->name);
    for (size_t i = 0; i < e->count; i++) {
        const build_entry_param *p = &e->params[i];
        int t = find_type(p->type);
        if (i) lib_buffer_puts(&b, ", ");
        if (!p->pointer && t >= 0 && types[t].kind == REAL) {
            lib_buffer_printf(&b, "bits<%s, %s>(a[%zu])", p->type,
                              strcmp(p->type, "float") ? "uint64_t" : "uint32_t", i);
        } else {
            lib_buffer_puts(&b, "(");
            write_type(&b, p);
            lib_buffer_printf(&b, ")a[%zu]", i);
        }
    }
    lib_buffer_puts(&b, ");\n    return 0;\n}\n");
    return b.s;
}
