/* Threads that a device keeps for its launches (pool.c). The second door of this room, for the
 * device. */
#ifndef WARPLAB_SIM_POOL_H
#define WARPLAB_SIM_POOL_H

typedef struct sim_pool sim_pool;
sim_pool *sim_pool_new(unsigned threads);
void sim_pool_free(sim_pool *p);

unsigned sim_pool_size(const sim_pool *p);
/* Tries to have at least n workers, including the caller. Returns how many there are. */
unsigned sim_pool_start(sim_pool *p, unsigned n);
/* Runs fn(arg, 0) on the caller and fn(arg, 1..n-1) on the pool's threads. Returns when all have
 * returned. */
void sim_pool_run(sim_pool *p, unsigned n, void (*fn)(void *arg, unsigned index), void *arg);

#endif
