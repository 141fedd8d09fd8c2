/* A table from 64-bit keys to numbers that are not 0. */
#ifndef WARPLAB_SIM_TABLE_H
#define WARPLAB_SIM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An empty table is all zero. The order of the slots is drawn at random for each table, because
 * keys may be chosen so that they collide. */
typedef struct {
    struct sim_table_slot *slots;
    size_t cap, count; /* cap: a power of two; count: slots taken */
    uint64_t seed;
} sim_table;

/* Returns 0 if the key is not there. */
uint32_t sim_table_get(const sim_table *m, uint64_t key);
/* Sets the key's number, which must not be 0. Returns false if memory is out; then the table is as
 * before. */
bool sim_table_put(sim_table *m, uint64_t key, uint32_t value);
void sim_table_free(sim_table *m);

#endif
