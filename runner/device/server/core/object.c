/* A client's handles and strings. Nothing that a client sends is used as a pointer: it is looked up
 * here, or in memory/range.c. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/object.h"
#include "runner/base/buffer.h"

#include <stdlib.h>
#include <string.h>

/* ---- handles: 0x57, kind, generation, index. They are not canonical addresses, so a program that
 * dereferences one faults. */

static uint64_t object_make(unsigned kind, uint32_t generation, uint32_t index) {
    return (uint64_t)0x57 << 56 | (uint64_t)kind << 48 | (uint64_t)(generation & 0xffffff) << 24 |
           index;
}

void *dev_object(dev_client *c, uint64_t h, dev_kind kind) {
    uint32_t i = h & 0xffffff;
    if (i >= c->objects.count || c->objects.slot[i].kind != kind ||
        h != object_make(kind, c->objects.slot[i].generation, i))
        return NULL;
    return c->objects.slot[i].object;
}

/* Uses the first free slot from i on. Returns 0 if there are too many. */
static uint64_t object_enter(dev_client *c, uint32_t i, dev_kind kind, void *object) {
    while (i < c->objects.count && c->objects.slot[i].kind) i++;
    if (i >= DEV_OBJECTS) return 0;
    size_t had = c->objects.room;
    if (!lib_grow(&c->objects.slot, &c->objects.room, i, sizeof *c->objects.slot, 256)) return 0;
    memset(c->objects.slot + had, 0, (c->objects.room - had) * sizeof *c->objects.slot);
    if (i >= c->objects.count) c->objects.count = i + 1;
    c->objects.slot[i].object = object;
    c->objects.slot[i].kind = (uint8_t)kind;
    c->objects.slot[i].generation++;
    c->objects.free_hint = i + 1;
    return object_make(kind, c->objects.slot[i].generation, i);
}

/* Returns the size of a handle and its object, except for what is counted elsewhere: graphs and
 * their nodes as work, an array's memory as the device's. */
static uint64_t object_bytes(dev_kind kind) {
    static const uint16_t bytes[] = {
        [DEV_STREAM] = 2048, [DEV_EVENT] = 256,  [DEV_MODULE] = 1024,  [DEV_KERNEL] = 256,
        [DEV_ARRAY] = 256,   [DEV_MIPMAP] = 512, [DEV_TEXTURE] = 768,  [DEV_SURFACE] = 768,
        [DEV_POOL] = 256,    [DEV_EXEC] = 512,   [DEV_CONDITION] = 256};
    enum { HANDLE = 32 };
    return HANDLE + bytes[kind];
}

uint64_t dev_object_new(dev_client *c, dev_kind kind, void *object) {
    uint32_t i = c->objects.free_hint;
    if (!dev_hold(c, object_bytes(kind))) return 0;
    uint64_t handle = object_enter(c, i, kind, object);
    if (!handle) dev_let_go(c, object_bytes(kind));
    return handle;
}
uint64_t dev_object_handle(const dev_client *c, size_t i) {
    return object_make(c->objects.slot[i].kind, c->objects.slot[i].generation, (uint32_t)i);
}

void dev_object_drop(dev_client *c, uint64_t h) {
    uint32_t i = h & 0xffffff;
    if (i >= c->objects.count) return;
    dev_let_go(c, object_bytes(c->objects.slot[i].kind));
    c->objects.slot[i].object = NULL;
    c->objects.slot[i].kind = DEV_NONE;
    if (i < c->objects.free_hint) c->objects.free_hint = i;
}

/* ---- strings: an open hash table of the names in the log and in findings */

static size_t string_hash(const char *s) {
    uint64_t h = 1469598103934665603u;
    for (; *s; s++) h = (h ^ (uint8_t)*s) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

const char *dev_intern(dev_client *c, const char *s) {
    if (!s || !*s) return "";
    if (c->objects.string_count * 2 >= c->objects.string_room) {
        size_t room = c->objects.string_room ? c->objects.string_room * 2 : 256;
        const char **more = calloc(room, sizeof *more);
        if (!more) return "";
        for (size_t i = 0; i < c->objects.string_room; i++)
            if (c->objects.strings[i]) {
                size_t j = string_hash(c->objects.strings[i]) & (room - 1);
                while (more[j]) j = (j + 1) & (room - 1);
                more[j] = c->objects.strings[i];
            }
        free(c->objects.strings);
        c->objects.strings = more, c->objects.string_room = room;
    }
    size_t j = string_hash(s) & (c->objects.string_room - 1);
    for (; c->objects.strings[j]; j = (j + 1) & (c->objects.string_room - 1))
        if (!strcmp(c->objects.strings[j], s)) return c->objects.strings[j];
    char *copy = strdup(s);
    if (!copy) return "";
    c->objects.string_count++;
    return c->objects.strings[j] = copy;
}
