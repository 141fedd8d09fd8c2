/* Shared by the helper's files. There is one context, one stream, and one request at a time.
 * Everything is global to the process, because the process is what is thrown away.
 *
 *   main.c      requests in, replies out; the list of GPUs
 *   error.c     why a request fails
 *   machine.c   the device: opening it, its attributes and clocks
 *   timing.c    how long work on the stream takes
 *   measure.c   the cost of its copies and launches
 *   memory.c    device memory at addresses that the server chose
 *   host.c      host memory of both sides; copies and fills
 *   code.c      modules, kernels, launches
 *   texture.c   textures and surfaces over array copies */
#ifndef WARPLAB_GPU_HELPER_H
#define WARPLAB_GPU_HELPER_H

#include "runner/device/gpu/driver.h"
#include "runner/device/gpu/gpu.h"

typedef struct {
    gpu_driver cu;
    gpu_nvml nvml;
    void *nvml_device;
    int device;
    void *context, *stream, *start, *end; /* events */
    uint8_t *window;
    uint64_t window_device; /* as the device sees it */
    uint64_t base, size;    /* device memory's range of addresses */
    uint64_t unit;          /* size of a unit of physical memory */
    uint64_t flush, flush_bytes;
    /* the stream waits for it, so that timed work is queued before it starts */
    volatile uint32_t *gate;
    uint64_t gate_device;
    uint32_t gate_value;
    bool gated, cold;
    int passed; /* the descriptor that came with the request; -1: none */
    char text[GPU_TEXT];
} gpu_helper;

/* ---- error.c: every function here returns a GPU_E_* */
int gpu_fail(gpu_helper *h, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Checks the result of a driver call; an error is kept with the call's name for the reply. */
int gpu_check(gpu_helper *h, int error, const char *call);
#define CU(h, call, ...) gpu_check(h, (h)->cu.call(__VA_ARGS__), #call)
bool gpu_is_lost(int error); /* whether the context is broken permanently */

/* ---- one handler for each row of ops.def */
#define OP(name, in, out, what)                                                                    \
    int gpu_on_##name(gpu_helper *h, const gpu_request *q, gpu_reply *r);
#include "runner/device/gpu/ops.def"
#undef OP

/* ---- timing.c: begin, queue the work on h->stream, end. *us: between the events, including the
 * gap */
int gpu_time_begin(gpu_helper *h);
int gpu_time_end(gpu_helper *h, double *us);

/* ---- machine.c: 16 bytes as "GPU-..." */
void gpu_uuid(const unsigned char id[16], char text[48]);

/* ---- memory.c, host.c */
int gpu_alloc(gpu_helper *h, uint64_t bytes, uint64_t *address);
int gpu_free(gpu_helper *h, uint64_t address);
int gpu_copy(gpu_helper *h, uint64_t to, uint64_t from, uint64_t bytes, double *us);

/* ---- texture.c: before a launch, array copies get the contents of memory; after it, memory gets
 * those of surfaces */
int gpu_textures_in(gpu_helper *h);
int gpu_textures_out(gpu_helper *h);

#endif
