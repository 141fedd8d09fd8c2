/* Typed access to the fields of a lesson's tables. Each function may raise a Lua error that names
 * file, line, what was expected and what was found. `t` is an absolute stack index. */
#ifndef WARPLAB_LUA_FIELDS_H
#define WARPLAB_LUA_FIELDS_H

#include "runner/lesson/lua_lesson.h"
#include "grader/lab.h"

typedef struct {
    lab_state *s;
    lab *l;
    bool header_only;
    lab_only only;    /* texts may be in one language */
    const char *what; /* "ask", "lab": the table's name in messages */
    unsigned line;    /* of the table being read */
    /* Draws by name, and the number of groups of steps that share draws. */
    struct {
        const char *name;
        const lab_draw *draws;
        size_t count;
        unsigned group;
    } named[LAB_GROUPS];
    unsigned named_count, groups;
} reader;

/* Returns a text that lives as long as the table holds it; NULL if the field is not a text. */
const char *read_field_text(lua_State *L, int t, const char *name);
const char *read_kind_of(lua_State *L, int t); /* the constructor's name, "" for a plain table */
unsigned read_line_of(lua_State *L, int t, unsigned otherwise);
int read_push_field(lua_State *L, int t, const char *name); /* returns the type */
/* Checks that all keys of the table are in `names` (separated by blanks). "[]" allows list
 * items. */
void read_only(lua_State *L, reader *r, int t, const char *names);
/* Reads a finite number. A missing field gives `otherwise`, or an error if `required`. */
double read_number_field(lua_State *L, reader *r, int t, const char *name, double otherwise,
                         bool required);
/* Returns the integral part. A number outside the range of int gives the nearest int. */
int read_int_field(lua_State *L, reader *r, int t, const char *name, int otherwise, bool required);
/* Reads a text into the arena. A missing field gives NULL, or an error if `required`. */
const char *read_string_field(lua_State *L, reader *r, int t, const char *name, bool required);
/* Returns the index of the text in names; n if there is none. */
size_t read_index(const char *const *names, size_t n, const char *text);
bool read_flag_field(lua_State *L, reader *r, int t, const char *name);
/* Returns the length of the list at `list`; 0 if there is no table. Raises an error above
 * LESSON_ITEMS. */
enum { LESSON_ITEMS = 4096 };
size_t read_count(lua_State *L, reader *r, int list, const char *name);
/* Reads the texts of the list at `list`. `name` is for messages. */
size_t read_list(lua_State *L, reader *r, int list, const char *name, const char *const **out);
/* Reads a list of texts. Returns its length; 0 if the field is missing. */
size_t read_strings_field(lua_State *L, reader *r, int t, const char *name,
                          const char *const **out);
/* Reads the fields en and zh of the table at t. With r->only, one may be missing; it is then the
 * same as the other. `name` is the table's name in messages; "(...)" is not searched in the
 * file. */
void read_text_pair(lua_State *L, reader *r, int t, const char *name, lab_text *out);
/* Reads a field that is { en = ..., zh = ... }. */
bool read_text_field(lua_State *L, reader *r, int t, const char *name, lab_text *out,
                     bool required);
/* Hashes the table at t. The hash does not depend on order, lines, texts (en, zh), or the keys in
 * `skip` (separated by blanks). functions: whether functions count. */
uint64_t read_hash(lua_State *L, int t, const char *skip, bool functions);
/* Reads an expression from a text or number. A missing field gives NULL, or an error if
 * `required`. `arg` names the argument in messages. Free with grade_expr_free(). */
grade_expr *read_expr_field(lua_State *L, reader *r, int t, const char *arg, const char *name,
                            bool required);

#endif
