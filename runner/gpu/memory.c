/* Memory: device memory lies in one range of addresses that the server chose, so that a program's
 * process has nothing there and a device pointer means nothing in it.
 *
 * Blocks up to half a unit of physical memory (2 MiB) are cut from units by size class; larger ones
 * have units of their own, kept for the next block of that size. What is freed is filled before
 * anyone else gets it: nothing that one program computed is left for another. */
#include "runner/gpu/helper.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CLASSES = 48, SMALLEST = 512 };
#define KEEP_BYTES ((uint64_t)16 << 30) /* freed memory that stays mapped */

typedef struct block {
    uint64_t address, bytes; /* rounded */
    unsigned long long physical;
    bool live, small, mapped;
    struct block *next;
} block;
typedef struct mapping {
    uint64_t address, map_bytes;
    void *at;
    struct mapping *next;
} mapping;

enum { BUCKETS = 4096 };
static block *blocks[BUCKETS]; /* live ones, by address */
static block *spare[CLASSES];  /* small ones, free, by class */
static block *large;           /* large ones, free */
static mapping *mappings;
static uint64_t used, kept; /* of the range; freed bytes that stay mapped */

static block **bucket(uint64_t address) {
    return &blocks[(address / SMALLEST * 0x9e3779b97f4a7c15u) >> 52];
}

static void remember(block *b) {
    b->live = true;
    b->next = *bucket(b->address);
    *bucket(b->address) = b;
}

static int map_units(gpu_helper *h, block *b) {
    const gpu_alloc_prop prop = {.type = 1, .location = {1, h->device}};
    const gpu_access access = {{1, h->device}, 3};
    int e = h->cu.MemCreate(&b->physical, b->bytes, &prop, 0);
    if (e) return gpu_fail(h, e == 2 ? 2 : e, "out of device memory");
    e = CU(h, MemMap, b->address, b->bytes, 0, b->physical, 0);
    if (!e) e = CU(h, MemSetAccess, b->address, b->bytes, &access, 1);
    if (e) h->cu.MemRelease(b->physical);
    else b->mapped = true;
    return e;
}

static void unmap_units(gpu_helper *h, block *b) {
    h->cu.MemUnmap(b->address, b->bytes);
    h->cu.MemRelease(b->physical);
    b->mapped = false;
    kept -= b->bytes;
}

/* Fresh addresses; an unmapped unit behind them, so that running off the end faults. */
static int reserve(gpu_helper *h, uint64_t bytes, uint64_t *address) {
    if (bytes + h->unit > h->size - used)
        return gpu_fail(h, 2, "the range of device addresses is used up");
    *address = h->base + used;
    used += bytes + h->unit;
    return 0;
}

static int alloc_large(gpu_helper *h, uint64_t bytes, block **out) {
    bytes = (bytes + h->unit - 1) / h->unit * h->unit;
    for (block **p = &large; *p; p = &(*p)->next) {
        block *b = *p;
        if (b->bytes != bytes) continue;
        if (!b->mapped) {
            int e = map_units(h, b);
            if (e) return e;
        } else kept -= bytes;
        *p = b->next;
        *out = b;
        return 0;
    }
    block *b = calloc(1, sizeof *b);
    if (!b) return gpu_fail(h, 2, "out of memory");
    b->bytes = bytes;
    int e = reserve(h, bytes, &b->address);
    if (!e) e = map_units(h, b);
    if (e == 2 && kept &&
        b->address) { /* what is kept may be what is missing; it gives no addresses back */
        for (block *o = large; o; o = o->next)
            if (o->mapped) unmap_units(h, o);
        e = map_units(h, b);
    }
    if (e) free(b);
    else *out = b;
    return e;
}

static unsigned class_of(uint64_t bytes) {
    unsigned c = 0;
    while (((uint64_t)SMALLEST << c) < bytes) c++;
    return c;
}

static int alloc_small(gpu_helper *h, uint64_t bytes, block **out) {
    unsigned c = class_of(bytes);
    uint64_t size = (uint64_t)SMALLEST << c;
    if (!spare[c]) {
        block *unit = NULL;
        int e = alloc_large(h, h->unit, &unit);
        if (!unit) return e;
        for (uint64_t at = 0; at + size <= h->unit; at += size) {
            block *b = calloc(1, sizeof *b);
            if (!b) break;
            *b = (block){
                .address = unit->address + at, .bytes = size, .small = true, .next = spare[c]};
            spare[c] = b;
        }
        free(unit); /* its pieces stay; the unit itself never goes back */
        if (!spare[c]) return gpu_fail(h, 2, "out of memory");
    }
    *out = spare[c];
    spare[c] = spare[c]->next;
    return 0;
}

int gpu_alloc(gpu_helper *h, uint64_t bytes, uint64_t *address) {
    block *b = NULL;
    if (!bytes || bytes > h->size) return gpu_fail(h, 2, "out of device memory");
    int e = bytes <= h->unit / 2 ? alloc_small(h, bytes, &b) : alloc_large(h, bytes, &b);
    if (!b) return e;
    remember(b);
    *address = b->address;
    return 0;
}

int gpu_free(gpu_helper *h, uint64_t address) {
    block **p = bucket(address);
    while (*p && (*p)->address != address) p = &(*p)->next;
    if (!*p) return gpu_fail(h, GPU_E_ADDRESS, "no such allocation");
    block *b = *p;
    *p = b->next;
    b->live = false;
    int e = CU(h, MemsetD8Async, b->address, 0xa5, b->bytes, h->stream);
    if (!e) e = CU(h, StreamSynchronize, h->stream);
    block **list = b->small ? &spare[class_of(b->bytes)] : &large;
    b->next = *list;
    *list = b;
    if (!b->small) {
        kept += b->bytes;
        if (kept > KEEP_BYTES) unmap_units(h, b);
    }
    return e;
}

/* ---- host memory of both sides, at the address that the program has it at */

int gpu_map(gpu_helper *h, uint64_t address, uint64_t bytes, uint64_t map_bytes, uint64_t skip,
            int fd) {
    mapping *m = calloc(1, sizeof *m);
    uint64_t seen = 0;
    (void)bytes;
    if (!m || fd < 0) {
        free(m);
        return gpu_fail(h, GPU_E_REQUEST, "no memory came along");
    }
    void *want = (void *)(uintptr_t)(address - skip);
    m->address = address, m->map_bytes = map_bytes;
    m->at = mmap(want, map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    if (m->at != want) {
        if (m->at != MAP_FAILED) munmap(m->at, map_bytes);
        free(m);
        return gpu_fail(h, GPU_E_UNSUPPORTED,
                        "host memory at 0x%llx cannot have the same address on the GPU's side",
                        (unsigned long long)address);
    }
    int e = CU(h, MemHostRegister, m->at, map_bytes, 1 | 2);
    if (!e) e = CU(h, MemHostGetDevicePointer, &seen, m->at, 0);
    if (!e && seen != address - skip)
        e = gpu_fail(h, GPU_E_UNSUPPORTED,
                     "this GPU does not see host memory at the host's address");
    if (e) {
        munmap(m->at, map_bytes);
        free(m);
        return e;
    }
    m->next = mappings;
    mappings = m;
    return 0;
}

int gpu_unmap(gpu_helper *h, uint64_t address) {
    for (mapping **p = &mappings; *p; p = &(*p)->next) {
        mapping *m = *p;
        if (m->address != address) continue;
        *p = m->next;
        int e = CU(h, MemHostUnregister, m->at);
        munmap(m->at, m->map_bytes);
        free(m);
        return e;
    }
    return gpu_fail(h, GPU_E_ADDRESS, "no such mapping");
}

/* ---- bytes */

int gpu_copy(gpu_helper *h, uint64_t to, uint64_t from, uint64_t bytes, double *us) {
    int e = gpu_time_begin(h), ended;
    if (!e) e = CU(h, MemcpyAsync, to, from, bytes, h->stream);
    ended = gpu_time_end(h, us);
    return e ? e : ended;
}

int gpu_fill(gpu_helper *h, uint64_t to, uint32_t value, unsigned width, uint64_t n, double *us) {
    int e = gpu_time_begin(h), ended;
    if (!e) switch (width) {
        case 1: e = CU(h, MemsetD8Async, to, (unsigned char)value, n, h->stream); break;
        case 2: e = CU(h, MemsetD16Async, to, (unsigned short)value, n, h->stream); break;
        case 4: e = CU(h, MemsetD32Async, to, value, n, h->stream); break;
        default: e = gpu_fail(h, GPU_E_REQUEST, "a fill of %u-byte elements", width);
        }
    ended = gpu_time_end(h, us);
    return e ? e : ended;
}
