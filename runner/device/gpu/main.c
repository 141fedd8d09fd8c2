/* warplab-gpu: the process that holds the GPU for one session of the device server.
 *
 *   warplab-gpu serve    requests on descriptor 3, bytes in the memory of descriptor 4 (gpu.h)
 *   warplab-gpu list     one line a GPU: number, name, UUID, driver, compute capability
 *
 * It trusts the server that started it, and ends with it. The device's output goes to standard
 * output, which is a memory file while it serves. */
#include "runner/device/gpu/helper.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int helper_serve(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    if (q->version != GPU_VERSION)
        return gpu_fail(h, GPU_E_REQUEST, "warplab-gpu is of another build");
    if (q->bytes > GPU_WINDOW_BYTES)
        return gpu_fail(h, GPU_E_REQUEST, "a request larger than its window");
    switch ((gpu_op)q->op) {
#define OP(name, in, out, what)                                                                    \
    case GPU_OP_##name:                                                                            \
        return gpu_on_##name(h, q, r);
#include "runner/device/gpu/ops.def"
#undef OP
    case GPU_OP_COUNT: break;
    }
    return gpu_fail(h, GPU_E_REQUEST, "there is no request number %u", q->op);
}

/* Receives one request, and possibly a descriptor. Returns false if the server has ended. */
static bool helper_receive(gpu_request *q, int *fd) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec io = {q, sizeof *q};
    struct msghdr m = {.msg_iov = &io,
                       .msg_iovlen = 1,
                       .msg_control = control.bytes,
                       .msg_controllen = sizeof control.bytes};
    *fd = -1;
    ssize_t n;
    do n = recvmsg(GPU_FD, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof *q) return false;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return true;
}

static int helper_run(void) {
    static gpu_helper h;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN);                   /* the server handles ^C */
    setenv("CUDA_MODULE_LOADING", "EAGER", 1); /* nothing is loaded within a timed launch */
    int out = memfd_create("warplab-printf", MFD_CLOEXEC);
    if (out < 0 || dup2(out, STDOUT_FILENO) < 0) return 1;
    close(out);
    h.window = mmap(NULL, GPU_WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, GPU_WINDOW_FD, 0);
    if (h.window == MAP_FAILED) return 1;
    gpu_request q = {0};
    while (helper_receive(&q, &h.passed)) {
        gpu_reply r = {0};
        h.text[0] = 0;
        r.error = helper_serve(&h, &q, &r);
        r.lost = gpu_is_lost(r.error);
        if (r.error) snprintf(r.text, sizeof r.text, "%s", h.text);
        if (h.passed >= 0) close(h.passed);
        if (send(GPU_FD, &r, sizeof r, MSG_NOSIGNAL) != (ssize_t)sizeof r) break;
    }
    _exit(0); /* the driver's own exit may wait for a broken context */
}

static int helper_list(void) {
    gpu_helper h = {0};
    int count = 0;
    if (!gpu_driver_open(&h.cu, h.text, sizeof h.text) || CU(&h, Init, 0) ||
        CU(&h, DeviceGetCount, &count)) {
        fprintf(stderr, "%s\n", h.text);
        return 1;
    }
    char driver[32] = "";
    gpu_nvml_open(&h.nvml);
    if (!h.nvml.Init || h.nvml.SystemGetDriverVersion(driver, sizeof driver)) driver[0] = 0;
    for (int i = 0; i < count; i++) {
        char name[128] = "";
        unsigned char id[16] = {0};
        int major = 0, minor = 0;
        if (CU(&h, DeviceGet, &h.device, i) || CU(&h, DeviceGetName, name, sizeof name, h.device) ||
            CU(&h, DeviceGetUuid, id, h.device) ||
            CU(&h, DeviceGetAttribute, &major, GPU_ATTR_ComputeCapabilityMajor, h.device) ||
            CU(&h, DeviceGetAttribute, &minor, GPU_ATTR_ComputeCapabilityMinor, h.device)) {
            fprintf(stderr, "%s\n", h.text);
            return 1;
        }
        char uuid[48];
        gpu_uuid(id, uuid);
        printf("%d\t%s\t%s\t%s\t%d.%d\n", i, name, uuid, driver[0] ? driver : "unknown", major,
               minor);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "serve")) return helper_run();
    if (argc == 2 && !strcmp(argv[1], "list")) return helper_list();
    fprintf(stderr, "usage: warplab-gpu serve|list (warplab starts it)\n");
    return 2;
}
