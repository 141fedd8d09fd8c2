/* The part of a lesson that the student sees: steps, questions, pictures, hints. */
#ifndef WARPLAB_LUA_STEPS_H
#define WARPLAB_LUA_STEPS_H

#include "runner/lesson/lua_fields.h"

/* lab.draws: what steps name. Before read_steps(). */
void read_named_draws(lua_State *L, reader *r, int t);
void read_steps(lua_State *L, reader *r, int t);
/* What the answers that are goals are measured on. */
void read_asked(lua_State *L, reader *r, int t);
void read_hints(lua_State *L, reader *r, int t);

#endif
