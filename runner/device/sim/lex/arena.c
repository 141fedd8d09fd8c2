/* An arena: chunks that grow, freed together. */
#include "runner/device/sim/lex/arena.h"
#include <stdlib.h>

struct ptx_arena {
    struct ptx_arena *older;
    size_t used, size;
    _Alignas(16) char data[];
};

static ptx_arena *chunk_new(size_t size, ptx_arena *older) {
    ptx_arena *a = calloc(1, sizeof *a + size);
    if (a) *a = (ptx_arena){.older = older, .size = size};
    return a;
}

/* The handle is the first chunk, so it never moves. Its `older` is the newest of the other
 * chunks. */
ptx_arena *ptx_arena_new(void) {
    return chunk_new(32 << 10, NULL);
}

void *ptx_arena_get(ptx_arena *a, size_t bytes) {
    bytes = (bytes + 15) & ~(size_t)15;
    ptx_arena *c = a->older ? a->older : a;
    if (c->size - c->used < bytes) {
        size_t size = c->size * 2 < (4u << 20) ? c->size * 2 : 4u << 20;
        c = chunk_new(bytes > size ? bytes : size, a->older);
        if (!c) return NULL;
        a->older = c;
    }
    void *r = c->data + c->used;
    c->used += bytes;
    return r;
}

void ptx_arena_free(ptx_arena *a) {
    if (!a) return;
    for (ptx_arena *c = a->older, *next; c; c = next) {
        next = c->older;
        free(c);
    }
    free(a);
}
