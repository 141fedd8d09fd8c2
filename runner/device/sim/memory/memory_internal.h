/* What the files of this room share: the memory's tables, and what past.c and restore.c ask of
 * memory.c. */
#ifndef WARPLAB_SIM_MEMORY_INTERNAL_H
#define WARPLAB_SIM_MEMORY_INTERNAL_H

#include "runner/device/sim/memory/memory.h"
#include <pthread.h>

enum { SIM_MEMORY_DEVICES = 16 };

/* An allocation as it was at the mark. */
typedef struct {
    sim_alloc *x;
    uint8_t *bytes; /* NULL: it was not there yet */
    uint64_t *init; /* NULL: every byte counted as written */
    uint64_t hole;
    bool freed; /* now, while it is back */
} sim_kept;
struct sim_past {
    sim_memory *m;
    unsigned heap; /* 0: it shares nobody's, and what it allocates there is lost to a replay */
    uint64_t heap_next, heap_used;
    uint64_t time; /* of the mark; 0: there was none yet */
    sim_kept *at;
    size_t n, room;
    uint64_t left; /* bytes that it may keep yet */
    bool lost;     /* more than that was overwritten */
};

/* A sorted table. Readers load n with acquire order and look at [0, n); in a launch it only grows,
 * at its end. */
typedef struct sim_table {
    sim_alloc **at; /* reservation of `cap` pointers, the first `open` bytes of it accessible */
    size_t cap, open;
    _Atomic size_t n;
    size_t freed; /* records of freed ranges among them */
} sim_table;

/* An address range with storage behind it. */
typedef struct {
    sim_addr base;
    uint8_t *host;
    uint64_t size, open, next; /* reserved, accessible, first never used */
    sim_table t;
} sim_memory_range;

/* Of device malloc(). Its addresses are reserved when it is first used. */
typedef struct {
    sim_memory_range r;
    uint64_t limit, used;
    bool taken;
    bool fixed; /* a kernel has called malloc(): the limit stays */
} sim_heap;

struct sim_memory {
    sim_memory_range dev, cst;
    sim_heap heaps[SIM_HEAPS], *heap; /* heap: of whose turn it is */
    sim_table map;
    uint64_t limit, used;
    unsigned index, reach; /* reach: devices whose memory is found here too, a bit each */
    bool check_uninit;
    uint64_t serial;
    _Atomic uint64_t generation;
    uint64_t launch;        /* number of the last one, */
    _Atomic uint64_t wrote; /* and the bytes of the mapped allocations that it stored into */
    _Atomic uint64_t fed;   /* the last launch that loaded from an allocation that it stored into */
    void (*on_use)(void *user, sim_addr base, uint64_t size); /* sim_memory_on_use() */
    void *on_use_user;
    sim_past *past;     /* whose the allocations are that are made now */
    sim_alloc **marked; /* those with a bitmap */
    size_t marked_n, marked_cap;
    pthread_mutex_t lock; /* device_alloc and device_free against each other */
    bool kept;            /* a snapshot names records: none may go */
    const sim_memory *peer[SIM_MEMORY_DEVICES];
};

/* The memory's records of allocations (memory.c). */
bool sim_memory_unwritten(sim_memory *m,
                          sim_alloc *x);           /* no byte counts as written; false: no memory */
bool sim_memory_list(sim_memory *m, sim_alloc *x); /* as one that has a bitmap */
void sim_memory_sweep(sim_memory *m);
uint64_t sim_memory_rounded(uint64_t n);
unsigned sim_memory_heap_new(sim_memory *m); /* number of one that nobody has; 0: there is none */
void sim_memory_heap_free(sim_memory *m, unsigned heap);
/* What lies at `next` and behind was never there. */
void sim_memory_heap_back(sim_memory *m, sim_heap *h, uint64_t next, uint64_t used);
sim_memory_range *sim_memory_range_of(sim_memory *m, sim_addr a); /* of this device's memory */
void sim_memory_drop(sim_memory *m, sim_addr a); /* frees it without keeping anything of it */
void sim_memory_record_free(sim_alloc *x);       /* one that is not listed any more */
/* What was (past.c). */
void sim_past_empty(sim_past *i);                /* forgets what was kept */
void sim_past_born(sim_memory *m, sim_alloc *x); /* a new allocation of device memory */
void sim_past_save(sim_alloc *x);                /* one thread: it is about to change, or to go */
void sim_past_save_locked(sim_alloc *x);         /* any thread */
/* What was there at the mark and has not been kept yet. */
static inline bool sim_past_stale(sim_alloc *x) {
    return x->of && atomic_load_explicit(&x->kept, memory_order_acquire) != x->of->time;
}

#endif
