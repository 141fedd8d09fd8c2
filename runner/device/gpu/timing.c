/* How work is timed: the stream is held at a gate (a word of host memory for which it waits), the
 * start event, the work and the end event are queued, then the gate opens. So the host's own time
 * for the calls is not included, and the two events show the device's time. */
#include "runner/device/gpu/helper.h"

int gpu_time_begin(gpu_helper *h) {
    int e = 0;
    if (h->cold) { /* replaces everything in the L2, including pinned lines */
        h->cu.CtxResetPersistingL2Cache();
        e = CU(h, MemsetD8Async, h->flush, 0xa5, h->flush_bytes, h->stream);
        h->cold = false;
        if (e) return e;
    }
    /* not supported here: times include the host's calls */
    if (h->gated && h->cu.StreamWaitValue32(h->stream, h->gate_device, ++h->gate_value, 0))
        h->gated = false;
    return CU(h, EventRecord, h->start, h->stream);
}

int gpu_time_end(gpu_helper *h, double *us) {
    float ms = 0;
    int e = CU(h, EventRecord, h->end, h->stream);
    if (h->gate) __atomic_store_n(h->gate, h->gate_value, __ATOMIC_SEQ_CST);
    int waited = CU(h, StreamSynchronize, h->stream);
    if (waited) return waited;
    if (!e) e = CU(h, EventElapsedTime, &ms, h->start, h->end);
    if (us) *us = 1e3 * (double)ms;
    return e;
}

int gpu_on_Flush(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    (void)q, (void)r;
    h->cold = true;
    return 0;
}
