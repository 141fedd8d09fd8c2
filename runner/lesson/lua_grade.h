/* Reads the part of a lesson that the grader uses: arguments, cases, goals. */
#ifndef WARPLAB_LUA_GRADE_H
#define WARPLAB_LUA_GRADE_H

#include "runner/lesson/lua_fields.h"

/* Raises an error unless there is a counter or figure of this name. */
void read_check_metric(lua_State *L, reader *r, const char *name);
void read_host(lua_State *L, reader *r, int t);          /* host = "flags" */
void read_device_memory(lua_State *L, reader *r, int t); /* "64 MB" */
/* g->entry_text must be set. */
void read_args(lua_State *L, reader *r, int t, grade_lab *g);
void read_cases(lua_State *L, reader *r, int t);
void read_hidden(lua_State *L, reader *r, int t);
void read_goals(lua_State *L, reader *r, int t);

#endif
