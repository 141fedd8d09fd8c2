/* Pages of managed memory: where they are, and the effects of a touch (memory/residency.c). */
#ifndef WARPLAB_DEVICE_RESIDENCY_H
#define WARPLAB_DEVICE_RESIDENCY_H

#include "runner/device/server/core/memory.h"

#define DEV_PAGE_GROUP ((uint64_t)64 << 10)
enum { DEV_PAGE_BLOCK = 32 }; /* groups: 2 MB */

/* The host touched its groups first to last. */
void dev_pages_host(dev_client *c, dev_mem *m, uint64_t first, uint64_t last, dev_moved *to);
/* place: a device's number, -1: the host; type: the cudaMemLocationType that was given. */
void dev_pages_prefetch(dev_client *c, dev_mem *m, uint64_t at, uint64_t n, int place, int type,
                        dev_moved *to);
void dev_pages_advise(dev_mem *m, uint64_t at, uint64_t n, int advice, int place, int type);
int dev_pages_ask(const dev_mem *m, uint64_t at, uint64_t n, int attribute);
unsigned dev_pages_accessed_by(const dev_mem *m, uint64_t at, uint64_t n, int list[DEV_MAX + 1]);
uint64_t dev_pages_held(const dev_mem *m, int place); /* bytes */
/* cudaMalloc of n bytes: evicts what is in its way. */
void dev_pages_make_room(dev_client *c, unsigned device, uint64_t n, dev_moved *to);

#endif
