/* What the helper's files share. One context, one stream, one request at a time; everything is
 * global to the process because the process is the unit that is thrown away.
 *
 *   main.c      requests in, replies out
 *   machine.c   the device, its attributes, clocks, and what its copies and launches cost
 *   memory.c    device memory at addresses that the server chose, host memory of both sides
 *   code.c      modules, kernels, launches and their times
 *   texture.c   textures and surfaces over array copies */
#ifndef WARPLAB_GPU_HELPER_H
#define WARPLAB_GPU_HELPER_H

#include "runner/gpu/driver.h"
#include "runner/gpu/gpu.h"

typedef struct {
    gpu_driver cu;
    gpu_nvml nvml;
    void *nvml_device;
    int device;
    void *context, *stream, *start, *end; /* events */
    uint8_t *window;
    uint64_t window_device; /* as the device sees it */
    uint64_t base, size;    /* device memory's range of addresses */
    uint64_t unit;          /* of physical memory */
    uint64_t flush, flush_bytes;
    volatile uint32_t
        *gate; /* the stream waits for it, so that what is timed is queued before it starts */
    uint64_t gate_device;
    uint32_t gate_value;
    bool gated, cold;
    int sms;
    char text[GPU_TEXT];
} gpu_helper;

/* Runs a driver call; an error is kept with the call's name for the reply. */
int gpu_check(gpu_helper *h, int error, const char *call);
#define CU(h, call, ...) gpu_check(h, (h)->cu.call(__VA_ARGS__), #call)
int gpu_fail(gpu_helper *h, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool gpu_is_lost(int error); /* the context is broken for good */

/* ---- timing: begin, queue the work on h->stream, end. *us: between the events, gap included */
int gpu_time_begin(gpu_helper *h);
int gpu_time_end(gpu_helper *h, double *us);

int gpu_open(gpu_helper *h, const gpu_request *q, gpu_reply *r);
int gpu_measure(gpu_helper *h, gpu_reply *r);
int gpu_clocks(gpu_helper *h, gpu_reply *r);

int gpu_alloc(gpu_helper *h, uint64_t bytes, uint64_t *address);
int gpu_free(gpu_helper *h, uint64_t address);
int gpu_map(gpu_helper *h, uint64_t address, uint64_t bytes, uint64_t mapping, uint64_t skip,
            int fd);
int gpu_unmap(gpu_helper *h, uint64_t address);
int gpu_copy(gpu_helper *h, uint64_t to, uint64_t from, uint64_t bytes, double *us);
int gpu_fill(gpu_helper *h, uint64_t to, uint32_t value, unsigned width, uint64_t n, double *us);

int gpu_module_load(gpu_helper *h, int fd, uint64_t bytes, uint64_t *module);
int gpu_module_unload(gpu_helper *h, uint64_t module);
int gpu_module_reset(gpu_helper *h, uint64_t module);
int gpu_kernel(gpu_helper *h, uint64_t module, uint64_t bytes, gpu_reply *r);
int gpu_symbol(gpu_helper *h, uint64_t module, uint64_t bytes, gpu_reply *r);
int gpu_kernel_shared(gpu_helper *h, uint64_t kernel, uint64_t bytes);
int gpu_launch(gpu_helper *h, const gpu_request *q, gpu_reply *r);

int gpu_texture_new(gpu_helper *h, uint64_t *handle);
int gpu_texture_free(gpu_helper *h, uint64_t handle);
/* Array copies take what memory holds before a launch; memory takes what surfaces hold after it. */
int gpu_textures_in(gpu_helper *h);
int gpu_textures_out(gpu_helper *h);

#endif
