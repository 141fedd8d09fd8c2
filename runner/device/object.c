/* A client's handles, strings and address ranges. Nothing a client sends is used as a pointer: it
 * is looked up here. */
#include "runner/device/server.h"

#include <stdlib.h>
#include <string.h>

/* ---- handles: 0x57, kind, generation, index. Not canonical addresses, so that a program that dereferences
 * one faults. */

static uint64_t make(unsigned kind, uint32_t generation, uint32_t index) {
    return (uint64_t)0x57 << 56 | (uint64_t)kind << 48 | (uint64_t)(generation & 0xffffff) << 24 |
           index;
}

void *dev_object(dev_client *c, uint64_t h, dev_kind kind) {
    uint32_t i = h & 0xffffff;
    if (i >= c->object_count || c->objects[i].kind != kind ||
        h != make(kind, c->objects[i].generation, i))
        return NULL;
    return c->objects[i].object;
}

uint64_t dev_object_new(dev_client *c, dev_kind kind, void *object) {
    uint32_t i = c->object_free;
    while (i < c->object_count && c->objects[i].kind) i++;
    if (i >= DEV_OBJECTS) return 0;
    if (i == c->object_room) {
        size_t room = c->object_room ? c->object_room * 2 : 256;
        void *more = realloc(c->objects, room * sizeof *c->objects);
        if (!more) return 0;
        c->objects = more;
        memset(c->objects + c->object_room, 0, (room - c->object_room) * sizeof *c->objects);
        c->object_room = room;
    }
    if (i >= c->object_count) c->object_count = i + 1;
    c->objects[i].object = object;
    c->objects[i].kind = (uint8_t)kind;
    c->objects[i].generation++;
    c->object_free = i + 1;
    return make(kind, c->objects[i].generation, i);
}

uint64_t dev_object_handle(const dev_client *c, size_t i) {
    return make(c->objects[i].kind, c->objects[i].generation, (uint32_t)i);
}

void dev_object_drop(dev_client *c, uint64_t h) {
    uint32_t i = h & 0xffffff;
    if (i >= c->object_count) return;
    c->objects[i].object = NULL;
    c->objects[i].kind = DEV_NONE;
    if (i < c->object_free) c->object_free = i;
}

/* ---- strings: an open hash table of what the log and findings name */

static size_t hash(const char *s) {
    uint64_t h = 1469598103934665603u;
    for (; *s; s++) h = (h ^ (uint8_t)*s) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

const char *dev_intern(dev_client *c, const char *s) {
    if (!s || !*s) return "";
    if (c->string_count * 2 >= c->string_room) {
        size_t room = c->string_room ? c->string_room * 2 : 256;
        const char **more = calloc(room, sizeof *more);
        if (!more) return "";
        for (size_t i = 0; i < c->string_room; i++)
            if (c->strings[i]) {
                size_t j = hash(c->strings[i]) & (room - 1);
                while (more[j]) j = (j + 1) & (room - 1);
                more[j] = c->strings[i];
            }
        free(c->strings);
        c->strings = more, c->string_room = room;
    }
    size_t j = hash(s) & (c->string_room - 1);
    for (; c->strings[j]; j = (j + 1) & (c->string_room - 1))
        if (!strcmp(c->strings[j], s)) return c->strings[j];
    char *copy = strdup(s);
    if (!copy) return "";
    c->string_count++;
    return c->strings[j] = copy;
}

/* ---- address ranges, sorted by base; they never overlap */

static size_t lower(const dev_client *c, uint64_t a) {
    size_t lo = 0, hi = c->mem_count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (c->mem[mid].base <= a) lo = mid + 1;
        else hi = mid;
    }
    return lo; /* the first with base > a */
}

dev_mem *dev_mem_find(dev_client *c, uint64_t a) {
    size_t i = lower(c, a);
    if (!i) return NULL;
    dev_mem *m = &c->mem[i - 1];
    return a - m->base < m->bytes ? m : NULL;
}

dev_mem *dev_mem_range(dev_client *c, uint64_t a, uint64_t n) {
    dev_mem *m = dev_mem_find(c, a);
    return m && n <= m->bytes - (a - m->base) ? m : NULL;
}

dev_mem *dev_mem_add(dev_client *c, const dev_mem *m) {
    if (c->mem_count == c->mem_room) {
        size_t room = c->mem_room ? c->mem_room * 2 : 64;
        void *more = realloc(c->mem, room * sizeof *c->mem);
        if (!more) return NULL;
        c->mem = more, c->mem_room = room;
    }
    size_t i = lower(c, m->base);
    memmove(c->mem + i + 1, c->mem + i, (c->mem_count - i) * sizeof *c->mem);
    c->mem[i] = *m;
    c->mem_count++;
    return &c->mem[i];
}

void dev_mem_remove(dev_client *c, uint64_t base) {
    size_t i = lower(c, base);
    if (!i || c->mem[i - 1].base != base) return;
    memmove(c->mem + i - 1, c->mem + i, (c->mem_count - i) * sizeof *c->mem);
    c->mem_count--;
}
