/* Device memory: which addresses exist, where their bytes are on the host, and which bytes were
 * ever written.
 *
 * A device address is a number in one 64-bit space. Five windows divide it, so that a generic
 * address says what it points at:
 *
 *   SIM_SHARED_WINDOW        .. +4 GB  shared memory of the block that accesses it
 *   SIM_LOCAL_WINDOW         .. +4 GB  local memory of the thread that accesses it
 *   SIM_PARAM_WINDOW         .. +4 GB  kernel parameters, as the debugger and bulk copies name them
 *   SIM_CONST_WINDOW(device) .. +4 GB  constant variables, and kernel parameters as a kernel
 *                                      addresses them (sim_device.param_block); const addresses are
 *                                      generic already
 *   SIM_DEV_BASE(device)     .. +1 TB  sim_malloc(), module variables; in the upper half device
 *                                      malloc(), a part for each owner: a replay gives the same
 *                                      addresses again
 *   anywhere else                      host ranges of sim_map()
 *
 * In the first three, a generic address is the window plus the address in its space (parameters:
 * the offset).
 *
 * The storage is one private reservation of the host. Addresses grow and are not used again before
 * the reservation is full, so that a freed range stays recognisable. Freed pages go back to the
 * system at once. An allocation may have a bitmap with a bit for each byte that was written. The
 * bitmap is made on first need and dropped when all bytes were written.
 *
 * Threads: calls for the host come from one thread while no launch runs. In a launch, all workers
 * read the table. It then grows only at its end, by sim_memory_device_alloc(). */
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
    SIM_ALLOC_USER,   /* sim_malloc: a leak if never freed */
    SIM_ALLOC_MODULE, /* a .global variable */
    SIM_ALLOC_CONST,  /* a .const variable */
    SIM_ALLOC_HEAP,   /* device malloc() */
    /* host memory made visible, treated like memory on the device: managed memory */
    SIM_ALLOC_MAPPED,
    SIM_ALLOC_REMOTE /* the same, but every access crosses the link to the host */
} sim_alloc_kind;

/* One allocation, live or freed. Only memory.c may write it. Workers change `init` and `written`
 * while others read. */
typedef struct sim_alloc {
    sim_addr base;
    uint64_t size;
    uint8_t *host;  /* place of byte `base` */
    uint64_t *init; /* a bit for each byte, 1: written. NULL: every byte counts as written */
    char *name;     /* "" if none */
    uint8_t kind;   /* sim_alloc_kind */
    _Atomic bool freed;
    bool listed;          /* in the memory's list of allocations with a bitmap */
    _Atomic bool written; /* `init` has changed since it was last checked for completeness */
    uint64_t init_words;  /* words of `init` */
    uint64_t hole;        /* first word of `init` that may not be full */
    uint64_t serial;      /* order of freeing */
    /* the last launch that stored into it, that loaded from it; MAPPED, REMOTE: that used it */
    _Atomic uint64_t wrote, loaded, used;
    sim_past *of; /* its owner; NULL: none, and it is never put back */
    /* the owner's mark at which its contents were kept or need not be kept */
    _Atomic uint64_t kept;
    uint64_t born; /* the owner's mark at which it was made */
    bool held;     /* the owner still needs the record */
} sim_alloc;

/* Returns NULL and sets *msg on failure. limit: bytes that may be allocated. */
sim_memory *sim_memory_new(uint64_t limit, unsigned device_index, bool check_uninit,
                           lib_message *msg);
void sim_memory_free(sim_memory *m);

/* n >= 1. Module and constant variables start with zeros that count as written, other memory as
 * never written. `name` may be NULL; it is copied. */
sim_status sim_memory_alloc(sim_memory *m, uint64_t n, sim_alloc_kind kind, const char *name,
                            sim_addr *out);
/* USER and HEAP: an address from sim_malloc; others: freed with their module */
sim_status sim_memory_release(sim_memory *m, sim_addr a);
/* malloc() and free() of device code. Any worker may call them during a launch. */
sim_status sim_memory_device_alloc(sim_memory *m, uint64_t n, sim_addr *out);
sim_status sim_memory_device_free(sim_memory *m, sim_addr a);
/* cudaLimitMallocHeapSize; 8 MB at first. False: a kernel has called malloc() already, as an H200's
 * driver (580.159) answers cudaErrorInvalidValue from then on, even for the same size. */
bool sim_memory_set_heap_limit(sim_memory *m, uint64_t bytes);
/* The bytes that device code has allocated and not freed, of the present owner. */
uint64_t sim_memory_heap_used(const sim_memory *m);

/* Sets the device memory of another device, and the devices whose memory launches may use now: a
 * bit for each device's number. While they may, lookups here also find their addresses. */
void sim_memory_peer(sim_memory *m, const sim_memory *peer);
void sim_memory_reach(sim_memory *m, unsigned peers);

sim_status sim_memory_map(sim_memory *m, void *host, uint64_t n, sim_addr at, bool remote);
sim_status sim_memory_unmap(sim_memory *m, sim_addr at);
/* whether the host may change some of the memory during a launch */
bool sim_memory_has_mapped(const sim_memory *m);
/* by address; NULL: after the last one */
const sim_alloc *sim_memory_mapped(const sim_memory *m, size_t i);
/* A launch is about to store into x, or to load from it. The code that finds the allocation of an
 * address calls this before the first such access at each place in the kernel. Any thread. */
void sim_memory_wrote(sim_memory *m, sim_alloc *x);
void sim_memory_read_by_launch(sim_memory *m, sim_alloc *x);
void sim_memory_wrote_begin(sim_memory *m); /* a launch begins */
/* Returns the bytes of the mapped allocations into which the launch stored. */
uint64_t sim_memory_wrote_bytes(const sim_memory *m);
/* Returns whether the last launch stored into the allocation at `base`, or loaded from it. */
bool sim_memory_launch_stored(const sim_memory *m, sim_addr base);
bool sim_memory_launch_loaded(const sim_memory *m, sim_addr base);
bool sim_memory_launch_fed(const sim_memory *m); /* whether it did both to one allocation */
/* In each launch, fn(user) is called before the launch first uses a mapped allocation: by one
 * thread at a time, any thread. NULL: not called any more. */
void sim_memory_on_use(sim_memory *m, void (*fn)(void *user, sim_addr base, uint64_t size),
                       void *user);
/* Moves the bytes of the mapped allocation at `at` to `host`. Returns where they were before. NULL:
 * there is no such allocation. Not during a launch. */
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
/* device addresses in use end at SIM_DEV_BASE + this */
uint64_t sim_memory_extent(const sim_memory *m);
/* Addresses of constant variables end at SIM_CONST_WINDOW + this. */
uint64_t sim_memory_constants(const sim_memory *m);
/* Returns where device malloc() has its addresses now, and how many bytes of them are in use. */
sim_addr sim_memory_heap(const sim_memory *m, uint64_t *bytes);

/* Returns the allocation that holds `a`, live, or freed and not yet dropped; NULL if none. Any
 * thread. */
const sim_alloc *sim_memory_find(const sim_memory *m, sim_addr a);
/* Returns the live allocation whose start or end is nearest to `a`, within 16 MB; NULL if none. Any
 * thread. */
const sim_alloc *sim_memory_nearest(const sim_memory *m, sim_addr a);
/* Returns the place on the host of n bytes at `a`, all in one live allocation; NULL otherwise. For
 * printf strings and other rare readers. */
void *sim_memory_host(const sim_memory *m, sim_addr a, uint64_t n);
/* The same for a launch that is about to use them: also does what sim_memory_wrote() or
 * sim_memory_read_by_launch() does. */
void *sim_memory_used(sim_memory *m, sim_addr a, uint64_t n, bool writes);
/* Changes whenever an allocation is freed. A cached sim_alloc is valid while this is the same. */
const _Atomic uint64_t *sim_memory_generation(const sim_memory *m);
/* Call it before and after a launch: completely written allocations lose their bitmap, and dropped
 * records go. */
void sim_memory_settle(sim_memory *m);

/* A copy of all live allocations as they are now, so that a launch can be run again (debug/). NULL:
 * they hold more than `most` bytes, or memory is out. Only one exists at a time. */
typedef struct sim_snapshot sim_snapshot;
sim_snapshot *sim_memory_keep(sim_memory *m, uint64_t most);
/* Call it between launches. Allocations that device code made since are gone; those that it freed
 * are back. */
void sim_memory_restore(sim_memory *m, const sim_snapshot *s);
void sim_memory_forget(sim_memory *m, sim_snapshot *s);

/* Device memory of one owner as it was at a mark. Each allocation is copied when any code first
 * writes it after the mark, or when it is freed. Allocations of other owners are not looked after.
 * These functions run between launches, except for what launches themselves allocate and write. */
sim_past *sim_past_new(sim_memory *m); /* NULL: no memory */
void sim_past_free(sim_past *i);       /* call it before sim_memory_free */
/* Allocations belong to `i` from now on (NULL: to no owner). Module variables belong to it if
 * sim_past_adopt() names them, after they have their initial values. */
void sim_past_use(sim_memory *m, sim_past *i);
void sim_past_adopt(sim_memory *m, sim_addr base);
/* Sets the mark to now. most: bytes that may be kept. */
void sim_past_mark(sim_past *i, uint64_t most);
/* Puts everything back as it was at the mark; it may be called repeatedly. Allocations made since,
 * but not by device code, exist and count as never written; freed ones are back; device malloc()
 * returns the same addresses. Returns false if more was overwritten than may be kept, or if memory
 * is out. */
bool sim_past_rewind(sim_past *i);
/* Frees again what sim_past_rewind() brought back. */
void sim_past_end(sim_past *i);

/* The memory calls of sim.h (api/memory_api.c) reach the memory through this function of
 * api/device.c. */
sim_memory *sim_device_memory(const sim_device *d);

#endif
