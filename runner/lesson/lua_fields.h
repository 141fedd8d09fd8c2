/* Typed access to the fields of a lesson's tables. Every function may raise a Lua error that names file, line, what was expected and
 * what was found; `t` is an absolute stack index. */
#ifndef WARPLAB_LUA_FIELDS_H
#define WARPLAB_LUA_FIELDS_H

#include "runner/lesson/lua_lesson.h"
#include "grader/lab.h"

typedef struct {
    lab_state *s;
    lab *l;
    bool header_only;
    lab_only only;    /* texts may be in one language */
    const char *what; /* "ask", "lab": for messages */
    unsigned line;    /* of the table that is being read */
    /* Draws by name, and how many groups of steps share some. */
    struct {
        const char *name;
        const lab_draw *draws;
        size_t count;
        unsigned group;
    } named[LAB_GROUPS];
    unsigned named_count, groups;
} reader;

/* Alive as long as the table holds it; NULL when it is no text. */
const char *read_field_text(lua_State *L, int t, const char *name);
const char *read_kind_of(lua_State *L, int t); /* the constructor's name, "" for a plain table */
unsigned read_line_of(lua_State *L, int t, unsigned otherwise);
int read_push_field(lua_State *L, int t, const char *name); /* returns the type */
/* Every key of the table must be in `names` (separated by blanks); "[]" lets list items pass. */
void read_only(lua_State *L, reader *r, int t, const char *names);
double read_number_field(lua_State *L, reader *r, int t, const char *name, double otherwise,
                         bool required);
/* Its whole part; of numbers that an int cannot hold the nearest that it can. */
int read_int_field(lua_State *L, reader *r, int t, const char *name, int otherwise, bool required);
const char *read_string_field(lua_State *L, reader *r, int t, const char *name, bool required);
/* Which of the names the text is; n: none. */
size_t read_index(const char *const *names, size_t n, const char *text);
bool read_flag_field(lua_State *L, reader *r, int t, const char *name);
/* How many items the list at `list` has; 0 where there is no table. More than LESSON_ITEMS: an error. */
enum { LESSON_ITEMS = 4096 };
size_t read_count(lua_State *L, reader *r, int list, const char *name);
/* The texts of the list at `list`; `name` is for messages. */
size_t read_list(lua_State *L, reader *r, int list, const char *name, const char *const **out);
size_t read_strings_field(lua_State *L, reader *r, int t, const char *name,
                          const char *const **out);
/* The fields en and zh of the table at t; with r->only the other may be missing, and is then the same text.
 * `name`: what the table is, for messages; "(...)" is not looked up in the file. */
void read_text_pair(lua_State *L, reader *r, int t, const char *name, lab_text *out);
/* A field that is { en = ..., zh = ... }. */
bool read_text_field(lua_State *L, reader *r, int t, const char *name, lab_text *out,
                     bool required);
/* The table at t as a number that its order, its lines and its texts (en, zh) do not change, nor the keys in
 * `skip`, parted by blanks. functions: whether those count. */
uint64_t read_hash(lua_State *L, int t, const char *skip, bool functions);
grade_expr *read_expr_field(lua_State *L, reader *r, int t, const char *arg, const char *name,
                            bool required);

#endif
