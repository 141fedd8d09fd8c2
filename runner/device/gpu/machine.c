/* The device: opening it, its properties and its present state. */
#include "runner/device/gpu/helper.h"

#include <stdio.h>
#include <string.h>

enum { FLUSH_TIMES_L2 = 4 };

void gpu_uuid(const unsigned char id[16], char text[48]) {
    size_t n = (size_t)snprintf(text, 48, "GPU-");
    for (int k = 0; k < 16; k++)
        n += (size_t)snprintf(text + n, 48 - n,
                              k == 4 || k == 6 || k == 8 || k == 10 ? "-%02x" : "%02x", id[k]);
}

static int machine_ask(gpu_helper *h, gpu_machine *m) {
    unsigned char id[16];
    size_t bytes = 0;
    memset(m, 0, sizeof *m);
    int e = CU(h, DeviceGetName, m->name, sizeof m->name, h->device);
    if (!e) e = CU(h, DeviceGetUuid, id, h->device);
    if (!e) e = CU(h, DeviceTotalMem, &bytes, h->device);
    if (!e) e = CU(h, DriverGetVersion, &m->version);
    if (e) return e;
    m->memory_bytes = bytes;
    gpu_uuid(id, m->uuid);
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

/* Physical memory comes in units of one size; the server chooses the addresses. */
static int machine_reserve(gpu_helper *h, uint64_t base, uint64_t size) {
    const gpu_alloc_prop prop = {.type = GPU_ALLOCATION_PINNED,
                                 .location = {GPU_LOCATION_DEVICE, h->device}};
    size_t unit = 0;
    int e = CU(h, MemGetAllocationGranularity, &unit, &prop, 0);
    h->unit = unit;
    if (!e) e = CU(h, MemAddressReserve, &h->base, size, 0, base, 0);
    h->size = size;
    return e;
}

/* Maps the window for the device, so that copies from and to it run at full speed; and the gate. */
static int machine_share(gpu_helper *h) {
    enum { SEEN = GPU_HOST_PORTABLE | GPU_HOST_MAPPED };
    void *gate = NULL;
    int e;
    if ((e = CU(h, MemHostRegister, h->window, GPU_WINDOW_BYTES, SEEN)) ||
        (e = CU(h, MemHostGetDevicePointer, &h->window_device, h->window, 0)) ||
        (e = CU(h, MemHostAlloc, &gate, 4096, SEEN)) ||
        (e = CU(h, MemHostGetDevicePointer, &h->gate_device, gate, 0)))
        return e;
    h->gate = gate;
    *h->gate = 0;
    h->gated = true;
    return 0;
}

int gpu_on_Open(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    int count = 0, e;
    if (h->context) return gpu_fail(h, GPU_E_REQUEST, "the GPU is open already");
    if (!gpu_driver_open(&h->cu, h->text, sizeof h->text)) return GPU_E_NO_DRIVER;
    if ((e = CU(h, Init, 0)) || (e = CU(h, DeviceGetCount, &count))) return e;
    if (q->in.Open.device >= (uint64_t)count)
        return gpu_fail(h, GPU_E_NO_DEVICE, "there is no GPU number %llu; this machine has %d",
                        (unsigned long long)q->in.Open.device, count);
    gpu_machine *m = (gpu_machine *)h->window;
    if ((e = CU(h, DeviceGet, &h->device, (int)q->in.Open.device)) || (e = machine_ask(h, m)) ||
        (e = CU(h, CtxCreate, &h->context, GPU_CTX_SPIN | GPU_CTX_MAP_HOST, h->device)) ||
        (e = CU(h, StreamCreate, &h->stream, GPU_STREAM_NON_BLOCKING)) ||
        (e = CU(h, EventCreate, &h->start, 0)) || (e = CU(h, EventCreate, &h->end, 0)) ||
        (e = machine_reserve(h, q->in.Open.base, q->in.Open.size)))
        return e;
    r->out.Open.base = h->base;
    if ((e = machine_share(h))) return e;
    int l2 = m->attribute[GPU_ATTR_L2CacheSize];
    h->flush_bytes = (l2 > 0 ? (uint64_t)l2 : 64 << 20) * FLUSH_TIMES_L2;
    if ((e = gpu_alloc(h, h->flush_bytes, &h->flush))) return e;
    r->bytes = sizeof *m;
    return 0;
}

int gpu_on_Info(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    size_t n = 0, all = 0;
    (void)q;
    int e = CU(h, MemGetInfo, &n, &all);
    r->out.Info.free_bytes = n, r->out.Info.total = all;
    return e;
}

int gpu_on_Limit(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    (void)r;
    return CU(h, CtxSetLimit, (int)q->in.Limit.limit, q->in.Limit.value);
}

int gpu_on_Clocks(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    unsigned sm = 0, memory = 0, power = 0, temperature = 0;
    unsigned long long reasons = 0;
    (void)q;
    if (!h->nvml_device || /* not known */
        h->nvml.DeviceGetClockInfo(h->nvml_device, GPU_NVML_CLOCK_SM, &sm) ||
        h->nvml.DeviceGetClockInfo(h->nvml_device, GPU_NVML_CLOCK_MEMORY, &memory) ||
        h->nvml.DeviceGetCurrentClocksThrottleReasons(h->nvml_device, &reasons))
        return 0;
    h->nvml.DeviceGetPowerUsage(h->nvml_device, &power);
    h->nvml.DeviceGetTemperature(h->nvml_device, GPU_NVML_TEMPERATURE, &temperature);
    r->out.Clocks.known = true;
    r->out.Clocks.sm_mhz = sm, r->out.Clocks.memory_mhz = memory;
    r->out.Clocks.throttle = reasons, r->out.Clocks.power_mw = power;
    r->out.Clocks.temperature_c = temperature;
    return 0;
}
