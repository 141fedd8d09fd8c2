/* Memory that a client may name.
 *
 *   in    calls: Malloc, HostAlloc, Copy, TextureCreate ...; work/run.c: places to copy between
 *   out   addresses that were checked against the table of ranges, and the backend's memory there
 *
 *   memory/range.c      the table of ranges, and device memory behind them
 *   memory/find.c       look-ups in it
 *   memory/residency.c  where each page of managed memory is (residency.h)
 *   memory/side.c       memory that both sides see: what the host wrote there
 *   memory/shared.c     memory files that both sides map
 *   work/place.c        the place of a side of a copy, row by row
 *   calls/              malloc.c: allocation; pool.c: pools and asynchronous allocation; host.c:
 *                       page-locked, registered and managed memory, at the same address on both
 *                       sides; advice.c: queries about memory, and advice; touched.c: what the
 *                       program's own code did with managed memory; copy.c: copies and memsets;
 *                       array.c, mipmap.c; texture.c: textures and surfaces; reset.c:
 *                       cudaDeviceReset */
#ifndef WARPLAB_DEVICE_MEMORY_H
#define WARPLAB_DEVICE_MEMORY_H

#include "runner/device/server/core/object.h"
#include "runner/device/server/core/server.h"

/* Limit of a block of page-locked or managed memory. */
#define DEV_HOST_BYTES ((uint64_t)16 << 30)
/* Each byte of such a new block: a huge number as int, float, double, and a NaN as half. */
enum { DEV_HOST_POISON = 0x7f };

/* ---- ranges (range.c) */

typedef enum {
    DEV_MEM_DEVICE,
    DEV_MEM_POOL,
    DEV_MEM_GRAPH,
    DEV_MEM_ARRAY,
    DEV_MEM_SYMBOL,
    DEV_MEM_HOST,
    DEV_MEM_REGISTERED,
    DEV_MEM_MANAGED,
    DEV_MEM_VARIABLE, /* a __managed__ variable: its module owns the memory */
    DEV_MEM_GRANTED
} dev_mem_kind;
struct dev_mem {
    uint64_t base, bytes;
    dev_mem_kind kind;
    unsigned device, flags;
    uint64_t pool;      /* for DEV_MEM_POOL */
    bool on_host;       /* HOST, REGISTERED, MANAGED, VARIABLE, and GRANTED page-locked memory */
    int fd;             /* for host memory until it is mapped; 0: none */
    void *host;         /* HOST, REGISTERED, MANAGED: the server's mapping, */
    uint64_t map_bytes; /* its size, */
    uint64_t map_skip;  /* offset of base in it */
    bool mapped;        /* the client has it, so the devices may see it */
    dev_pages *pages;   /* MANAGED, VARIABLE: where its pages are */
    bool given;         /* MANAGED: the program's own code can reach it */
    bool ever_stored;   /* on_host: a launch stored into it */
    bool fresh;         /* it was made in the present lab's call */
    dev_side *side; /* on_host: what the host did with it in that call; NULL: no work has used it */
};
enum { DEV_NOWHERE = -2 }; /* cudaInvalidDeviceId: memory without a preferred place */

/* Blocks of managed memory in the order in which pages last came to them. An entry whose block has
 * moved since stays until room is needed. */
typedef struct {
    uint64_t base, block, stamp;
} dev_came;
typedef struct {
    dev_came *at;
    size_t first, count, room;
} dev_came_list;
/* A client's memory: the ranges (range.c), managed pages (residency.c), and the bytes that the
 * client has on each device. */
typedef struct {
    dev_mem *ranges; /* by base */
    size_t count, room;
    size_t managed_count;   /* number of managed ranges */
    uint64_t managed_clock; /* counts moves of pages; gives the next stamp */
    struct dev_device_memory {
        uint64_t bytes;                   /* in ranges */
        uint64_t managed_bytes;           /* of pages */
        dev_came_list came;               /* the order in which pages are evicted */
        uint64_t pool, default_pool;      /* handles (calls/pool.c); 0: none yet */
        uint64_t graph_bytes, graph_high; /* of allocation nodes: now, and at most */
        /* the memory as it was at the beginning of the call; NULL on a GPU */
        struct sim_past *past;
    } device[DEV_MAX];
} dev_memory;
dev_mem *dev_mem_find(dev_client *c, uint64_t a);      /* the range that contains a */
size_t dev_mem_above(const dev_client *c, uint64_t a); /* index of the first range with base > a */
/* the range that contains a, or the next one; they are adjacent in an array */
dev_mem *dev_mem_from(dev_client *c, uint64_t a);
/* the range that contains all of it */
dev_mem *dev_mem_range(dev_client *c, uint64_t a, uint64_t n);
/* Returns NULL if memory is out. Pointers to other ranges become invalid. */
dev_mem *dev_mem_add(dev_client *c, const dev_mem *m);
void dev_mem_remove(dev_client *c, uint64_t base);
void dev_mem_free(dev_client *c); /* the client ends: frees all of it, and the table */
cudaError_t dev_mem_allocate(dev_client *c, unsigned device, uint64_t n, dev_mem_kind kind,
                             uint64_t pool, uint64_t *out);
sim_status dev_mem_release(dev_client *c, dev_mem *m); /* of device memory */

/* ---- managed memory as kernels use it (residency.c) */

/* What moved, and why. */
typedef struct {
    uint64_t faults, host_faults; /* groups of pages for which a device, the host had to wait */
    uint64_t in, out;             /* bytes that migrated to a device, to the host */
    /* bytes that a kernel accessed across the link, without moving them */
    uint64_t far_read, far_written;
} dev_moved;
typedef struct {
    dev_client *c;
    unsigned device;
    dev_mem *mem;
    dev_moved moved;
} dev_touching;
dev_pages *dev_pages_new(uint64_t bytes); /* NULL: no memory */
void dev_pages_free(dev_pages *p);
void dev_pages_drop(dev_client *c, dev_mem *m); /* the memory is freed */
bool dev_pages_any(const dev_client *c);        /* returns whether there is any managed memory */
void dev_pages_begin(dev_client *c, unsigned device, dev_touching *t);
/* sim_launch.touch; user: a dev_touching. */
void dev_pages_touch(void *user, sim_addr line, unsigned sectors, bool write);
/* The same for the whole range. */
void dev_pages_sweep(dev_client *c, unsigned device, uint64_t base, uint64_t n, bool write,
                     dev_moved *to);
double dev_moved_us(const sim_profile *p, const dev_moved *m); /* time of faults and migrations */
double dev_moved_far_us(const sim_profile *p, const dev_moved *m); /* time of what did not move */

/* ---- memory that both sides see, in a lab's call (side.c). No call reports what the program's own
 * code writes there, so it is found when the device next uses the memory, and kept for a proof
 * (dev_patch) */

/* Returns whether it is wanted. */
bool dev_side_kept(const dev_client *c);
/* Receives words of 4 bytes that the program's own code put there. */
typedef void dev_side_words(dev_client *c, const void *bytes, uint64_t n);
/* A work is about to use [at, at + n), all in one range (given: may be NULL); a work has written
 * there. exact: all of it; otherwise somewhere in it. */
void dev_side_before(dev_client *c, uint64_t at, uint64_t n, dev_side_words *given);
void dev_side_after(dev_client *c, uint64_t at, uint64_t n, bool exact);
/* the program's own code can reach it from now on */
void dev_side_given(dev_client *c, dev_mem *m);
/* Returns how many bytes of [at, at + n) the program's own code put there, except those that all
 * have one value. */
uint64_t dev_side_hosts(dev_client *c, uint64_t at, uint64_t n);
/* Returns the contents of the range when a work of the call first used it; NULL: zeros. Returns
 * false if no work has. */
bool dev_side_first(const dev_mem *m, const uint8_t **bytes);
/* Returns its contents after the last work; NULL: the program cannot reach it, or no work has used
 * it. */
const uint8_t *dev_side_known(const dev_mem *m);
void dev_side_free(dev_client *c, dev_mem *m);
/* A range of the client is freed. Returns true if the log has taken over its record, for a
 * replay. */
bool dev_side_bury(dev_client *c, dev_mem *m);

typedef struct {
    uint64_t handle;
    unsigned device;
    uint64_t threshold, used, high;
    uint64_t reserved, reserved_high; /* reserved from the device, used or not */
    int reuse[4];
    bool is_default;
} dev_pool;

/* The thread waited: the device's pools return what they hold beyond their thresholds. */
void dev_pools_trim(dev_call *k, unsigned device);

/* ---- host memory (host.c, shared.c) */

int dev_shared(const char *name, uint64_t bytes, void **at); /* a sealed memfd, mapped; -1 */
uint64_t dev_page_up(uint64_t n);                            /* to whole pages */
uint64_t dev_host_address(dev_client *c, uint64_t bytes); /* of page-locked memory; 0: none left */
uint64_t dev_managed_address(dev_client *c, uint64_t bytes); /* begins a group of pages */

/* ---- places (place.c): where a side of a copy begins, and the distances of its rows and slices */

typedef struct {
    uint64_t base, pitch, slice;
    unsigned device;
    bool pageable; /* ordinary memory of the program */
    bool host;     /* memory on the host that the device sees */
    bool managed;  /* managed memory, on the host and on devices */
} dev_place;
bool dev_place_find(dev_client *c, unsigned device, const wire_place *p, uint64_t w, uint64_t h,
                    uint64_t d, dev_place *place);
/* Returns how many 32-byte sectors w x h x d at a place touch, counting each row separately. */
uint64_t dev_place_sectors(const dev_place *r, uint64_t w, uint64_t h, uint64_t d);
uint64_t dev_copy_total(const wire_copy *w); /* bytes */
/* Returns whether the cudaMemcpyKind calls host memory the device's, or the reverse. The runtime
 * goes by the pointers if it can reach both; its documentation calls such a copy undefined. */
bool dev_copy_misdirected(dev_client *c, unsigned device, const wire_copy *w);
/* Finds a copy's two places as byte ranges of memory that the client may use. Returns an error if
 * they are not. */
cudaError_t dev_copy_check(dev_client *c, unsigned device, wire_copy *w);
cudaError_t dev_fill_check(dev_client *c, unsigned device, const wire_fill *f);
/* Moves [offset, offset+n) of the copy's bytes between its place on the device side and a host
 * buffer, row by row. */
cudaError_t dev_copy_bytes(dev_client *c, const wire_copy *w, bool to_device, uint64_t offset,
                           void *buffer, uint64_t n);

/* ---- arrays and textures (array.c, texture.c) */

typedef struct {
    uint64_t handle, base, pitch, bytes;
    unsigned device, flags, element;
    struct cudaChannelFormatDesc desc;
    uint64_t width, height, depth; /* as given: 0 for a dimension that does not exist */
    bool level;                    /* of a mipmapped array, which owns the memory */
} dev_array;
/* A mipmapped array. Its levels are in one block of memory (sim_texture_level). */
typedef struct {
    dev_array all; /* like level 0, except for the bytes, which are those of all levels */
    unsigned levels;
    uint64_t level[SIM_TEX_LEVELS]; /* arrays, made on first need; 0: not yet */
} dev_mipmap;
/* Checks the format and extent of an array that is asked for. `a` gets everything except place and
 * handle. */
cudaError_t dev_array_describe(dev_call *k, const struct cudaChannelFormatDesc *d,
                               const uint64_t extent[3], uint64_t flags, dev_array *a);
/* Describes the memory of an array or a mipmapped array for the texture units. Returns false if
 * they do not have the format. */
bool dev_array_texture(const dev_array *a, sim_texture *t);
void dev_texture_free(dev_client *c, void *object);

#endif
