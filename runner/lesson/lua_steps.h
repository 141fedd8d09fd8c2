/* Reads the part of a lesson that the student sees: steps, questions, pictures, hints. */
#ifndef WARPLAB_LUA_STEPS_H
#define WARPLAB_LUA_STEPS_H

#include "runner/lesson/lua_fields.h"

/* Reads lab.draws, which steps name. Call it before read_steps(). */
void read_named_draws(lua_State *L, reader *r, int t);
void read_steps(lua_State *L, reader *r, int t);
/* Reads what the answers that are goals are measured on. */
void read_asked(lua_State *L, reader *r, int t);
void read_hints(lua_State *L, reader *r, int t);

#endif
