/* Typed access to the fields of a lesson's tables: each wrong field has a message with its place
 * and the type that was expected. Raises Lua errors through lesson_fail(). All memory is the
 * arena's. */
#include "runner/lesson/lua_fields.h"

#include <lauxlib.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/base/word.h"
#include "runner/term/text.h"
#include "words/lesson.h"

/* ---- fields ---- */

const char *read_field_text(lua_State *L, int t, const char *name) {
    lua_pushstring(L, name);
    lua_rawget(L, t);
    const char *s = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    lua_pop(L, 1);
    return s; /* lives as long as the table holds it */
}

const char *read_kind_of(lua_State *L, int t) {
    const char *k = lua_istable(L, t) ? read_field_text(L, t, "(kind)") : NULL;
    return k ? k : "";
}

unsigned read_line_of(lua_State *L, int t, unsigned otherwise) {
    lua_pushliteral(L, "(line)");
    lua_rawget(L, t);
    unsigned line = lua_isinteger(L, -1) ? (unsigned)lua_tointeger(L, -1) : otherwise;
    lua_pop(L, 1);
    return line;
}

int read_push_field(lua_State *L, int t, const char *name) {
    lua_pushstring(L, name);
    return lua_rawget(L, t);
}

/* Names of earlier versions. */
static const struct {
    const char *what, *old, *now;
} renamed[] = {{"compare", "with", "beside"}, {"counter", "than", "beside"}};

static void no_old_word(lua_State *L, reader *r, const char *key) {
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (!strcmp(renamed[i].what, r->what) && !strcmp(renamed[i].old, key))
            lesson_fail(L, r->line, key, w_lesson_field_renamed(r->what, key, renamed[i].now));
}

void read_only(lua_State *L, reader *r, int t, const char *names) {
    bool list = strstr(names, "[]") != NULL;
    lua_pushnil(L);
    while (lua_next(L, t)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING) {
            if (list && lua_isinteger(L, -1)) continue;
            lesson_fail(L, r->line, NULL,
                        w_lesson_item_without_name(r->what, luaL_tolstring(L, -1, NULL)));
            return;
        }
        const char *key = lua_tostring(L, -1);
        if (key[0] == '(') continue;
        size_t n = strlen(key);
        char best[32] = "";
        unsigned distance = 4;
        bool known = false;
        for (const char *p = names; *p && !known;) {
            size_t len = strcspn(p, " ");
            known = len == n && !strncmp(p, key, n);
            char one[32];
            snprintf(one, sizeof one, "%.*s", (int)len, p);
            unsigned d = lib_distance(one, key);
            if (d < distance) {
                distance = d;
                snprintf(best, sizeof best, "%s", one);
            }
            p += len + (p[len] == ' ');
        }
        if (known) continue;
        no_old_word(L, r, key);
        if (best[0]) lesson_fail(L, r->line, key, w_lesson_unknown_field_near(r->what, key, best));
        else lesson_fail(L, r->line, key, w_lesson_unknown_field(r->what, key, names));
    }
}

double read_number_field(lua_State *L, reader *r, int t, const char *name, double otherwise,
                         bool required) {
    int type = read_push_field(L, t, name);
    double v = otherwise;
    if (type == LUA_TNUMBER) {
        v = lua_tonumber(L, -1);
        if (!isfinite(v)) lesson_fail(L, r->line, name, w_lesson_field_not_finite(r->what, name));
    } else if (type != LUA_TNIL) {
        lesson_fail(L, r->line, name,
                    w_lesson_field_no_number(r->what, name, luaL_typename(L, -1)));
    } else if (required) {
        lesson_fail(L, r->line, NULL, w_lesson_number_missing(r->what, name));
    }
    lua_pop(L, 1);
    return v;
}

int read_int_field(lua_State *L, reader *r, int t, const char *name, int otherwise, bool required) {
    double v = read_number_field(L, r, t, name, otherwise, required);
    return (int)fmax(INT_MIN, fmin(v, INT_MAX));
}

const char *read_string_field(lua_State *L, reader *r, int t, const char *name, bool required) {
    int type = read_push_field(L, t, name);
    const char *v = NULL;
    if (type == LUA_TSTRING) v = lesson_strdup(r->s, lua_tostring(L, -1));
    else if (type != LUA_TNIL)
        lesson_fail(L, r->line, name, w_lesson_field_no_text(r->what, name, luaL_typename(L, -1)));
    else if (required) lesson_fail(L, r->line, NULL, w_lesson_text_missing(r->what, name));
    lua_pop(L, 1);
    return v;
}

size_t read_index(const char *const *names, size_t n, const char *text) {
    size_t k = 0;
    while (k < n && strcmp(names[k], text) != 0) k++;
    return k;
}

bool read_flag_field(lua_State *L, reader *r, int t, const char *name) {
    int type = read_push_field(L, t, name);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        lesson_fail(L, r->line, name, w_lesson_field_no_flag(r->what, name, luaL_typename(L, -1)));
    bool v = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return v;
}

/* A list may be sparse: with t[1], t[2], t[4] ... t[2^31] it has the length 2^31 and 32 items. */
size_t read_count(lua_State *L, reader *r, int list, const char *name) {
    lua_Unsigned n = lua_istable(L, list) ? lua_rawlen(L, list) : 0;
    if (n > LESSON_ITEMS)
        lesson_fail(L, r->line, name,
                    w_lesson_list_too_long(r->what, name, (unsigned long long)n, LESSON_ITEMS));
    return (size_t)n;
}

/* Reads a list of texts; pushes nothing. */
size_t read_list(lua_State *L, reader *r, int list, const char *name, const char *const **out) {
    size_t n = read_count(L, r, list, name);
    const char **v = lesson_alloc(r->s, (n + 1) * sizeof *v);
    for (size_t i = 0; i < n; i++) {
        if (lua_rawgeti(L, list, (lua_Integer)i + 1) != LUA_TSTRING)
            lesson_fail(L, r->line, name,
                        w_lesson_item_no_text(r->what, name, i + 1, luaL_typename(L, -1)));
        v[i] = lesson_strdup(r->s, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    *out = v;
    return n;
}

size_t read_strings_field(lua_State *L, reader *r, int t, const char *name,
                          const char *const **out) {
    int type = read_push_field(L, t, name);
    size_t n = 0;
    if (type != LUA_TNIL && type != LUA_TTABLE)
        lesson_fail(L, r->line, name, w_lesson_field_no_texts(r->what, name, luaL_typename(L, -1)));
    if (type == LUA_TTABLE) n = read_list(L, r, lua_gettop(L), name, out);
    lua_pop(L, 1);
    return n;
}

/* Removes the common indentation of a [[ ... ]] text, and blank lines at both ends. */
static const char *tidy(lab_state *s, const char *text) {
    size_t common = 1000, n = strlen(text), used = 0;
    for (const char *p = text, *nl; p; p = nl ? nl + 1 : NULL) {
        nl = strchr(p, '\n');
        size_t len = nl ? (size_t)(nl - p) : strlen(p), indent = strspn(p, " ");
        if (indent < len && (p != text || indent) && indent < common) common = indent;
    }
    char *out = lesson_alloc(s, n + 2);
    for (const char *p = text, *nl; p; p = nl ? nl + 1 : NULL) {
        nl = strchr(p, '\n');
        size_t len = nl ? (size_t)(nl - p) : strlen(p), indent = strspn(p, " "),
               cut = indent < common ? indent : common;
        if (cut > len) cut = len;
        while (len > cut && (p[len - 1] == ' ' || p[len - 1] == '\t' || p[len - 1] == '\r')) len--;
        if (used || len > cut) {
            memcpy(out + used, p + cut, len - cut);
            used += len - cut;
            out[used++] = '\n';
        }
    }
    while (used && out[used - 1] == '\n') used--;
    out[used] = 0;
    return out;
}

static const char *const lang_field[LIB_LANGS] = {"en", "zh"};
static const lib_word_id lang_title[LIB_LANGS] = {W_LESSON_ENGLISH, W_LESSON_CHINESE};

void read_text_pair(lua_State *L, reader *r, int t, const char *name, lab_text *out) {
    for (int i = 0; i < LIB_LANGS; i++) {
        int type = read_push_field(L, t, lang_field[i]);
        if (type == LUA_TNIL && r->only && i + 1 != (int)r->only) {
            lua_pop(L, 1);
            continue;
        }
        if (type == LUA_TNIL)
            lesson_fail(L, r->line, name[0] == '(' ? NULL : name,
                        w_lesson_language_missing(name, lang_title[i], lang_field[i]));
        if (type != LUA_TSTRING)
            lesson_fail(L, r->line, lang_field[i],
                        w_lesson_field_no_text(name, lang_field[i], luaL_typename(L, -1)));
        out->text[i] = tidy(r->s, lua_tostring(L, -1));
        if (!out->text[i][0])
            lesson_fail(L, r->line, lang_field[i],
                        w_lesson_language_empty(name, lang_title[i], lang_field[i]));
        lua_pop(L, 1);
    }
    for (int i = 0; r->only && i < LIB_LANGS; i++)
        if (!out->text[i]) out->text[i] = out->text[r->only - 1];
}

bool read_text_field(lua_State *L, reader *r, int t, const char *name, lab_text *out,
                     bool required) {
    int type = read_push_field(L, t, name);
    if (type == LUA_TNIL) {
        if (required) lesson_fail(L, r->line, NULL, w_lesson_texts_missing(r->what, name));
        lua_pop(L, 1);
        return false;
    }
    if (type != LUA_TTABLE)
        lesson_fail(L, r->line, name, w_lesson_field_no_pair(r->what, name, luaL_typename(L, -1)));
    const char *what = r->what;
    r->what = name;
    read_only(L, r, lua_gettop(L), "en zh");
    read_text_pair(L, r, lua_gettop(L), name, out);
    r->what = what;
    lua_pop(L, 1);
    return true;
}

grade_expr *read_expr_field(lua_State *L, reader *r, int t, const char *arg, const char *name,
                            bool required) {
    int type = read_push_field(L, t, name);
    grade_expr *e = NULL;
    if (type == LUA_TSTRING || type == LUA_TNUMBER) {
        lib_message m;
        const char *text = luaL_tolstring(L, -1, NULL);
        e = grade_expr_new(text, &m);
        if (!e) lesson_fail(L, r->line, arg, w_lesson_args_why(arg, &m));
        lua_pop(L, 1);
    } else if (type != LUA_TNIL) {
        lesson_fail(L, r->line, arg, w_lesson_args_no_expression(arg, name, luaL_typename(L, -1)));
    } else if (required) {
        lesson_fail(L, r->line, arg, w_lesson_args_field_missing(arg, name));
    }
    lua_pop(L, 1);
    return e;
}

/* ---- hashing a table ---- */

enum { HASH_DEPTH = 16, HASH_WORK = 1 << 20 };

typedef struct {
    const char *skip;
    bool functions;
    /* the number of values, and of 16-byte pieces of texts and code, that may still be hashed */
    size_t work;
    uint64_t code;
} hashing;

/* Tables that contain one table many times can have more values than fit into any memory: 1000
 * times 1000 times ... */
static void hash_spend(lua_State *L, hashing *g, size_t bytes) {
    size_t pieces = 1 + bytes / 16;
    if (pieces > g->work) lesson_fail(L, 0, NULL, w_lesson_tables_too_large(HASH_WORK));
    g->work -= pieces;
}

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n) { /* FNV-1a */
    for (const unsigned char *p = bytes, *end = p + n; p < end; p++) h = (h ^ *p) * 1099511628211u;
    return h;
}

static int hash_code(lua_State *L, const void *p, size_t n, void *user) {
    hashing *g = user;
    hash_spend(L, g, n);
    g->code = hash_bytes(g->code, p, n);
    return 0;
}

static bool hash_skips(const char *key, const char *skip) {
    size_t n = strlen(key);
    if (*key == '(' && strcmp(key, "(kind)") != 0) return true; /* "(line)" */
    for (const char *p = skip; *p;) {
        size_t len = strcspn(p, " ");
        if (len == n && !strncmp(p, key, n)) return true;
        p += len + (p[len] == ' ');
    }
    return !strcmp(key, "en") || !strcmp(key, "zh");
}

/* A function may contain itself, and tables nest. HASH_DEPTH ends both. */
static uint64_t hash_value(lua_State *L, int at, hashing *g, int depth) {
    int type = lua_type(L, at);
    uint64_t h = hash_bytes(14695981039346656037u, &type, sizeof type);
    size_t n = 0;
    const char *s = type == LUA_TSTRING ? lua_tolstring(L, at, &n) : NULL;
    hash_spend(L, g, n);
    if (s) return hash_bytes(h, s, n);
    if (type == LUA_TNUMBER) {
        double v = lua_tonumber(L, at);
        return hash_bytes(h, &v, sizeof v);
    }
    if (type == LUA_TBOOLEAN) return h + (uint64_t)lua_toboolean(L, at);
    if (depth == HASH_DEPTH) return h;
    luaL_checkstack(L, 6, NULL);
    if (type == LUA_TFUNCTION && g->functions && !lua_iscfunction(L, at)) {
        lua_pushvalue(L, at);
        g->code = h;
        lua_dump(L, hash_code, g, 1);
        h = g->code;
        /* its upvalues; _ENV is the same in every lesson */
        for (int i = 1; lua_getupvalue(L, -1, i); i++) {
            if (!lua_istable(L, -1)) h = h * 31 + hash_value(L, lua_gettop(L), g, depth + 1);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
        return h;
    }
    if (type != LUA_TTABLE) return h;
    lua_pushnil(L);
    while (lua_next(L, at)) { /* Lua's order differs between runs, so the hash is a sum */
        int value = lua_gettop(L), key = value - 1;
        if (lua_type(L, key) != LUA_TSTRING || !hash_skips(lua_tostring(L, key), g->skip))
            h += (hash_value(L, key, g, depth + 1) * 1099511628211u) ^
                 hash_value(L, value, g, depth + 1);
        lua_settop(L, key);
    }
    return h;
}

uint64_t read_hash(lua_State *L, int t, const char *skip, bool functions) {
    hashing g = {.skip = skip, .functions = functions, .work = HASH_WORK};
    return hash_value(L, t, &g, 0);
}
