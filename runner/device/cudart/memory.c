/* Memory. The server has device allocations; this file only asks for them. Host memory that the
 * device sees is a memfd of the server's. It is mapped here at the address that the server chose
 * (allocated and managed memory), or in place of the program's own pages (registered memory).
 *
 *   HostAlloc --fd, address--> mmap at that address --> HostReady
 *
 * With the list of blocks below, some of the runtime's queries are answered locally. */
#include "runner/device/cudart/client.h"
#include "words/cudart.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct mapped_block {
    wl_host_block b;
    uint64_t pages, page_bytes; /* the mapped part */
    /* Registered memory that others map, too (a lab's buffer): another mapping of the pages that
     * the device's memory replaces, so that they get its contents. NULL: the program's own pages */
    void *shared;
    struct mapped_block *next;
} mapped_block;

static struct {
    pthread_mutex_t lock;
    mapped_block *all;
} host = {.lock = PTHREAD_MUTEX_INITIALIZER};

static mapped_block **find(uint64_t a) {
    mapped_block **p = &host.all;
    while (*p && (a < (*p)->b.address || a - (*p)->b.address >= (*p)->b.bytes)) p = &(*p)->next;
    return p;
}

bool wl_host_find(const void *p, wl_host_block *out) {
    pthread_mutex_lock(&host.lock);
    mapped_block *b = *find(WL_U64(p));
    if (b && out) *out = b->b;
    pthread_mutex_unlock(&host.lock);
    return b != NULL;
}

static bool remember(const wl_host_block *what, uint64_t pages, uint64_t page_bytes, void *shared) {
    mapped_block *b = calloc(1, sizeof *b);
    if (!b) return false;
    b->b = *what;
    b->pages = pages, b->page_bytes = page_bytes, b->shared = shared;
    pthread_mutex_lock(&host.lock);
    b->next = host.all;
    host.all = b;
    pthread_mutex_unlock(&host.lock);
    return true;
}

static uint64_t page_up(uint64_t n) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (n + page - 1) & ~(page - 1);
}

static cudaError_t ready(uint64_t address, bool mapped) {
    wl_call c;
    struct wire_in_HostReady *in = WL_BEGIN(&c, HostReady, 0);
    in->address = address, in->mapped = mapped;
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    return e;
}

cudaError_t wl_host_map(int fd, const wl_host_block *b) {
    uint64_t n = page_up(b->bytes);
    void *m = mmap(WL_HANDLE(void *, b->address), n, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    close(fd);
    if (m != MAP_FAILED && WL_U64(m) != b->address) munmap(m, n), m = MAP_FAILED;
    bool ok = m != MAP_FAILED && remember(b, b->address, n, NULL);
    cudaError_t e = ready(b->address, ok);
    return ok ? e : cudaErrorMemoryAllocation;
}

void wl_host_each_managed(void (*fn)(const wl_host_block *b)) {
    pthread_mutex_lock(&host.lock);
    for (const mapped_block *b = host.all; b; b = b->next)
        if (b->b.managed) fn(&b->b);
    pthread_mutex_unlock(&host.lock);
}

/* Reserves addresses without memory: the first use faults and asks for it. */
static cudaError_t host_reserve(const wl_host_block *b) {
    uint64_t n = page_up(b->bytes);
    void *m = mmap(WL_HANDLE(void *, b->address), n, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (m != MAP_FAILED && WL_U64(m) != b->address) munmap(m, n), m = MAP_FAILED;
    return m != MAP_FAILED && remember(b, b->address, n, NULL) ? cudaSuccess
                                                               : cudaErrorMemoryAllocation;
}

static bool given_any;
bool wl_host_given_any(void) {
    return __atomic_load_n(&given_any, __ATOMIC_RELAXED);
}

bool wl_host_given(uint64_t address, uint64_t bytes, int fd) {
    void *m = mmap(WL_HANDLE(void *, address), page_up(bytes), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED, fd, 0);
    if (m == MAP_FAILED) return false;
    /* the caller is in a signal handler, so it must not wait for a lock */
    mapped_block *b = *find(address);
    if (b) b->b.kept = false;
    __atomic_store_n(&given_any, true, __ATOMIC_RELAXED);
    return true;
}

static cudaError_t host_alloc(void **p, size_t n, unsigned flags, bool managed) {
    wl_call c;
    struct wire_in_HostAlloc *in = WL_BEGIN(&c, HostAlloc, 0);
    in->size = n, in->flags = flags, in->managed = managed;
    cudaError_t e = wl_send(&c);
    uint64_t at = e ? 0 : WL_OUT(&c, HostAlloc)->address;
    int fd = c.fd;
    wl_end(&c);
    if (!e && fd < 0 && !managed) e = cudaErrorMemoryAllocation;
    const wl_host_block b = {
        .address = at, .bytes = n, .managed = managed, .kept = fd < 0, .flags = flags};
    if (!e) e = b.kept ? host_reserve(&b) : wl_host_map(fd, &b);
    if (!e) *p = WL_HANDLE(void *, at);
    return wl_result(e);
}

WL_EXPORT cudaError_t cudaHostAlloc(void **p, size_t n, unsigned flags);
cudaError_t cudaHostAlloc(void **p, size_t n, unsigned flags) {
    if (!p || flags > 7) return wl_result(cudaErrorInvalidValue);
    if (!n) return *p = NULL, wl_result(wl_connect());
    return host_alloc(p, n, flags, false);
}
WL_EXPORT cudaError_t cudaMallocHost(void **p, size_t n);
cudaError_t cudaMallocHost(void **p, size_t n) {
    return cudaHostAlloc(p, n, 0);
}
WL_EXPORT cudaError_t cudaMallocManaged(void **p, size_t n, unsigned flags);
cudaError_t cudaMallocManaged(void **p, size_t n, unsigned flags) {
    if (p && !n && (flags == cudaMemAttachGlobal || flags == cudaMemAttachHost))
        return *p = NULL, wl_result(wl_connect());
    if (!p || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return wl_result(cudaErrorInvalidValue);
    return host_alloc(p, n, flags, true);
}

static cudaError_t host_free(void *p, bool managed) {
    wl_call c;
    pthread_mutex_lock(&host.lock);
    mapped_block *b = *find(WL_U64(p));
    bool ours = b && b->b.address == WL_U64(p) && b->b.managed == managed && !b->b.registered;
    pthread_mutex_unlock(&host.lock);
    if (!ours) return wl_result(cudaErrorInvalidValue);
    struct wire_in_HostFree *in = WL_BEGIN(&c, HostFree, 0);
    in->address = WL_U64(p);
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    if (e) return wl_result(e);
    pthread_mutex_lock(&host.lock);
    mapped_block **at = find(WL_U64(p));
    if ((b = *at)) {
        *at = b->next;
        munmap(WL_HANDLE(void *, b->pages), b->page_bytes);
        free(b);
    }
    pthread_mutex_unlock(&host.lock);
    return cudaSuccess;
}
WL_EXPORT cudaError_t cudaFreeHost(void *p);
cudaError_t cudaFreeHost(void *p) {
    return p ? host_free(p, false) : wl_result(wl_connect());
}

/* ---- registering the program's own memory: the contents of its pages move into the memfd, which
 * then replaces them */

static bool near_stack(uint64_t low, uint64_t high) {
    uint64_t here = WL_U64(__builtin_frame_address(0));
    return here + (1 << 20) > low && here < high + (1 << 20);
}

WL_EXPORT cudaError_t cudaHostRegister(void *p, size_t n, unsigned flags);
cudaError_t cudaHostRegister(void *p, size_t n, unsigned flags) {
    static bool told_stack, told_shared;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), low = WL_U64(p) & ~(page - 1),
             high = page_up(WL_U64(p) + n);
    if (!p || !n || high < low || flags > 15) return wl_result(cudaErrorInvalidValue);
    if (flags & cudaHostRegisterIoMemory) return wl_result(cudaErrorNotSupported);
    wl_host_block known;
    if (wl_device_range(p) || (wl_host_find(p, &known) && !known.registered))
        return wl_result(cudaErrorInvalidValue);
    if (near_stack(low, high)) {
        w_cudart_register_stack(&told_stack);
        return wl_result(cudaErrorNotSupported);
    }
    pthread_mutex_lock(&host.lock);
    bool same = false, shares = false;
    for (mapped_block *b = host.all; b; b = b->next) {
        if (WL_U64(p) < b->b.address + b->b.bytes && b->b.address < WL_U64(p) + n) same = true;
        if (low < b->pages + b->page_bytes && b->pages < high) shares = true;
    }
    pthread_mutex_unlock(&host.lock);
    if (same) return wl_result(cudaErrorHostMemoryAlreadyRegistered);
    if (shares) {
        w_cudart_register_page_twice(&told_shared, (long long)page);
        return wl_result(cudaErrorNotSupported);
    }
    wl_call c;
    struct wire_in_HostRegister *in = WL_BEGIN(&c, HostRegister, 0);
    in->pages = low, in->size = high - low, in->address = WL_U64(p), in->bytes = n,
    in->flags = flags;
    cudaError_t e = wl_send(&c);
    int fd = c.fd;
    wl_end(&c);
    if (e) return wl_result(e);
    void *copy =
        fd < 0 ? MAP_FAILED : mmap(NULL, high - low, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    bool ok = copy != MAP_FAILED;
    void *shared = MAP_FAILED;
    if (ok) {
        /* with a length of 0: one more mapping of shared pages; private ones are refused */
        shared = mremap(WL_HANDLE(void *, low), 0, high - low, MREMAP_MAYMOVE);
        memcpy(copy, WL_HANDLE(void *, low), high - low);
        ok = mmap(WL_HANDLE(void *, low), high - low, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
        munmap(copy, high - low);
    }
    if (fd >= 0) close(fd);
    const wl_host_block b = {.address = WL_U64(p), .bytes = n, .registered = true, .flags = flags};
    if (shared == MAP_FAILED) shared = NULL;
    if (ok) ok = remember(&b, low, high - low, shared);
    e = ready(WL_U64(p), ok);
    return wl_result(ok ? e : cudaErrorMemoryAllocation);
}

/* The program has its own pages again, with what the device's memory in their place holds. */
static void pages_back(mapped_block *b) {
    void *copy = b->shared;
    if (!copy)
        copy =
            mmap(NULL, b->page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy != MAP_FAILED) {
        memcpy(copy, WL_HANDLE(void *, b->pages), b->page_bytes);
        if (mremap(copy, b->page_bytes, b->page_bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                   WL_HANDLE(void *, b->pages)) == MAP_FAILED)
            munmap(copy, b->page_bytes);
    }
    free(b);
}

/* After cudaDeviceReset, the device no longer sees any block. The pages of allocated memory stay:
 * the program may still read them. */
void wl_host_reset(void) {
    pthread_mutex_lock(&host.lock);
    for (mapped_block **p = &host.all; *p;) {
        mapped_block *b = *p;
        if (b->b.variables) {
            p = &b->next;
            continue;
        }
        *p = b->next;
        if (b->b.registered) pages_back(b);
        else free(b);
    }
    pthread_mutex_unlock(&host.lock);
}

/* Unregisters the block at *at, which leaves the list. */
static cudaError_t unregister(mapped_block **at, bool ended) {
    wl_call c;
    mapped_block *b = *at;
    *at = b->next;
    pthread_mutex_unlock(&host.lock);
    struct wire_in_HostUnregister *in = WL_BEGIN(&c, HostUnregister, 0);
    in->address = b->b.address, in->ended = ended;
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    pages_back(b);
    pthread_mutex_lock(&host.lock);
    return e;
}

void wl_host_ended(const void *from, size_t bytes) {
    pthread_mutex_lock(&host.lock);
    for (mapped_block **at = &host.all; *at;) {
        const mapped_block *b = *at;
        bool in = b->pages < WL_U64(from) + bytes && WL_U64(from) < b->pages + b->page_bytes;
        if (!in || !b->b.registered) at = &(*at)->next;
        else unregister(at, true), at = &host.all;
    }
    pthread_mutex_unlock(&host.lock);
}

WL_EXPORT cudaError_t cudaHostUnregister(void *p);
cudaError_t cudaHostUnregister(void *p) {
    pthread_mutex_lock(&host.lock);
    mapped_block **at = find(WL_U64(p));
    bool ours = *at && (*at)->b.registered && (*at)->b.address == WL_U64(p);
    cudaError_t e = ours ? unregister(at, false)
                    : p  ? cudaErrorHostMemoryNotRegistered
                         : cudaErrorInvalidValue;
    pthread_mutex_unlock(&host.lock);
    return wl_result(e);
}

WL_EXPORT cudaError_t cudaHostGetDevicePointer(void **device, void *p, unsigned flags);
cudaError_t cudaHostGetDevicePointer(void **device, void *p, unsigned flags) {
    wl_host_block b;
    cudaError_t e = wl_connect();
    if (!e && (!device || flags || !wl_host_find(p, &b) || b.managed)) e = cudaErrorInvalidValue;
    if (!e) *device = p; /* the same address on both sides */
    return wl_result(e);
}
WL_EXPORT cudaError_t cudaHostGetFlags(unsigned *flags, void *p);
cudaError_t cudaHostGetFlags(unsigned *flags, void *p) {
    wl_host_block b;
    cudaError_t e = wl_connect();
    if (!e && (!flags || !wl_host_find(p, &b))) e = cudaErrorInvalidValue;
    if (!e) *flags = b.flags | (b.registered ? 0 : cudaHostAllocMapped);
    return wl_result(e);
}

/* ---- device memory */

WL_EXPORT cudaError_t cudaMalloc(void **p, size_t n);
cudaError_t cudaMalloc(void **p, size_t n) {
    wl_call c;
    if (!p) return wl_result(cudaErrorInvalidValue);
    struct wire_in_Malloc *in = WL_BEGIN(&c, Malloc, 0);
    in->size = n;
    cudaError_t e = wl_send(&c);
    if (!e) *p = WL_HANDLE(void *, WL_OUT(&c, Malloc)->devPtr);
    wl_end(&c);
    return wl_result(e);
}

WL_EXPORT cudaError_t cudaFree(void *p);
cudaError_t cudaFree(void *p) {
    wl_call c;
    wl_host_block b;
    if (p && wl_host_find(p, &b) && b.managed && b.address == WL_U64(p)) return host_free(p, true);
    /* also for NULL: the first call, by which programs start the runtime */
    struct wire_in_Free *in = WL_BEGIN(&c, Free, 0);
    in->devPtr = WL_U64(p);
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    return wl_result(e);
}

static cudaError_t malloc_pitch(void **p, size_t *pitch, size_t width, size_t height,
                                size_t depth) {
    wl_call c;
    struct wire_in_MallocPitch *in = WL_BEGIN(&c, MallocPitch, 0);
    in->width = width, in->height = height, in->depth = depth;
    cudaError_t e = wl_send(&c);
    if (!e) {
        *p = WL_HANDLE(void *, WL_OUT(&c, MallocPitch)->devPtr);
        *pitch = WL_OUT(&c, MallocPitch)->pitch;
    }
    wl_end(&c);
    return wl_result(e);
}
WL_EXPORT cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
    return p && pitch ? malloc_pitch(p, pitch, width, height, 1) : wl_result(cudaErrorInvalidValue);
}
WL_EXPORT cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent x);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent x) {
    if (!p) return wl_result(cudaErrorInvalidValue);
    p->xsize = x.width, p->ysize = x.height;
    return malloc_pitch(&p->ptr, &p->pitch, x.width, x.height, x.depth);
}

static cudaError_t malloc_async(void **p, size_t n, cudaMemPool_t pool, cudaStream_t stream,
                                unsigned flags) {
    wl_call c;
    if (!p) return wl_result(cudaErrorInvalidValue);
    struct wire_in_MallocAsync *in = WL_BEGIN(&c, MallocAsync, flags);
    in->size = n, in->pool = WL_U64(pool), in->hStream = WL_U64(stream);
    cudaError_t e = wl_send(&c);
    if (!e) *p = WL_HANDLE(void *, WL_OUT(&c, MallocAsync)->devPtr);
    wl_end(&c);
    return wl_result(e);
}
static cudaError_t free_async(void *p, cudaStream_t stream, unsigned flags) {
    wl_call c;
    struct wire_in_FreeAsync *in = WL_BEGIN(&c, FreeAsync, flags);
    in->devPtr = WL_U64(p), in->hStream = WL_U64(stream);
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    return wl_result(e);
}
static cudaError_t prefetch(const void *p, size_t n, struct cudaMemLocation where, unsigned zero,
                            cudaStream_t stream, unsigned flags) {
    wl_call c;
    if (zero) return wl_result(cudaErrorInvalidValue);
    struct wire_in_MemPrefetch *in = WL_BEGIN(&c, MemPrefetch, flags);
    in->address = WL_U64(p), in->count = n, in->where = WL_U64(where.type),
    in->id = WL_U64(where.id), in->stream = WL_U64(stream);
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    return wl_result(e);
}
#define STREAM_ORDERED(suffix, flags)                                                              \
    WL_EXPORT cudaError_t cudaMallocAsync##suffix(void **p, size_t n, cudaStream_t stream);        \
    cudaError_t cudaMallocAsync##suffix(void **p, size_t n, cudaStream_t stream) {                 \
        return malloc_async(p, n, NULL, stream, flags);                                            \
    }                                                                                              \
    WL_EXPORT cudaError_t cudaMallocFromPoolAsync##suffix(void **p, size_t n, cudaMemPool_t pool,  \
                                                          cudaStream_t stream);                    \
    cudaError_t cudaMallocFromPoolAsync##suffix(void **p, size_t n, cudaMemPool_t pool,            \
                                                cudaStream_t stream) {                             \
        return pool ? malloc_async(p, n, pool, stream, flags) : wl_result(cudaErrorInvalidValue);  \
    }                                                                                              \
    WL_EXPORT cudaError_t cudaFreeAsync##suffix(void *p, cudaStream_t stream);                     \
    cudaError_t cudaFreeAsync##suffix(void *p, cudaStream_t stream) {                              \
        return free_async(p, stream, flags);                                                       \
    }                                                                                              \
    WL_EXPORT cudaError_t cudaMemPrefetchAsync##suffix(const void *p, size_t n,                    \
                                                       struct cudaMemLocation where,               \
                                                       unsigned zero, cudaStream_t stream);        \
    cudaError_t cudaMemPrefetchAsync##suffix(const void *p, size_t n,                              \
                                             struct cudaMemLocation where, unsigned zero,          \
                                             cudaStream_t stream) {                                \
        return prefetch(p, n, where, zero, stream, flags);                                         \
    }
STREAM_ORDERED(, 0)
STREAM_ORDERED(_ptsz, WIRE_F_PER_THREAD)

WL_EXPORT cudaError_t cudaMemAdvise(const void *p, size_t n, int advice,
                                    struct cudaMemLocation where);
cudaError_t cudaMemAdvise(const void *p, size_t n, int advice, struct cudaMemLocation where) {
    wl_call c;
    struct wire_in_MemAdvise *in = WL_BEGIN(&c, MemAdvise, 0);
    in->address = WL_U64(p), in->count = n, in->advice = WL_U64(advice),
    in->where = WL_U64(where.type), in->id = WL_U64(where.id);
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    return wl_result(e);
}

WL_EXPORT cudaError_t cudaMemRangeGetAttribute(void *data, size_t bytes, int attribute,
                                               const void *p, size_t n);
cudaError_t cudaMemRangeGetAttribute(void *data, size_t bytes, int attribute, const void *p,
                                     size_t n) {
    wl_call c;
    if (!data || bytes < sizeof(int) || bytes % sizeof(int))
        return wl_result(cudaErrorInvalidValue);
    struct wire_in_MemRange *in = WL_BEGIN(&c, MemRange, 0);
    in->attribute = WL_U64(attribute), in->address = WL_U64(p), in->count = n;
    cudaError_t e = wl_send(&c);
    if (!e) {
        int value = (int)WL_OUT(&c, MemRange)->value;
        size_t listed = attribute == cudaMemRangeAttributeAccessedBy && c.spans
                            ? c.span_bytes[0] / sizeof(int)
                            : 0;
        for (size_t i = 0; i < bytes / sizeof(int); i++)
            ((int *)data)[i] = i || attribute == cudaMemRangeAttributeAccessedBy
                                   ? -2 /* cudaInvalidDeviceId */
                                   : value;
        for (size_t i = 0; i < listed && i < bytes / sizeof(int); i++)
            memcpy((int *)data + i, c.span[0] + i * sizeof(int), sizeof(int));
    }
    wl_end(&c);
    return wl_result(e);
}
