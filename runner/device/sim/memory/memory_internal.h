/* Shared by the files of this room: the memory's tables, and the functions of memory.c that past.c
 * and restore.c call. */
#ifndef WARPLAB_SIM_MEMORY_INTERNAL_H
#define WARPLAB_SIM_MEMORY_INTERNAL_H

#include "runner/device/sim/memory/memory.h"
#include <pthread.h>

enum { SIM_MEMORY_DEVICES = 16 };

/* An allocation as it was at the mark. */
typedef struct {
    sim_alloc *x;
    uint8_t *bytes; /* NULL: it did not exist yet */
    uint64_t *init; /* NULL: every byte counted as written */
    uint64_t hole;
    bool freed; /* it had been freed, and is back until sim_past_end() */
} sim_kept;
struct sim_past {
    sim_memory *m;
    /* 0: it uses the shared heap; what it allocates there cannot be replayed */
    unsigned heap;
    uint64_t heap_next, heap_used;
    uint64_t time; /* time of the mark; 0: no mark yet */
    sim_kept *at;
    size_t n, room;
    uint64_t left; /* bytes that it may still keep */
    bool lost;     /* more was overwritten than it may keep */
};

/* A sorted table. Readers load n with acquire order and read [0, n). During a launch, the table
 * only grows, at its end. */
typedef struct sim_table {
    sim_alloc **at; /* reservation of `cap` pointers, the first `open` bytes of it accessible */
    size_t cap, open;
    _Atomic size_t n;
    size_t freed; /* how many records are of freed ranges */
} sim_table;

/* An address range with storage. */
typedef struct {
    sim_addr base;
    uint8_t *host;
    uint64_t size, open, next; /* size: reserved; open: accessible; next: the first never used */
    sim_table t;
} sim_memory_range;

/* The heap of device malloc(). Its addresses are reserved at first use. */
typedef struct {
    sim_memory_range r;
    uint64_t limit, used;
    bool taken;
    bool fixed; /* a kernel has called malloc(): the limit stays */
} sim_heap;

struct sim_memory {
    sim_memory_range dev, cst;
    sim_heap heaps[SIM_HEAPS], *heap; /* heap: of the present owner */
    sim_table map;
    uint64_t limit, used;
    unsigned index, reach; /* reach: devices whose memory is also found here, a bit each */
    bool check_uninit;
    uint64_t serial;
    _Atomic uint64_t generation;
    uint64_t launch;        /* number of the last launch */
    _Atomic uint64_t wrote; /* bytes of the mapped allocations into which it stored */
    _Atomic uint64_t fed; /* the last launch that loaded from an allocation into which it stored */
    void (*on_use)(void *user, sim_addr base, uint64_t size); /* sim_memory_on_use() */
    void *on_use_user;
    sim_past *past;     /* the owner of new allocations */
    sim_alloc **marked; /* the allocations with a bitmap */
    size_t marked_n, marked_cap;
    pthread_mutex_t lock; /* for device_alloc and device_free */
    bool kept;            /* a snapshot refers to records: none may be dropped */
    const sim_memory *peer[SIM_MEMORY_DEVICES];
};

/* The memory's records of allocations (memory.c). */
/* marks every byte as never written; false: memory is out */
bool sim_memory_unwritten(sim_memory *m, sim_alloc *x);
bool sim_memory_list(sim_memory *m, sim_alloc *x); /* adds it to those with a bitmap */
void sim_memory_sweep(sim_memory *m);
uint64_t sim_memory_rounded(uint64_t n);
/* number of a heap without an owner; 0: none is left */
unsigned sim_memory_heap_new(sim_memory *m);
void sim_memory_heap_free(sim_memory *m, unsigned heap);
/* Puts a heap back: what was allocated from `next` on never existed. */
void sim_memory_heap_back(sim_memory *m, sim_heap *h, uint64_t next, uint64_t used);
/* for addresses of this device's memory */
sim_memory_range *sim_memory_range_of(sim_memory *m, sim_addr a);
void sim_memory_drop(sim_memory *m, sim_addr a); /* frees it and keeps no copy */
void sim_memory_record_free(sim_alloc *x);       /* for one that is no longer listed */
/* The past of an owner's memory (past.c). */
void sim_past_empty(sim_past *i);                /* drops the kept copies */
void sim_past_born(sim_memory *m, sim_alloc *x); /* a new allocation of device memory */
void sim_past_save(sim_alloc *x); /* one thread: the allocation is about to change or to be freed */
void sim_past_save_locked(sim_alloc *x); /* any thread */
/* Returns whether the allocation existed at the mark and has not been copied yet. */
static inline bool sim_past_stale(sim_alloc *x) {
    return x->of && atomic_load_explicit(&x->kept, memory_order_acquire) != x->of->time;
}

#endif
