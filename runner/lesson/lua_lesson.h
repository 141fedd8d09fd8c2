/* Between the files that make a lab of a lesson; of others only runner/course includes this, which
 * reads a course's file with the same Lua.
 *
 *   lab.c         opens the file, checks what was read, answers the questions of lab.h          (no Lua)
 *   lua_lesson.c  the restricted Lua: allocator, hook, library, constructors, protected calls   (Lua errors)
 *   lua_lab.c     walks the table a lesson returned into struct lab                             (Lua errors)
 *   lua_fields.c  typed access to a table's fields                                              (Lua errors)
 *   lua_grade.c   its part that is the grader's: arguments, cases, goals                        (Lua errors)
 *   lua_steps.c   its part that the student sees: steps, questions, pictures, hints             (Lua errors)
 *
 * Whatever is allocated while Lua may jump comes from the arena here, so a jump loses nothing. */
#ifndef WARPLAB_LUA_LESSON_H
#define WARPLAB_LUA_LESSON_H

#include <lua.h>
#include "runner/base/message.h"
#include "runner/build/build.h"
#include "runner/lesson/lab.h"

typedef struct arena_block arena_block;
struct lab_state {
    lua_State *L;
    size_t used, limit; /* bytes the lesson's Lua holds, and may */
    int64_t ticks;      /* hook calls left before the lesson is ended */
    arena_block *arena;
    size_t held;     /* bytes of the arena */
    bool guarded;    /* a Lua error has somebody to catch it */
    char name[96];   /* "labs/ID.lua", as messages call it */
    char *source;    /* the file, for the line of a field; arena */
    double deadline; /* and the processor time that ends it (lib_worked) */
    int table;       /* registry reference of what the lesson returned */
    bool failed;     /* by lesson_fail(), which has said why */
    lib_message why;
};

lab_state *lesson_state_new(const char *name, lib_message *msg);
void lesson_state_free(lab_state *s);
/* Zeroed; never NULL. Where Lua may jump, too much of it is a Lua error. */
void *lesson_alloc(lab_state *s, size_t n);
char *lesson_strdup(lab_state *s, const char *text);

/* Compiles and runs the lesson's text; its one result must be a lab{...}, or whatever `kind` names. */
bool lesson_lua_run(lab_state *s, const char *text, size_t n, const char *kind, lib_message *msg);
/* Runs fn(L, user) protected; false and *msg when it raised. */
bool lesson_lua_protected(lab_state *s, int (*fn)(lua_State *), void *user, lib_message *msg);
/* Calls the lesson's function `ref` with i and j when >= 0, then a table of the drawn numbers. What is called with
 * an i may give nil, which is -1: a lane that does nothing. */
bool lesson_lua_number(lab_state *s, int ref, const lab_drawn *d, int i, int j, double *out,
                       lib_message *msg);
/* Numbers by name from the table `ref`, or from what the function `ref` returns. Names are copied
 * into the arena. */
bool lesson_lua_params(lab_state *s, int ref, const lab_drawn *d, grade_param *out, size_t max,
                       size_t *n, lib_message *msg);

/* Fills *l from the returned table. header_only: id, title, chapter, minutes, needs, goals. */
bool lesson_lua_read(lab_state *s, lab *l, bool header_only, lib_message *msg);

/* The constructors: what kind of table each makes and how it is written.
 *   FORM_TABLE    say{...}
 *   FORM_ARGS     uniform(-1, 1, "n")
 *   FORM_CURRIED  counter("x", "<=", 4){ points = 3 } */
typedef enum { FORM_TABLE, FORM_ARGS, FORM_CURRIED } lesson_form;
typedef struct {
    const char *name;
    lesson_form form;
    /* names of the positional arguments, in order; the optional ones behind a '?' */
    const char *fields;
    const char *named; /* the fields it may have, with blanks between; NULL: not said here */
    const char *doc;   /* a sentence */
} lesson_constructor;
/* Number i: ours, then the goals' (grader/goal/goal.h). False past the last. */
bool lesson_constructor_at(size_t i, lesson_constructor *c);
/* The named fields of a constructor (lua_lesson.c). */
const char *lesson_named(const char *constructor);

/* The first line from `line` on that reads "field =", where the author has to look; `line` where
 * none does. */
unsigned lesson_line(const lab_state *s, unsigned line, const char *field);
/* Raises a Lua error whose message is "NAME:LINE: what". field (or NULL) refines the line:
 * lesson_line(). As an attribute: cppcheck does not know the keyword. */
__attribute__((noreturn)) void lesson_fail(lua_State *L, unsigned line, const char *field,
                                           lib_words what);
lab_state *lesson_of(lua_State *L);

#endif
