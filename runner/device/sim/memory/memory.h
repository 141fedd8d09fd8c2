/* Device memory: which addresses exist, where their bytes lie on the host, which of them were ever
 * written.
 *
 * A device address is a number in one 64-bit space. Five windows split it, so that a generic
 * address says what it points at:
 *
 *   SIM_SHARED_WINDOW        .. +4 GB  shared memory of the block that asks
 *   SIM_LOCAL_WINDOW         .. +4 GB  local memory of the thread that asks
 *   SIM_PARAM_WINDOW         .. +4 GB  kernel parameters, as the debugger and bulk copies name them
 *   SIM_CONST_WINDOW(device) .. +4 GB  constant variables, and kernel parameters as a kernel addresses them
 *                                      (sim_device.param_block); const addresses are generic already
 *   SIM_DEV_BASE(device)     .. +1 TB  sim_malloc(), module variables; in the upper half device
 *                                      malloc(), a part for each owner: a replay gives the same
 *                                      addresses again
 *   anywhere else                      sim_map()ed host ranges
 *
 * In the first three a generic address is the window plus the address in its space (parameters: the
 * offset).
 *
 * Storage is one private reservation of the host; addresses grow and are not used again before the
 * reservation is full, so that a freed range stays recognisable. Freed pages go back to the system
 * at once. Each allocation has a bit per byte that says whether it was written, made on first need
 * and dropped again once everything was.
 *
 * Threads: host calls come from one thread while no launch runs. In a launch the table is read by
 * all workers and grows only at its end, by sim_memory_device_alloc(). */
#ifndef WARPLAB_SIM_MEMORY_H
#define WARPLAB_SIM_MEMORY_H

#include <stdatomic.h>
#include "runner/device/sim/sim.h"

#define SIM_WINDOW_BYTES        0x100000000ull
#define SIM_SHARED_WINDOW       0x2f0000000000ull
#define SIM_LOCAL_WINDOW        0x2f0100000000ull
#define SIM_PARAM_WINDOW        0x2f0200000000ull
#define SIM_CONST_WINDOW(index) (0x2f1000000000ull + (uint64_t)(index)*SIM_WINDOW_BYTES)
#define SIM_DEV_BASE(index)     (0x300000000000ull + ((uint64_t)(index) << 40))
#define SIM_DEV_BYTES           (1ull << 40)
#define SIM_HEAP_AT             (1ull << 39) /* from SIM_DEV_BASE on */
#define SIM_HEAP_BYTES          (1ull << 35)
#define SIM_HEAPS               ((SIM_DEV_BYTES - SIM_HEAP_AT) / SIM_HEAP_BYTES)

typedef struct sim_memory sim_memory;
typedef struct sim_past sim_past;

typedef enum {
    SIM_ALLOC_USER,   /* sim_malloc: counts as a leak when never freed */
    SIM_ALLOC_MODULE, /* a .global variable */
    SIM_ALLOC_CONST,  /* a .const variable */
    SIM_ALLOC_HEAP,   /* device malloc() */
    SIM_ALLOC_MAPPED, /* host memory made visible, as if it lay on the device: managed memory */
    SIM_ALLOC_REMOTE  /* the same, but every access crosses the link to the host */
} sim_alloc_kind;

/* One allocation, live or freed. Read-only for everybody but memory.c; `init` and `written` change
 * under workers' hands. */
typedef struct sim_alloc {
    sim_addr base;
    uint64_t size;
    uint8_t *host;  /* where byte `base` lies */
    uint64_t *init; /* a bit per byte, 1: written. NULL: every byte counts as written */
    char *name;     /* "" if none */
    uint8_t kind;   /* sim_alloc_kind */
    _Atomic bool freed;
    bool listed;          /* in the memory's list of allocations with a bitmap */
    _Atomic bool written; /* `init` changed since it was last scanned for completeness */
    uint64_t init_words;  /* words of `init` */
    uint64_t hole;        /* first word of `init` that may not be full */
    uint64_t serial;      /* order of freeing */
    /* the last launch that stored into it, loaded from it; MAPPED, REMOTE: used it */
    _Atomic uint64_t wrote, loaded, used;
    sim_past *of;          /* whose it is; NULL: nobody's, and it is never put back */
    _Atomic uint64_t kept; /* its mark, when what it held then is kept or need not be */
    uint64_t born;         /* the same, when it was made */
    bool held;             /* by it: the record stays */
} sim_alloc;

/* NULL and *msg on failure. `limit`: bytes that may be allocated. */
sim_memory *sim_memory_new(uint64_t limit, unsigned device_index, bool check_uninit,
                           lib_message *msg);
void sim_memory_free(sim_memory *m);

/* n >= 1. Module and constant variables start initialised to zero, the others unwritten. `name` may
 * be NULL; copied. */
sim_status sim_memory_alloc(sim_memory *m, uint64_t n, sim_alloc_kind kind, const char *name,
                            sim_addr *out);
sim_status
sim_memory_release(sim_memory *m,
                   sim_addr a); /* USER and HEAP: what sim_malloc gave; others: by their module */
/* malloc() and free() of device code: may be called by any worker in a launch. */
sim_status sim_memory_device_alloc(sim_memory *m, uint64_t n, sim_addr *out);
sim_status sim_memory_device_free(sim_memory *m, sim_addr a);
/* cudaLimitMallocHeapSize; 8 MB at first. False: a kernel has called malloc() already, as an H200's
 * driver (580.159) answers cudaErrorInvalidValue from then on, even for the same size. */
bool sim_memory_set_heap_limit(sim_memory *m, uint64_t bytes);

/* The device memory of another device, and those of them that launches may use now: a bit for each device's
 * number. While they may, their addresses are found here. */
void sim_memory_peer(sim_memory *m, const sim_memory *peer);
void sim_memory_reach(sim_memory *m, unsigned peers);

sim_status sim_memory_map(sim_memory *m, void *host, uint64_t n, sim_addr at, bool remote);
sim_status sim_memory_unmap(sim_memory *m, sim_addr at);
bool sim_memory_has_mapped(
    const sim_memory *m); /* is there memory that the host may change in a launch? */
const sim_alloc *sim_memory_mapped(const sim_memory *m,
                                   size_t i); /* by address; NULL: there are no more */
/* A launch is about to store into x, or to load: told by whoever resolves the address to the
 * allocation, before the first such access of each place of code; any thread. */
void sim_memory_wrote(sim_memory *m, sim_alloc *x);
void sim_memory_read_by_launch(sim_memory *m, sim_alloc *x);
void sim_memory_wrote_begin(sim_memory *m); /* a launch begins */
/* Bytes of the mapped allocations that the launch stored into. */
uint64_t sim_memory_wrote_bytes(const sim_memory *m);
/* Has the last launch stored into the allocation at `base`, loaded from it? */
bool sim_memory_launch_stored(const sim_memory *m, sim_addr base);
bool sim_memory_launch_loaded(const sim_memory *m, sim_addr base);
bool sim_memory_launch_fed(const sim_memory *m); /* has it done both to one of them? */
/* fn(user) is called in each launch before it first uses a mapped allocation; one thread at a time,
 * any thread. NULL: no more. */
void sim_memory_on_use(sim_memory *m, void (*fn)(void *user, sim_addr base, uint64_t size),
                       void *user);
/* From now on the mapped allocation at `at` has its bytes at `host`; where it had them before.
 * NULL: there is none. Between launches. */
void *sim_memory_rehost(sim_memory *m, sim_addr at, void *host);
sim_status sim_memory_write(sim_memory *m, sim_addr to, const void *from, uint64_t n);
sim_status sim_memory_read(sim_memory *m, void *to, sim_addr from, uint64_t n);
sim_status sim_memory_copy(sim_memory *m, sim_addr to, sim_addr from, uint64_t n);
sim_status sim_memory_fill(sim_memory *m, sim_addr to, uint32_t value, unsigned width, uint64_t n);
sim_status sim_memory_poison(sim_memory *m, sim_addr to, uint64_t n);
void sim_memory_name(sim_memory *m, sim_addr base, const char *name);
void sim_memory_usage(const sim_memory *m, uint64_t *free_bytes, uint64_t *total_bytes);
void sim_memory_each(const sim_memory *m, void (*fn)(void *user, sim_addr base, uint64_t size),
                     void *user);
unsigned sim_memory_device_index(const sim_memory *m);
uint64_t
sim_memory_extent(const sim_memory *m); /* device addresses in use end at SIM_DEV_BASE + this */
/* Those of constant variables end at SIM_CONST_WINDOW + this. */
uint64_t sim_memory_constants(const sim_memory *m);
/* Where device malloc() has its addresses now, and how many of them are in use. */
sim_addr sim_memory_heap(const sim_memory *m, uint64_t *bytes);

/* The allocation that holds `a`: live, or freed and not yet forgotten; NULL if none. Any thread. */
const sim_alloc *sim_memory_find(const sim_memory *m, sim_addr a);
/* The live allocation whose end or start is nearest to `a`, within 16 MB; NULL if none. Any
 * thread. */
const sim_alloc *sim_memory_nearest(const sim_memory *m, sim_addr a);
/* Where n bytes at `a` lie on the host, all in one live allocation; NULL otherwise. For printf
 * strings and other odd readers. */
void *sim_memory_host(const sim_memory *m, sim_addr a, uint64_t n);
/* The same for a launch that is going to use them there: as sim_memory_wrote(), or
 * sim_memory_read_by_launch(). */
void *sim_memory_used(sim_memory *m, sim_addr a, uint64_t n, bool writes);
/* Changes whenever an allocation is freed: what a cached sim_alloc is compared with. */
const _Atomic uint64_t *sim_memory_generation(const sim_memory *m);
/* Before and after a launch: allocations that are now fully written lose their bitmap, forgotten
 * records go. */
void sim_memory_settle(sim_memory *m);

/* All live allocations as they are now, so that a launch can be run again (debug/). NULL: they hold more
 * than `most` bytes, or the host's memory is out. One at a time, forgotten before the next one. */
typedef struct sim_snapshot sim_snapshot;
sim_snapshot *sim_memory_keep(sim_memory *m, uint64_t most);
/* Between launches; what device code allocated since is gone, what it freed is back. */
void sim_memory_restore(sim_memory *m, const sim_snapshot *s);
void sim_memory_forget(sim_memory *m, sim_snapshot *s);

/* Device memory of one owner as it was at a moment: each allocation is copied when it is first
 * written behind that, whoever writes it, or freed. What an allocation of somebody else holds is
 * not looked after. Between launches but for what launches allocate and write themselves. */
sim_past *sim_past_new(sim_memory *m); /* NULL: no memory */
void sim_past_free(sim_past *i);       /* before the memory */
/* Allocations are its from now on (NULL: nobody's); of module variables those that
 * sim_past_adopt() names, once they have their initial values. */
void sim_past_use(sim_memory *m, sim_past *i);
void sim_past_adopt(sim_memory *m, sim_addr base);
/* This is the moment. `most`: bytes that may be kept of it. */
void sim_past_mark(sim_past *i, uint64_t most);
/* All is as it was then, and as often as is wanted; what was allocated since and not by device code
 * is there, never written; what was freed is back; device malloc() gives the same addresses. False:
 * more was overwritten than is kept, or no memory. */
bool sim_past_rewind(sim_past *i);
/* What sim_past_rewind() brought back is freed again. */
void sim_past_end(sim_past *i);

/* sim.h's memory calls (api/memory_api.c) reach the memory through this, which api/device.c provides. */
sim_memory *sim_device_memory(const sim_device *d);

#endif
