/* Device memory is in one range of addresses that the server chose, so that a program's process has
 * nothing there, and a device pointer is invalid in it.
 *
 * Blocks up to half a unit of physical memory (2 MiB) are cut from units by size class. Larger ones
 * have units of their own, kept for the next block of that size. Freed memory is filled before it
 * is used again: nothing that one program computed reaches another. */
#include "runner/device/gpu/helper.h"

#include <stdlib.h>

enum { CLASSES = 48, SMALLEST = 512 };
#define KEEP_BYTES ((uint64_t)16 << 30) /* freed memory that stays mapped */

typedef struct gpu_block {
    uint64_t address, bytes; /* rounded */
    unsigned long long physical;
    bool live, small, mapped;
    struct gpu_block *next;
} gpu_block;

enum { BUCKETS = 4096 };
static gpu_block *blocks[BUCKETS]; /* live ones, by address */
static gpu_block *spare[CLASSES];  /* small free blocks, by class */
static gpu_block *large;           /* large free blocks */
static uint64_t used, kept;        /* used: of the range; kept: freed bytes that stay mapped */

static gpu_block **block_bucket(uint64_t address) {
    return &blocks[(address / SMALLEST * 0x9e3779b97f4a7c15u) >> 52];
}

static void block_remember(gpu_block *b) {
    b->live = true;
    b->next = *block_bucket(b->address);
    *block_bucket(b->address) = b;
}

static int units_map(gpu_helper *h, gpu_block *b) {
    const gpu_alloc_prop prop = {.type = GPU_ALLOCATION_PINNED,
                                 .location = {GPU_LOCATION_DEVICE, h->device}};
    const gpu_access access = {{GPU_LOCATION_DEVICE, h->device}, GPU_ACCESS_READ_WRITE};
    int e = h->cu.MemCreate(&b->physical, b->bytes, &prop, 0);
    if (e) return gpu_fail(h, e, "out of device memory");
    e = CU(h, MemMap, b->address, b->bytes, 0, b->physical, 0);
    if (!e) e = CU(h, MemSetAccess, b->address, b->bytes, &access, 1);
    if (e) h->cu.MemRelease(b->physical);
    else b->mapped = true;
    return e;
}

static void units_unmap(gpu_helper *h, gpu_block *b) {
    h->cu.MemUnmap(b->address, b->bytes);
    h->cu.MemRelease(b->physical);
    b->mapped = false;
    kept -= b->bytes;
}

/* Fresh addresses. An unmapped unit follows, so that an overrun faults. */
static int units_reserve(gpu_helper *h, uint64_t bytes, uint64_t *address) {
    if (bytes + h->unit > h->size - used)
        return gpu_fail(h, GPU_E_OUT_OF_MEMORY, "the range of device addresses is used up");
    *address = h->base + used;
    used += bytes + h->unit;
    return 0;
}

static int block_large(gpu_helper *h, uint64_t bytes, gpu_block **out) {
    bytes = (bytes + h->unit - 1) / h->unit * h->unit;
    for (gpu_block **p = &large; *p; p = &(*p)->next) {
        gpu_block *b = *p;
        if (b->bytes != bytes) continue;
        if (!b->mapped) {
            int e = units_map(h, b);
            if (e) return e;
        } else kept -= bytes;
        *p = b->next;
        *out = b;
        return 0;
    }
    gpu_block *b = calloc(1, sizeof *b);
    if (!b) return gpu_fail(h, GPU_E_OUT_OF_MEMORY, "out of memory");
    b->bytes = bytes;
    int e = units_reserve(h, bytes, &b->address);
    if (!e) e = units_map(h, b);
    /* kept memory may be what is missing; freeing it returns no addresses */
    if (e == GPU_E_OUT_OF_MEMORY && kept && b->address) {
        for (gpu_block *o = large; o; o = o->next)
            if (o->mapped) units_unmap(h, o);
        e = units_map(h, b);
    }
    if (e) free(b);
    else *out = b;
    return e;
}

static unsigned block_class(uint64_t bytes) {
    unsigned c = 0;
    while (((uint64_t)SMALLEST << c) < bytes) c++;
    return c;
}

static int block_small(gpu_helper *h, uint64_t bytes, gpu_block **out) {
    unsigned c = block_class(bytes);
    uint64_t size = (uint64_t)SMALLEST << c;
    if (!spare[c]) {
        gpu_block *unit = NULL;
        int e = block_large(h, h->unit, &unit);
        if (!unit) return e;
        for (uint64_t at = 0; at + size <= h->unit; at += size) {
            gpu_block *b = calloc(1, sizeof *b);
            if (!b) break;
            *b = (gpu_block){
                .address = unit->address + at, .bytes = size, .small = true, .next = spare[c]};
            spare[c] = b;
        }
        free(unit); /* its parts stay in use; the unit itself is never freed */
        if (!spare[c]) return gpu_fail(h, GPU_E_OUT_OF_MEMORY, "out of memory");
    }
    *out = spare[c];
    spare[c] = spare[c]->next;
    return 0;
}

int gpu_alloc(gpu_helper *h, uint64_t bytes, uint64_t *address) {
    gpu_block *b = NULL;
    if (!bytes || bytes > h->size) return gpu_fail(h, GPU_E_OUT_OF_MEMORY, "out of device memory");
    int e = bytes <= h->unit / 2 ? block_small(h, bytes, &b) : block_large(h, bytes, &b);
    if (!b) return e;
    block_remember(b);
    *address = b->address;
    return 0;
}

int gpu_free(gpu_helper *h, uint64_t address) {
    gpu_block **p = block_bucket(address);
    while (*p && (*p)->address != address) p = &(*p)->next;
    if (!*p) return gpu_fail(h, GPU_E_ADDRESS, "no such allocation");
    gpu_block *b = *p;
    *p = b->next;
    b->live = false;
    int e = CU(h, MemsetD8Async, b->address, 0xa5, b->bytes, h->stream);
    if (!e) e = CU(h, StreamSynchronize, h->stream);
    gpu_block **list = b->small ? &spare[block_class(b->bytes)] : &large;
    b->next = *list;
    *list = b;
    if (!b->small) {
        kept += b->bytes;
        if (kept > KEEP_BYTES) units_unmap(h, b);
    }
    return e;
}

int gpu_on_Alloc(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    return gpu_alloc(h, q->in.Alloc.bytes, &r->out.Alloc.address);
}
int gpu_on_Free(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    (void)r;
    return gpu_free(h, q->in.Free.address);
}
