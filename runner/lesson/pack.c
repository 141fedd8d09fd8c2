/* See pack.h. */
#include "runner/lesson/pack.h"

#include <dirent.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <time.h>
#include "grader/intake/when.h"
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/order.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "runner/lesson/lua_fields.h"
#include "words/lesson.h"

enum { PACK_BYTES = 1 << 18 };

int pack_version_order(const char *a, const char *b) {
    while (*a || *b) {
        unsigned long x = strtoul(a, (char **)&a, 10), y = strtoul(b, (char **)&b, 10);
        if (x != y) return x < y ? -1 : 1;
        if (*a == '.') a++;
        if (*b == '.') b++;
        /* The reading refused everything except numbers and dots. */
        if ((*a && (*a < '0' || *a > '9')) || (*b && (*b < '0' || *b > '9'))) return strcmp(a, b);
    }
    return 0;
}

static bool version_ok(const char *v) {
    size_t n = strlen(v);
    return n && n < PACK_VERSION_MAX && strspn(v, "0123456789.") == n && *v != '.' &&
           v[n - 1] != '.' && !strstr(v, "..");
}

/* ---- where packs are ---- */

char *pack_folder(const char *name) {
    const lib_paths *p = lib_paths_get(NULL);
    return p ? lib_format("%s/packs/%s", p->data, name) : lib_strdup("/nonexistent");
}

bool pack_is_linked(const char *name) {
    struct stat st;
    char *folder = pack_folder(name);
    bool linked = !lstat(folder, &st) && S_ISLNK(st.st_mode);
    free(folder);
    return linked;
}

/* Returns the sorted entries of a folder that `take` accepts. */
static char **names_in(const char *folder, char *(*take)(const char *folder, const char *name),
                       size_t most, size_t *n) {
    char **names = NULL;
    DIR *d = opendir(folder);
    *n = 0;
    for (struct dirent *e; d && *n < most && (e = readdir(d));) {
        char *name = take(folder, e->d_name);
        if (!name) continue;
        if (!lib_grow_one(&names, *n, sizeof *names)) abort();
        names[(*n)++] = name;
    }
    if (d) closedir(d);
    if (*n) qsort(names, *n, sizeof *names, lib_by_text);
    return names;
}

static char *take_pack(const char *folder, const char *name) {
    char *file = lib_format("%s/%s/pack.lua", folder, name);
    bool is = strlen(name) < LAB_PACK_MAX && lib_lab_id_valid(name) && lib_is_file(file);
    free(file);
    return is ? lib_strdup(name) : NULL;
}

char **pack_names(size_t *n) {
    enum { PACKS = 256 };
    char *folder = pack_folder("");
    char **names = names_in(folder, take_pack, PACKS, n);
    free(folder);
    return names;
}

static char *take_lesson(const char *folder, const char *name) {
    size_t n = strlen(name);
    (void)folder;
    if (n <= 4 || n - 4 >= LAB_ID_MAX || strcmp(name + n - 4, ".lua") != 0) return NULL;
    char *id = lib_format("%.*s", (int)(n - 4), name);
    if (lib_lab_id_valid(id)) return id;
    free(id);
    return NULL;
}

/* ---- pack.lua ---- */

typedef struct {
    reader r;
    lab_pack *p;
    char **there; /* the labs that have a file */
    size_t there_count;
} pack_reader;

static pack_lab *pack_lab_of(pack_reader *pr, const char *id) {
    for (size_t i = 0; i < pr->p->lab_count; i++)
        if (!strcmp(pr->p->labs[i].id, id)) return &pr->p->labs[i];
    return NULL;
}

static void add_lab(pack_reader *pr, const char *id) {
    pack_lab *l = &pr->p->labs[pr->p->lab_count++];
    SAY(l->id, "%s", id);
}

static void no_lab(lua_State *L, pack_reader *pr, const char *field, const char *id) {
    lesson_fail(L, pr->r.line, field, w_lesson_pack_no_lab(field, id));
}

static void read_pack_order(lua_State *L, pack_reader *pr, int t) {
    const char *const *order = NULL;
    size_t n = read_strings_field(L, &pr->r, t, "order", &order);
    for (size_t i = 0; i < n; i++) {
        bool there = false;
        for (size_t k = 0; k < pr->there_count; k++) there |= !strcmp(pr->there[k], order[i]);
        if (!there) no_lab(L, pr, "order", order[i]);
        if (pack_lab_of(pr, order[i]))
            lesson_fail(L, pr->r.line, "order", w_lesson_pack_order_twice(order[i]));
        add_lab(pr, order[i]);
    }
    pr->p->ordered = n;
    for (size_t k = 0; k < pr->there_count; k++)
        if (!pack_lab_of(pr, pr->there[k])) add_lab(pr, pr->there[k]);
}

/* weights = { ["copy-once"] = 10 }, deadlines = { ["copy-once"] = "2026-10-01 23:59" }. */
static void read_by_lab(lua_State *L, pack_reader *pr, int t, const char *field, int want) {
    int type = read_push_field(L, t, field), list = lua_gettop(L);
    if (type != LUA_TNIL && type != LUA_TTABLE)
        lesson_fail(L, pr->r.line, field,
                    w_lesson_pack_no_table(field,
                                           want == LUA_TNUMBER ? "10" : "\"2026-10-01 23:59\"",
                                           lua_typename(L, type)));
    if (type == LUA_TTABLE) lua_pushnil(L);
    while (type == LUA_TTABLE && lua_next(L, list)) {
        if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != want)
            lesson_fail(L, pr->r.line, field,
                        w_lesson_pack_entry(field,
                                            want == LUA_TNUMBER ? "10" : "\"2026-10-01 23:59\"",
                                            luaL_typename(L, -2), luaL_typename(L, -1)));
        pack_lab *l = pack_lab_of(pr, lua_tostring(L, -2));
        if (!l) no_lab(L, pr, field, lua_tostring(L, -2));
        else if (want == LUA_TSTRING) SAY(l->deadline, "%s", lua_tostring(L, -1));
        else l->points = lua_tonumber(L, -1);
        if (l && want == LUA_TNUMBER && !(l->points > 0 && l->points <= 1e6))
            lesson_fail(L, pr->r.line, field, w_lesson_pack_weight(l->id));
        lua_pop(L, 1);
    }
    lua_settop(L, list - 1);
}

/* needs = { warplab = "0.2", ["other-pack"] = "1.0" } */
static void read_pack_needs(lua_State *L, pack_reader *pr, int t) {
    int type = read_push_field(L, t, "needs"), list = lua_gettop(L);
    if (type != LUA_TNIL && type != LUA_TTABLE)
        lesson_fail(L, pr->r.line, "needs", w_lesson_pack_needs_no_table(lua_typename(L, type)));
    if (type == LUA_TTABLE) lua_pushnil(L);
    while (type == LUA_TTABLE && lua_next(L, list)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "",
                   *v = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
        if (!lib_lab_id_valid(name) || strlen(name) >= LAB_PACK_MAX || !version_ok(v) ||
            pr->p->need_count == PACK_NEEDS)
            lesson_fail(L, pr->r.line, "needs", w_lesson_pack_needs_most(PACK_NEEDS));
        SAY(pr->p->needs[pr->p->need_count].name, "%s", name);
        SAY(pr->p->needs[pr->p->need_count].version, "%s", v);
        pr->p->need_count++;
        lua_pop(L, 1);
    }
    lua_settop(L, list - 1);
}

static int read_pack(lua_State *L) {
    pack_reader *pr = lua_touserdata(L, 1);
    reader *r = &pr->r;
    lua_rawgeti(L, LUA_REGISTRYINDEX, r->s->table);
    int t = lua_gettop(L);
    r->line = read_line_of(L, t, 1);
    r->what = "pack";
    read_only(L, r, t, lesson_named("pack"));
    const char *name = read_string_field(L, r, t, "name", true);
    if (!lib_lab_id_valid(name) || strlen(name) >= LAB_PACK_MAX || !strcmp(name, "warplab"))
        lesson_fail(L, r->line, "name", w_lesson_pack_name(LAB_PACK_MAX - 1, name));
    SAY(pr->p->name, "%s", name);
    const char *language = read_string_field(L, r, t, "language", false);
    if (language && strcmp(language, "en") != 0 && strcmp(language, "zh") != 0)
        lesson_fail(L, r->line, "language", w_lesson_pack_language(language));
    if (language) r->only = pr->p->only = strcmp(language, "en") ? LAB_ONLY_ZH : LAB_ONLY_EN;
    lab_text title = {0};
    read_text_field(L, r, t, "title", &title, true);
    for (int i = 0; i < LIB_LANGS; i++) SAY(pr->p->title[i], "%s", title.text[i]);
    const char *version = read_string_field(L, r, t, "version", true);
    if (!version_ok(version)) lesson_fail(L, r->line, "version", w_lesson_pack_version(version));
    SAY(pr->p->version, "%s", version);
    read_pack_order(L, pr, t);
    read_by_lab(L, pr, t, "weights", LUA_TNUMBER);
    read_by_lab(L, pr, t, "deadlines", LUA_TSTRING);
    read_pack_needs(L, pr, t);
    const char *answers = read_string_field(L, r, t, "answers", false);
    int64_t moment;
    if (answers && strcmp(answers, "passed") != 0 && !when_read(answers, 0, &moment))
        lesson_fail(L, r->line, "answers", w_lesson_pack_answers(answers));
    SAY(pr->p->answers, "%s", answers ? answers : "");
    return 0;
}

lab_pack *pack_read(const char *folder, lib_message *msg) {
    size_t n = 0, wrong;
    char *path = lib_path_join(folder, "pack.lua"),
         *text = lib_read_file(path, PACK_BYTES, &n, msg);
    free(path);
    if (!text) return NULL;
    lab_state *s = NULL;
    if ((wrong = lib_not_utf8(text, n))) lib_message_set(msg, w_lesson_pack_no_utf_8(wrong));
    else s = lesson_state_new("pack.lua", msg);
    char *labs = lib_path_join(folder, "labs");
    lab_pack *p = lib_malloc(sizeof *p);
    memset(p, 0, sizeof *p);
    pack_reader pr = {.r.s = s, .p = p};
    pr.there = names_in(labs, take_lesson, PACK_LABS, &pr.there_count);
    bool ok = s && lesson_lua_run(s, text, n, "pack", msg) &&
              lesson_lua_protected(s, read_pack, &pr, msg);
    lib_lab_names_free(pr.there, pr.there_count);
    lesson_state_free(s);
    free(labs);
    free(text);
    if (ok) return p;
    free(p);
    return NULL;
}

lab_only pack_language(const char *folder) {
    lib_message ignored;
    lab_pack *p = pack_read(folder, &ignored);
    lab_only only = p ? p->only : LAB_BOTH;
    free(p);
    return only;
}

bool pack_answer_open(const char *id, bool passed, lib_message *msg) {
    const char *slash = strchr(id, '/');
    if (!slash || passed) return true;
    char *name = lib_format("%.*s", (int)(slash - id), id), *folder = pack_folder(name);
    lib_message ignored;
    lab_pack *p = pack_read(folder, &ignored);
    int64_t moment;
    bool dated = p && when_read(p->answers, 0, &moment);
    bool open = !p || !*p->answers || (dated && (int64_t)time(NULL) >= moment);
    if (!open && dated) lib_message_set(msg, w_lesson_answer_from(p->answers));
    else if (!open) lib_message_set(msg, w_lesson_answer_when_passed());
    free(p);
    free(folder);
    free(name);
    return open;
}
