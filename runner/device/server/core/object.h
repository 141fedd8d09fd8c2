/* Handles and strings of a client (object.c). */
#ifndef WARPLAB_DEVICE_OBJECT_H
#define WARPLAB_DEVICE_OBJECT_H

#include "runner/device/server/core/server.h"

enum { DEV_OBJECTS = 1 << 18 }; /* handles of a client */

/* The kind of a handle's object. */
typedef enum {
    DEV_NONE,
    DEV_STREAM,
    DEV_EVENT,
    DEV_MODULE,
    DEV_KERNEL,
    DEV_ARRAY,
    DEV_TEXTURE,
    DEV_SURFACE,
    DEV_POOL,
    DEV_GRAPH,
    DEV_NODE,
    DEV_EXEC,
    DEV_CONDITION,
    DEV_MIPMAP
} dev_kind;
/* The table of handles, by slot, and strings by hash (object.c). */
typedef struct {
    struct {
        void *object;
        uint32_t generation;
        uint8_t kind; /* dev_kind */
    } * slot;
    size_t count, room;
    uint32_t free_hint;   /* where the search for a free slot begins */
    const char **strings; /* of dev_intern(); NULL: a free place */
    size_t string_count, string_room;
} dev_objects;
/* Returns NULL if h is not a live handle of that kind. */
void *dev_object(dev_client *c, uint64_t h, dev_kind kind);
/* Returns 0 if the client has too many. The object is malloc'ed. dev_object_drop() drops the
 * handle; the object's owner frees the object. */
uint64_t dev_object_new(dev_client *c, dev_kind kind, void *object);
uint64_t dev_object_handle(const dev_client *c, size_t i); /* of the live object in slot i */
void dev_object_drop(dev_client *c, uint64_t h);
/* Returns a permanent copy of s, the same pointer for equal strings; it lives as long as the
 * client. */
const char *dev_intern(dev_client *c, const char *s);

#endif
