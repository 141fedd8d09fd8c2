/* Memory of a module: everything lives in one arena and dies with it (arena.c). */
#ifndef WARPLAB_PTX_ARENA_H
#define WARPLAB_PTX_ARENA_H

#include <stddef.h>

typedef struct ptx_arena ptx_arena;
ptx_arena *ptx_arena_new(void);                  /* NULL: no memory */
void *ptx_arena_get(ptx_arena *a, size_t bytes); /* zeroed, 16-byte aligned; NULL: no memory */
void ptx_arena_free(ptx_arena *a);

#endif
