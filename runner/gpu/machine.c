/* The device: opening it, what it is, what it costs.
 *
 * How a thing is timed: the stream is held at a gate (a word of host memory that it waits for),
 * start event, work and end event are queued behind it, then the gate opens. So the host's own time
 * for the calls lies outside, and what two events show is what the device took. */
#include "runner/base/clock.h"
#include "runner/gpu/helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FLUSH_TIMES_L2 = 4 };

static int attributes(gpu_helper *h, gpu_machine *m) {
    unsigned char id[16];
    size_t bytes = 0;
    memset(m, 0, sizeof *m);
    int e = CU(h, DeviceGetName, m->name, sizeof m->name, h->device);
    if (!e) e = CU(h, DeviceGetUuid, id, h->device);
    if (!e) e = CU(h, DeviceTotalMem, &bytes, h->device);
    if (!e) e = CU(h, DriverGetVersion, &m->version);
    if (e) return e;
    m->memory_bytes = bytes;
    size_t n = (size_t)snprintf(m->uuid, sizeof m->uuid, "GPU-");
    for (int k = 0; k < 16; k++)
        n += (size_t)snprintf(m->uuid + n, sizeof m->uuid - n,
                              k == 4 || k == 6 || k == 8 || k == 10 ? "-%02x" : "%02x", id[k]);
    for (int i = 1; i < GPU_ATTRIBUTES; i++)
        if (h->cu.DeviceGetAttribute(&m->attribute[i], i, h->device)) m->attribute[i] = -1;
    if (gpu_nvml_open(&h->nvml)) {
        if (h->nvml.DeviceGetHandleByUUID(m->uuid, &h->nvml_device)) h->nvml_device = NULL;
        h->nvml.SystemGetDriverVersion(m->driver, sizeof m->driver);
    }
    if (!m->driver[0])
        snprintf(m->driver, sizeof m->driver, "CUDA %d.%d", m->version / 1000,
                 m->version % 1000 / 10);
    return 0;
}

int gpu_open(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    int count = 0, e;
    if (h->context) return gpu_fail(h, GPU_E_REQUEST, "the GPU is open already");
    if (!gpu_driver_open(&h->cu, h->text, sizeof h->text)) return GPU_E_NO_DRIVER;
    if ((e = CU(h, Init, 0)) || (e = CU(h, DeviceGetCount, &count))) return e;
    if (q->a[0] >= (uint64_t)count)
        return gpu_fail(h, GPU_E_NO_DEVICE, "there is no GPU number %llu; this machine has %d",
                        (unsigned long long)q->a[0], count);
    gpu_machine *m = (gpu_machine *)h->window;
    if ((e = CU(h, DeviceGet, &h->device, (int)q->a[0])) || (e = attributes(h, m))) return e;
    h->sms = m->attribute[16];
    enum { SPIN = 1, MAP_HOST = 8 };
    if ((e = CU(h, CtxCreate, &h->context, SPIN | MAP_HOST, h->device)) ||
        (e = CU(h, StreamCreate, &h->stream, 1)) || (e = CU(h, EventCreate, &h->start, 0)) ||
        (e = CU(h, EventCreate, &h->end, 0)))
        return e;
    /* Physical memory comes in pieces of this size; the addresses are the server's choice. */
    const gpu_alloc_prop prop = {.type = 1, .location = {1, h->device}};
    size_t unit = 0;
    uint64_t at = 0;
    if ((e = CU(h, MemGetAllocationGranularity, &unit, &prop, 0))) return e;
    h->unit = unit;
    if ((e = CU(h, MemAddressReserve, &at, q->a[2], 0, q->a[1], 0))) return e;
    h->base = at, h->size = q->a[2];
    r->v[0] = at;
    /* The window, seen by the device; copies from and to it are at full speed. */
    if ((e = CU(h, MemHostRegister, h->window, GPU_WINDOW_BYTES, 1 | 2)) ||
        (e = CU(h, MemHostGetDevicePointer, &h->window_device, h->window, 0)))
        return e;
    void *gate = NULL;
    if ((e = CU(h, MemHostAlloc, &gate, 4096, 1 | 2)) ||
        (e = CU(h, MemHostGetDevicePointer, &h->gate_device, gate, 0)))
        return e;
    h->gate = gate;
    *h->gate = 0;
    h->gated = true;
    uint64_t l2 = m->attribute[38] > 0 ? (uint64_t)m->attribute[38] : 64 << 20;
    h->flush_bytes = l2 * FLUSH_TIMES_L2;
    if ((e = gpu_alloc(h, h->flush_bytes, &h->flush))) return e;
    r->bytes = sizeof *m;
    return 0;
}

int gpu_time_begin(gpu_helper *h) {
    int e = 0;
    if (h->cold) { /* everything that the L2 holds is replaced, lines that were pinned there included */
        h->cu.CtxResetPersistingL2Cache();
        e = CU(h, MemsetD8Async, h->flush, 0xa5, h->flush_bytes, h->stream);
        h->cold = false;
        if (e) return e;
    }
    if (h->gated && h->cu.StreamWaitValue32(h->stream, h->gate_device, ++h->gate_value, 0))
        h->gated = false; /* not supported here: times hold the host's calls */
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

/* ---- what this machine's copies and launches cost */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
/* Sorts v. */
static double median(double *v, size_t n) {
    qsort(v, n, sizeof *v, by_value);
    return v[n / 2];
}

static const char empty_ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry empty() { ret; }\n";

enum { TIMES = 15 };

static int empty_kernel(gpu_helper *h, double *pair_us, double *call_us) {
    void *module = NULL, *f = NULL;
    int e = CU(h, ModuleLoadDataEx, &module, empty_ptx, 0, NULL, NULL);
    if (e || (e = CU(h, ModuleGetFunction, &f, module, "empty"))) return e;
    double v[TIMES], c[TIMES];
    for (int i = 0; !e && i < TIMES; i++) {
        if ((e = gpu_time_begin(h))) break;
        double t = 1e6 * lib_now();
        e = CU(h, LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, h->stream, NULL, NULL);
        c[i] = 1e6 * lib_now() - t;
        int ended = gpu_time_end(h, &v[i]);
        if (!e) e = ended;
    }
    h->cu.ModuleUnload(module);
    if (!e) {
        *call_us = median(c, TIMES);
        median(v, TIMES);
        *pair_us = v[0];
    }
    return e;
}

int gpu_measure(gpu_helper *h, gpu_reply *r) {
    const uint64_t copy = (uint64_t)256 << 20;
    uint64_t a = 0, b = 0;
    double v[TIMES], back[TIMES], blocking[TIMES], d2d[TIMES];
    gpu_measured m = {0};
    int e = 0;
    if ((e = gpu_alloc(h, copy, &a)) || (e = gpu_alloc(h, copy, &b))) goto out;
    for (int i = 0; i < 3 && !e; i++) e = gpu_copy(h, a, b, copy, NULL); /* clocks come up */
    for (int i = 0; i < TIMES && !e; i++) {
        e = gpu_copy(h, a, b, copy, &d2d[i]);
        if (!e && !(e = gpu_time_begin(h))) e = gpu_time_end(h, &v[i]);
    }
    if (e) goto out;
    /* The least of many: another program on the GPU only ever adds. */
    median(v, TIMES);
    m.event_gap_us = v[0];
    m.copy_gbs = 2e-3 * (double)copy / (median(d2d, TIMES) - m.event_gap_us);
    if ((e = empty_kernel(h, &m.empty_kernel_us, &m.launch_us))) goto out;
    for (int i = 0; i < TIMES && !e; i++) {
        e = gpu_copy(h, a, h->window_device, GPU_WINDOW_BYTES, &v[i]);
        if (!e) e = gpu_copy(h, h->window_device, a, GPU_WINDOW_BYTES, &back[i]);
        double t = 1e6 * lib_now();
        if (!e) e = CU(h, MemcpyAsync, a, h->window_device, 4, h->stream);
        if (!e) e = CU(h, StreamSynchronize, h->stream);
        blocking[i] = 1e6 * lib_now() - t;
    }
    if (e) goto out;
    m.h2d_gbs = 1e-3 * (double)GPU_WINDOW_BYTES / median(v, TIMES);
    m.d2h_gbs = 1e-3 * (double)GPU_WINDOW_BYTES / median(back, TIMES);
    m.memcpy_us = median(blocking, TIMES);
    _Static_assert(sizeof m <= sizeof r->v, "gpu_measured");
    memcpy(r->v, &m, sizeof m);
out:
    if (a) gpu_free(h, a);
    if (b) gpu_free(h, b);
    return e;
}

int gpu_clocks(gpu_helper *h, gpu_reply *r) {
    unsigned sm = 0, memory = 0, power = 0, temperature = 0;
    unsigned long long reasons = 0;
    if (!h->nvml_device) return 0; /* v[5]: not known */
    if (h->nvml.DeviceGetClockInfo(h->nvml_device, 1, &sm) ||
        h->nvml.DeviceGetClockInfo(h->nvml_device, 2, &memory) ||
        h->nvml.DeviceGetCurrentClocksThrottleReasons(h->nvml_device, &reasons))
        return 0;
    h->nvml.DeviceGetPowerUsage(h->nvml_device, &power);
    h->nvml.DeviceGetTemperature(h->nvml_device, 0, &temperature);
    r->v[0] = sm, r->v[1] = memory, r->v[2] = reasons, r->v[3] = power, r->v[4] = temperature,
    r->v[5] = 1;
    return 0;
}
