/* Memory that a client may name.
 *
 *   in    calls: Malloc, HostAlloc, Copy, TextureCreate ...; work/run.c: places to copy between
 *   out   addresses that were checked against the table of ranges, and the backend's memory there
 *
 *   memory/range.c    the table of ranges, and device memory behind them
 *   memory/find.c     look-ups in it
 *   memory/residency.c  who holds which page of managed memory (residency.h)
 *   memory/side.c     memory that both sides see: what the host wrote there
 *   memory/shared.c   memory files that both sides map
 *   work/place.c      where a side of a copy lies, row by row
 *   calls/            malloc.c: allocation; pool.c: pools and asynchronous allocation; host.c: page-locked, registered and
 *                     managed memory, at one address on both sides; advice.c: questions about memory, and advice;
 *                     touched.c: what the program's own code did with managed memory; copy.c:
 *                     copies and memsets; array.c, mipmap.c; texture.c: textures and surfaces; reset.c: cudaDeviceReset */
#ifndef WARPLAB_DEVICE_MEMORY_H
#define WARPLAB_DEVICE_MEMORY_H

#include "runner/device/server/core/object.h"
#include "runner/device/server/core/server.h"

/* A block of page-locked or managed memory. */
#define DEV_HOST_BYTES ((uint64_t)16 << 30)

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
    DEV_MEM_VARIABLE, /* a __managed__ one: its module has the memory */
    DEV_MEM_GRANTED
} dev_mem_kind;
struct dev_mem {
    uint64_t base, bytes;
    dev_mem_kind kind;
    unsigned device, flags;
    uint64_t pool;      /* of DEV_MEM_POOL */
    bool on_host;       /* HOST, REGISTERED, MANAGED, VARIABLE, and GRANTED page-locked memory */
    int fd;             /* of host memory until it is mapped; 0: none */
    void *host;         /* HOST, REGISTERED, MANAGED: the server's mapping, */
    uint64_t map_bytes; /* its size, */
    uint64_t map_skip;  /* where base lies in it */
    bool mapped;        /* the client has it: it is visible to the devices */
    dev_pages *pages;   /* MANAGED, VARIABLE: where they are */
    bool given;         /* MANAGED: the program's own code can reach it */
    bool ever_stored;   /* on_host: a launch stored into it */
    bool fresh;         /* it was made in the lab's call under way */
    dev_side *side;     /* on_host: what the host did with it in that call; NULL: no work used it */
};
enum { DEV_NOWHERE = -2 }; /* cudaInvalidDeviceId: the preferred place of memory without one */

/* Blocks of managed memory in the order in which pages last came to them; an entry whose block moved
 * since stays until there is no room. */
typedef struct {
    uint64_t base, block, stamp;
} dev_came;
typedef struct {
    dev_came *at;
    size_t first, count, room;
} dev_came_list;
/* A client's memory: the ranges (range.c), managed pages (residency.c), and of each device what the
 * client has there, in bytes. */
typedef struct {
    dev_mem *ranges; /* by base */
    size_t count, room;
    size_t managed_count;   /* of ranges, managed ones */
    uint64_t managed_clock; /* counts moves of pages: the next stamp */
    struct dev_device_memory {
        uint64_t bytes;                   /* in ranges */
        uint64_t managed_bytes;           /* of pages */
        dev_came_list came;               /* the order in which pages are evicted */
        uint64_t pool, default_pool;      /* handles (calls/pool.c); 0: none yet */
        uint64_t graph_bytes, graph_high; /* of allocation nodes: now, and the most */
        struct sim_past *past;            /* as it was at the call's beginning; NULL on a GPU */
    } device[DEV_MAX];
} dev_memory;
dev_mem *dev_mem_find(dev_client *c, uint64_t a);      /* the one that holds a */
size_t dev_mem_above(const dev_client *c, uint64_t a); /* the first with base > a */
dev_mem *dev_mem_from(dev_client *c, uint64_t a); /* that one, or the next; they lie in a row */
dev_mem *dev_mem_range(dev_client *c, uint64_t a, uint64_t n); /* the one that holds all of it */
/* NULL: no memory. Pointers to others become invalid. */
dev_mem *dev_mem_add(dev_client *c, const dev_mem *m);
void dev_mem_remove(dev_client *c, uint64_t base);
void dev_mem_free(dev_client *c); /* the client goes: all of it, and the table */
cudaError_t dev_mem_allocate(dev_client *c, unsigned device, uint64_t n, dev_mem_kind kind,
                             uint64_t pool, uint64_t *out);
sim_status dev_mem_release(dev_client *c, dev_mem *m); /* of device memory */

/* ---- managed memory as kernels use it (residency.c) */

/* What moved, and why. */
typedef struct {
    uint64_t faults, host_faults;   /* groups that a device, the host waited for */
    uint64_t in, out;               /* bytes that migrated to a device, to the host */
    uint64_t far_read, far_written; /* by a kernel, where they lay, across the link */
} dev_moved;
typedef struct {
    dev_client *c;
    unsigned device;
    dev_mem *mem;
    dev_moved moved;
} dev_touching;
dev_pages *dev_pages_new(uint64_t bytes); /* NULL: no memory */
void dev_pages_free(dev_pages *p);
void dev_pages_drop(dev_client *c, dev_mem *m); /* the memory goes */
bool dev_pages_any(const dev_client *c);        /* is there any managed memory? */
void dev_pages_begin(dev_client *c, unsigned device, dev_touching *t);
/* sim_launch.touch; user: a dev_touching. */
void dev_pages_touch(void *user, sim_addr line, unsigned sectors, bool write);
/* The same of all of a range. */
void dev_pages_sweep(dev_client *c, unsigned device, uint64_t base, uint64_t n, bool write,
                     dev_moved *to);
double dev_moved_us(const sim_profile *p, const dev_moved *m);     /* of faults and migrations */
double dev_moved_far_us(const sim_profile *p, const dev_moved *m); /* of what did not move */

/* ---- memory that both sides see, in a lab's call (side.c): what the program's own code writes
 * there has no call, so it is found where the device next uses it, and kept for a proof
 * (dev_patch) */

/* Does anybody ask for it? */
bool dev_side_kept(const dev_client *c);
/* Hears of words of 4 bytes that the program's own code put there. */
typedef void dev_side_words(dev_client *c, const void *bytes, uint64_t n);
/* A work is about to use [at, at + n), all in one range (given: may be NULL); it has written there.
 * exact: all of it; else somewhere. */
void dev_side_before(dev_client *c, uint64_t at, uint64_t n, dev_side_words *given);
void dev_side_after(dev_client *c, uint64_t at, uint64_t n, bool exact);
void dev_side_given(dev_client *c,
                    dev_mem *m); /* the program's own code can reach it from now on */
/* Bytes of [at, at + n) that the program's own code put there, but for those that all have one
 * value. */
uint64_t dev_side_hosts(dev_client *c, uint64_t at, uint64_t n);
/* What the range held when a work of the call first used it; NULL: zeros. False: none has. */
bool dev_side_first(const dev_mem *m, const uint8_t **bytes);
/* As the last work left it; NULL: the program cannot reach it, or no work used it. */
const uint8_t *dev_side_known(const dev_mem *m);
void dev_side_free(dev_client *c, dev_mem *m);
/* A range of the client's is freed: true, its record is the log's now, for a replay. */
bool dev_side_bury(dev_client *c, dev_mem *m);

typedef struct {
    uint64_t handle;
    unsigned device;
    uint64_t threshold, used, high;
    uint64_t reserved, reserved_high; /* held of the device, used or not */
    int reuse[4];
    bool is_default;
} dev_pool;

/* The thread waited: what the device's pools hold beyond their thresholds goes back. */
void dev_pools_trim(dev_call *k, unsigned device);

/* ---- host memory (host.c, shared.c) */

int dev_shared(const char *name, uint64_t bytes, void **at); /* a sealed memfd, mapped; -1 */
uint64_t dev_page_up(uint64_t n);                            /* to whole pages */
uint64_t dev_host_address(dev_client *c, uint64_t bytes); /* of page-locked memory; 0: none left */
uint64_t dev_managed_address(dev_client *c, uint64_t bytes); /* begins a group of pages */

/* ---- places (place.c): where a side of a copy begins, and how far it is from row to row and slice
 * to slice */

typedef struct {
    uint64_t base, pitch, slice;
    unsigned device;
    bool pageable; /* ordinary memory of the program */
    bool host;     /* memory on the host that the device sees */
    bool managed;  /* the host's and the device's */
} dev_place;
bool dev_place_find(dev_client *c, unsigned device, const wire_place *p, uint64_t w, uint64_t h,
                    uint64_t d, dev_place *place);
/* 32-byte sectors that w x h x d at a place touch, each row on its own. */
uint64_t dev_place_sectors(const dev_place *r, uint64_t w, uint64_t h, uint64_t d);
uint64_t dev_copy_total(const wire_copy *w); /* bytes */
/* The cudaMemcpyKind calls host memory the device's, or the other way round. The runtime goes by the
 * pointers where it can reach both; its documentation calls such a copy undefined. */
bool dev_copy_misdirected(dev_client *c, unsigned device, const wire_copy *w);
/* A copy's two places as byte ranges of memory the client may use; else an error. */
cudaError_t dev_copy_check(dev_client *c, unsigned device, wire_copy *w);
cudaError_t dev_fill_check(dev_client *c, unsigned device, const wire_fill *f);
/* Row by row: moves [offset, offset+n) of the copy's bytes between device-side place and a host
 * buffer. */
cudaError_t dev_copy_bytes(dev_client *c, const wire_copy *w, bool to_device, uint64_t offset,
                           void *buffer, uint64_t n);

/* ---- arrays and textures (array.c, texture.c) */

typedef struct {
    uint64_t handle, base, pitch, bytes;
    unsigned device, flags, element;
    struct cudaChannelFormatDesc desc;
    uint64_t width, height, depth; /* as given: 0 where a dimension does not exist */
    bool level;                    /* of a mipmapped array, which has the memory */
} dev_array;
/* A mipmapped array. Its levels lie in one block of memory (sim_texture_level). */
typedef struct {
    dev_array all; /* as level 0, but for the bytes, which are of all levels */
    unsigned levels;
    uint64_t level[SIM_TEX_LEVELS]; /* arrays, made when first asked for; 0: not yet */
} dev_mipmap;
/* An array as it is asked for: its format and extent checked; `a` gets all but place and handle. */
cudaError_t dev_array_describe(dev_call *k, const struct cudaChannelFormatDesc *d,
                               const uint64_t extent[3], uint64_t flags, dev_array *a);
/* What the texture units see of an array's or a mipmapped array's memory; false: a format that they do
 * not have. */
bool dev_array_texture(const dev_array *a, sim_texture *t);
void dev_texture_free(dev_client *c, void *object);

#endif
