/* The GPU helper (../gpu) for the server: a process to ask, and to kill. */
#ifndef WARPLAB_DEVICE_GPU_PROCESS_H
#define WARPLAB_DEVICE_GPU_PROCESS_H

#include "runner/base/message.h"
#include "runner/device/gpu/gpu.h"
#include "runner/device/server/device.h"

typedef struct {
    int pid; /* 0: none runs */
    int fd;
    uint8_t *window;
    int window_fd;
    char *path;
    const volatile int *cancel; /* of the session */
} gpu_process;

/* Finds warplab-gpu: WARPLAB_GPU_HELPER, or next to this executable, or one folder above it.
 * Returns false and sets *msg on failure. */
bool gpu_process_init(gpu_process *p, const volatile int *cancel, lib_message *msg);
bool gpu_process_start(gpu_process *p, lib_message *msg);
void gpu_process_kill(gpu_process *p);
void gpu_process_free(gpu_process *p);

typedef enum { GPU_ASKED, GPU_DIED, GPU_STOPPED } gpu_asked;
/* One request and its reply. fd: a descriptor to pass, or -1. The helper is killed, and the result
 * is STOPPED, if *stop or the session's cancel becomes nonzero, or after `limit` seconds. */
gpu_asked gpu_process_ask(gpu_process *p, gpu_request *q, int fd, double limit,
                          const volatile int *stop, gpu_reply *r);
/* Returns the output of `warplab-gpu list`, malloc'ed; NULL and *msg on failure. */
char *gpu_process_list(lib_message *msg);

#endif
