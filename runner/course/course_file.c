/* See course_file.h. */
#include "runner/course/course_file.h"

#include <jansson.h>
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/file.h"
#include "runner/base/say.h"
#include "runner/lesson/lua_lesson.h"
#include "words/course.h"
#include "words/said.h"

enum { COURSE_BYTES = 1 << 20, DEPTH = 8, FIELDS = 100000, TEXTS = 8 << 20 };

typedef struct {
    json_t *json;
    size_t fields, bytes; /* texts are counted, because one text may be in many places */
} converted;

/* These functions must not raise a Lua error: it would leak what they have made. */
static json_t *value_of(lua_State *L, int at, int depth, converted *c);

static json_t *list_of(lua_State *L, int t, int depth, converted *c) {
    json_t *a = json_array();
    for (lua_Unsigned i = 1, n = lua_rawlen(L, t); i <= n; i++) {
        lua_rawgeti(L, t, (lua_Integer)i);
        json_t *v = value_of(L, lua_gettop(L), depth + 1, c);
        lua_pop(L, 1);
        if (!v) {
            json_decref(a);
            return NULL;
        }
        json_array_append_new(a, v);
    }
    return a;
}

/* A table with items is a list and may not have names. */
static json_t *table_of(lua_State *L, int t, int depth, converted *c) {
    if (lua_rawlen(L, t)) return list_of(L, t, depth, c);
    json_t *o = json_object();
    lua_pushnil(L);
    while (lua_next(L, t)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
        if (!name || *name != '(') { /* the constructors set "(line)" and the like */
            json_t *v = name ? value_of(L, lua_gettop(L), depth + 1, c) : NULL;
            if (!v || json_object_set_new(o, name, v)) { /* fails if the name is not UTF-8 */
                json_decref(o);
                return NULL;
            }
        }
        lua_pop(L, 1);
    }
    return o;
}

/* Returns NULL for a value that no rule can have. */
static json_t *value_of(lua_State *L, int at, int depth, converted *c) {
    if (depth > DEPTH || ++c->fields > FIELDS || !lua_checkstack(L, 8)) return NULL;
    switch (lua_type(L, at)) {
    case LUA_TBOOLEAN: return json_boolean(lua_toboolean(L, at));
    case LUA_TNUMBER: return isfinite(lua_tonumber(L, at)) ? json_real(lua_tonumber(L, at)) : NULL;
    case LUA_TSTRING: {
        size_t n;
        const char *text = lua_tolstring(L, at, &n);
        c->bytes += n;
        return c->bytes > TEXTS ? NULL : json_string(text);
    }
    case LUA_TTABLE: return table_of(L, at, depth, c);
    default: return NULL;
    }
}

static int convert(lua_State *L) {
    converted *c = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, lesson_of(L)->table);
    c->json = value_of(L, lua_gettop(L), 0, c);
    if (!c->json) lesson_fail(L, 0, NULL, w_course_file_fields(DEPTH, FIELDS, TEXTS >> 20));
    return 0;
}

char *course_file_read(const char *path, const char *kind, lib_message *msg) {
    size_t n = 0, wrong;
    const char *slash = strrchr(path, '/');
    char *text = lib_read_file(path, COURSE_BYTES, &n, msg), *json = NULL;
    char name[96];
    converted c = {0};
    if (!text) return NULL;
    SAY(name, "%s", slash ? slash + 1 : path);
    lab_state *s = NULL;
    if ((wrong = lib_not_utf8(text, n))) lib_message_set(msg, w_course_not_utf_8(name, wrong));
    else s = lesson_state_new(name, msg);
    if (s && lesson_lua_run(s, text, n, kind, msg) && lesson_lua_protected(s, convert, &c, msg)) {
        json = json_dumps(c.json, JSON_INDENT(1) | JSON_SORT_KEYS);
        if (!json) lib_message_set(msg, w_said_out_of_memory());
    }
    json_decref(c.json);
    lesson_state_free(s);
    free(text);
    return json;
}
