/* Host memory of both sides, at the address that it has in the program; copies and fills. */
#include "runner/device/gpu/helper.h"

#include <stdlib.h>
#include <sys/mman.h>

typedef struct mapping {
    uint64_t address, map_bytes;
    void *at;
    struct mapping *next;
} mapping;
static mapping *mappings;

int gpu_on_Map(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    uint64_t address = q->in.Map.address, map_bytes = q->in.Map.map_bytes, skip = q->in.Map.skip;
    mapping *m = calloc(1, sizeof *m);
    uint64_t seen = 0;
    (void)r;
    if (!m || h->passed < 0) {
        free(m);
        return gpu_fail(h, GPU_E_REQUEST, "no memory came along");
    }
    void *want = (void *)(uintptr_t)(address - skip);
    m->address = address, m->map_bytes = map_bytes;
    m->at = mmap(want, map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
                 h->passed, 0);
    if (m->at != want) {
        if (m->at != MAP_FAILED) munmap(m->at, map_bytes);
        free(m);
        return gpu_fail(h, GPU_E_UNSUPPORTED,
                        "host memory at 0x%llx cannot have the same address on the GPU's side",
                        (unsigned long long)address);
    }
    int e = CU(h, MemHostRegister, m->at, map_bytes, GPU_HOST_PORTABLE | GPU_HOST_MAPPED);
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

int gpu_on_Unmap(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    uint64_t address = q->in.Unmap.address;
    (void)r;
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

int gpu_on_Copy(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    return gpu_copy(h, q->in.Copy.to, q->in.Copy.from, q->in.Copy.bytes, &r->us);
}
int gpu_on_Write(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    return gpu_copy(h, q->in.Write.address, h->window_device, q->bytes, &r->us);
}
int gpu_on_Read(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    uint64_t n = q->in.Read.bytes;
    if (n > GPU_WINDOW_BYTES) return gpu_fail(h, GPU_E_REQUEST, "a read larger than the window");
    r->bytes = n;
    return gpu_copy(h, h->window_device, q->in.Read.address, n, &r->us);
}

int gpu_on_Fill(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    uint64_t to = q->in.Fill.to, n = q->in.Fill.elements;
    uint32_t value = q->in.Fill.value;
    int e = gpu_time_begin(h), ended;
    if (!e) switch (q->in.Fill.width) {
        case 1: e = CU(h, MemsetD8Async, to, (unsigned char)value, n, h->stream); break;
        case 2: e = CU(h, MemsetD16Async, to, (unsigned short)value, n, h->stream); break;
        case 4: e = CU(h, MemsetD32Async, to, value, n, h->stream); break;
        default: e = gpu_fail(h, GPU_E_REQUEST, "a fill of %u-byte elements", q->in.Fill.width);
        }
    ended = gpu_time_end(h, &r->us);
    return e ? e : ended;
}
