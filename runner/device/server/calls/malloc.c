/* Allocation calls. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/graph/graph.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/stream.h"
#include "words/server.h"

cudaError_t dev_on_Malloc(dev_call *k, const struct wire_in_Malloc *in,
                          struct wire_out_Malloc *out) {
    cudaError_t e = dev_capture_forbids(k, NULL, true);
    if (!e && in->size)
        e = dev_mem_allocate(k->c, k->device, in->size, DEV_MEM_DEVICE, 0, &out->devPtr);
    if (e == cudaErrorMemoryAllocation)
        BECAUSE(k, w_server_more_than_left((unsigned long long)in->size,
                                           dev_hw(k->c, k->device)->name));
    dev_spend_memory(k, DEV_COST_MALLOC, in->size);
    dev_log_memory(k, DEV_OP_MALLOC, "cudaMalloc", out->devPtr, in->size, e);
    return e;
}

cudaError_t dev_on_MallocPitch(dev_call *k, const struct wire_in_MallocPitch *in,
                               struct wire_out_MallocPitch *out) {
    cudaError_t e = dev_capture_forbids(k, NULL, true);
    uint64_t pitch = (in->width + 511) & ~511ull, rows, n;
    if (in->width > (uint64_t)1 << 46 || __builtin_mul_overflow(in->height, in->depth, &rows) ||
        __builtin_mul_overflow(pitch, rows, &n))
        return cudaErrorMemoryAllocation;
    if (!e && n) e = dev_mem_allocate(k->c, k->device, n, DEV_MEM_DEVICE, 0, &out->devPtr);
    out->pitch = pitch;
    dev_spend_memory(k, DEV_COST_MALLOC, n);
    dev_log_memory(k, DEV_OP_MALLOC, "cudaMalloc", out->devPtr, n, e);
    return e;
}

cudaError_t dev_on_Free(dev_call *k, const struct wire_in_Free *in, struct wire_out_Free *out) {
    dev_client *c = k->c;
    (void)out;
    if (!in->devPtr) return cudaSuccess;
    cudaError_t e = dev_capture_forbids(k, NULL, true);
    dev_mem *m = dev_mem_find(c, in->devPtr);
    if (!e && (!m || m->base != in->devPtr ||
               (m->kind != DEV_MEM_DEVICE && m->kind != DEV_MEM_POOL && m->kind != DEV_MEM_GRAPH)))
        e = cudaErrorInvalidValue;
    if (e) return e;
    /* cudaFree waits for the device, as the real one always has. */
    k->device = m->device;
    if (dev_wait(k, NULL)) return cudaSuccess;
    uint64_t bytes = m->bytes;
    dev_mem_release(c, m);
    dev_spend_memory(k, DEV_COST_FREE, bytes);
    dev_log_memory(k, DEV_OP_FREE, "cudaFree", in->devPtr, bytes, cudaSuccess);
    return c->context[k->device].sticky;
}
