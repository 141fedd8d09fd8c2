/* A table from 64-bit keys to numbers that are not 0. */
#ifndef WARPLAB_SIM_TABLE_H
#define WARPLAB_SIM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed: an empty one. Keys may be chosen by somebody who wants them to collide: the order of the
 * slots is drawn for each table. */
typedef struct {
    struct sim_table_slot *slots;
    size_t cap, count; /* a power of two; slots taken */
    uint64_t seed;
} sim_table;

/* 0: it is not there. */
uint32_t sim_table_get(const sim_table *m, uint64_t key);
/* The key's number from now on; it must not be 0. False: out of memory, the map is as it was. */
bool sim_table_put(sim_table *m, uint64_t key, uint32_t value);
void sim_table_free(sim_table *m);

#endif
