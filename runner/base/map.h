/* A table from 64-bit keys to numbers that are not 0. */
#ifndef WARPLAB_BASE_MAP_H
#define WARPLAB_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed: an empty one. Keys may be chosen by somebody who wants them to collide: the order of the
 * slots is drawn for each map. */
typedef struct {
    struct lib_map_slot *slots;
    size_t cap, count; /* a power of two; slots taken */
    uint64_t seed;
} lib_map;

/* 0: it is not there. */
uint32_t lib_map_get(const lib_map *m, uint64_t key);
/* The key's number from now on; it must not be 0. False: out of memory, the map is as it was. */
bool lib_map_put(lib_map *m, uint64_t key, uint32_t value);
void lib_map_free(lib_map *m);

#endif
