/* The interface between the files that turn a lesson into a lab. Outside this room only
 * runner/course includes it, because it reads a course's file with the same Lua. All files except
 * lab.c may raise Lua errors.
 *
 *   lab.c         opens the file, checks what was read, has the functions of lab.h (no Lua)
 *   lua_lesson.c  the restricted Lua: allocator, hook, library, constructors, protected calls
 *   lua_lab.c     turns the table that a lesson returned into struct lab
 *   lua_fields.c  typed access to a table's fields
 *   lua_grade.c   the part for the grader: arguments, cases, goals
 *   lua_steps.c   the part for the student: steps, questions, pictures, hints
 *
 * Everything that is allocated while Lua may jump comes from the arena below. Thereby a jump leaks
 * nothing. */
#ifndef WARPLAB_LUA_LESSON_H
#define WARPLAB_LUA_LESSON_H

#include <lua.h>
#include "runner/base/message.h"
#include "runner/build/build.h"
#include "runner/lesson/lab.h"

typedef struct arena_block arena_block;
struct lab_state {
    lua_State *L;
    size_t used, limit; /* bytes that the lesson's Lua has and may have */
    int64_t ticks;      /* calls of the hook until the lesson is stopped */
    arena_block *arena;
    size_t held;     /* bytes of the arena */
    bool guarded;    /* a protected call would catch a Lua error */
    char name[96];   /* "labs/ID.lua", the name in messages */
    char *source;    /* the file's text, to find the line of a field; in the arena */
    double deadline; /* CPU time at which the lesson is stopped (lib_worked) */
    int table;       /* registry reference of the table that the lesson returned */
    bool failed;     /* lesson_fail() has been called; `why` says why */
    lib_message why;
};

/* Makes a restricted Lua. name: the file's name in messages. Returns NULL and sets *msg if
 * memory ran out. Free with lesson_state_free(). */
lab_state *lesson_state_new(const char *name, lib_message *msg);
void lesson_state_free(lab_state *s);
/* Allocates zeroed memory from the arena; never NULL. If Lua may jump, too much memory is a Lua
 * error. */
void *lesson_alloc(lab_state *s, size_t n);
char *lesson_strdup(lab_state *s, const char *text); /* into the arena */

/* Compiles and runs the lesson's text. It must return one lab{...}, or what `kind` names. */
bool lesson_lua_run(lab_state *s, const char *text, size_t n, const char *kind, lib_message *msg);
/* Runs fn(L, user) in a protected call. Returns false and sets *msg if it raised an error. */
bool lesson_lua_protected(lab_state *s, int (*fn)(lua_State *), void *user, lib_message *msg);
/* Calls the lesson's function `ref` with i and j (if >= 0) and a table of the drawn numbers. If it
 * has an i, it may return nil for an inactive lane; then *out is -1. */
bool lesson_lua_number(lab_state *s, int ref, const lab_drawn *d, int i, int j, double *out,
                       lib_message *msg);
/* Reads numbers by name from the table `ref`, or from the table that the function `ref` returns.
 * The arena holds copies of the names. */
bool lesson_lua_params(lab_state *s, int ref, const lab_drawn *d, grade_param *out, size_t max,
                       size_t *n, lib_message *msg);

/* Fills *l from the returned table. header_only: only id, title, chapter, minutes, needs, goals. */
bool lesson_lua_read(lab_state *s, lab *l, bool header_only, lib_message *msg);

/* The constructors: the kind of table that each makes, and how it is written.
 *   FORM_TABLE    say{...}
 *   FORM_ARGS     uniform(-1, 1, "n")
 *   FORM_CURRIED  counter("x", "<=", 4){ points = 3 } */
typedef enum { FORM_TABLE, FORM_ARGS, FORM_CURRIED } lesson_form;
typedef struct {
    const char *name;
    lesson_form form;
    /* names of the positional arguments, in order; optional ones after a '?' */
    const char *fields;
    const char *named; /* the fields it may have, separated by blanks; NULL: not listed here */
    const char *doc;   /* one sentence */
} lesson_constructor;
/* Enumerates the constructors, first those of lua_lesson.c, then those of goals
 * (grader/goal/goal.h). Returns false after the last. */
bool lesson_constructor_at(size_t i, lesson_constructor *c);
/* Returns the named fields of a constructor (lua_lesson.c). */
const char *lesson_named(const char *constructor);

/* Returns the first line from `line` on that contains "field =", for the author to look at; `line`
 * if there is none. */
unsigned lesson_line(const lab_state *s, unsigned line, const char *field);
/* Raises a Lua error with the message "NAME:LINE: what". field (may be NULL) makes the line more
 * precise, see lesson_line(). The attribute is used because cppcheck does not know the keyword. */
__attribute__((noreturn)) void lesson_fail(lua_State *L, unsigned line, const char *field,
                                           lib_words what);
lab_state *lesson_of(lua_State *L); /* the lab_state of L */

#endif
