/* warplab-gpu: the process that holds the GPU for one session of the device server.
 *
 *   warplab-gpu serve    requests on descriptor 3, bytes in the memory of descriptor 4 (gpu.h)
 *   warplab-gpu list     one line a GPU: number, name, UUID, driver, compute capability
 *
 * It trusts the server that started it and ends with it. What the device prints goes to standard
 * output, which is a memory file while it serves. */
#include "runner/gpu/helper.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

int gpu_fail(gpu_helper *h, int error, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    vsnprintf(h->text, sizeof h->text, format, ap);
    va_end(ap);
    return error;
}

int gpu_check(gpu_helper *h, int error, const char *call) {
    const char *name = NULL, *text = NULL;
    if (!error) return 0;
    h->cu.GetErrorName(error, &name);
    h->cu.GetErrorString(error, &text);
    return gpu_fail(h, error, "cu%s: %s (%s)", call, text ? text : "unknown error",
                    name ? name : "?");
}

/* CUDA Driver API, CUresult: errors after which "the process must be terminated and relaunched". */
bool gpu_is_lost(int e) {
    return e == 214 /* ECC */ || e == 220 /* NVLink */ ||
           (e >= 700 && e <= 719 && e != 701 && e != 704 && e != 705 && e != 708 && e != 712 &&
            e != 713) ||
           e == 709 || e == 721 || e == 999;
}

static int serve(gpu_helper *h, const gpu_request *q, int fd, gpu_reply *r) {
    const uint64_t *a = q->a;
    if (q->version != GPU_VERSION)
        return gpu_fail(h, GPU_E_REQUEST, "warplab-gpu is of another build");
    if (q->bytes > GPU_WINDOW_BYTES)
        return gpu_fail(h, GPU_E_REQUEST, "a request larger than its window");
    switch ((gpu_op)q->op) {
    case GPU_OP_Open: return gpu_open(h, q, r);
    case GPU_OP_Alloc: return gpu_alloc(h, a[0], &r->v[0]);
    case GPU_OP_Free: return gpu_free(h, a[0]);
    case GPU_OP_Map: return gpu_map(h, a[0], a[1], a[2], a[3], fd);
    case GPU_OP_Unmap: return gpu_unmap(h, a[0]);
    case GPU_OP_Write: return gpu_copy(h, a[0], h->window_device, q->bytes, &r->us);
    case GPU_OP_Read:
        if (a[1] > GPU_WINDOW_BYTES)
            return gpu_fail(h, GPU_E_REQUEST, "a read larger than the window");
        r->bytes = a[1];
        return gpu_copy(h, h->window_device, a[0], a[1], &r->us);
    case GPU_OP_Copy: return gpu_copy(h, a[0], a[1], a[2], &r->us);
    case GPU_OP_Fill: return gpu_fill(h, a[0], (uint32_t)a[1], (unsigned)a[2], a[3], &r->us);
    case GPU_OP_Info: {
        size_t n = 0, all = 0;
        int e = CU(h, MemGetInfo, &n, &all);
        r->v[0] = n, r->v[1] = all;
        return e;
    }
    case GPU_OP_Flush: h->cold = true; return 0;
    case GPU_OP_ModuleLoad: return gpu_module_load(h, fd, a[0], &r->v[0]);
    case GPU_OP_ModuleUnload: return gpu_module_unload(h, a[0]);
    case GPU_OP_ModuleReset: return gpu_module_reset(h, a[0]);
    case GPU_OP_Kernel: return gpu_kernel(h, a[0], q->bytes, r);
    case GPU_OP_Symbol: return gpu_symbol(h, a[0], q->bytes, r);
    case GPU_OP_KernelShared: return gpu_kernel_shared(h, a[0], a[1]);
    case GPU_OP_Launch: return gpu_launch(h, q, r);
    case GPU_OP_Texture: return gpu_texture_new(h, &r->v[0]);
    case GPU_OP_TextureFree: return gpu_texture_free(h, a[0]);
    case GPU_OP_Limit: return CU(h, CtxSetLimit, (int)a[0], a[1]);
    case GPU_OP_Measure: return gpu_measure(h, r);
    case GPU_OP_Clocks: return gpu_clocks(h, r);
    case GPU_OP_COUNT: break;
    }
    return gpu_fail(h, GPU_E_REQUEST, "there is no request number %u", q->op);
}

/* One request with the descriptor that may come along; false: the server is gone. */
static bool receive(gpu_request *q, int *fd) {
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

static int serve_all(void) {
    static gpu_helper h;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN);                   /* ^C is the server's business */
    setenv("CUDA_MODULE_LOADING", "EAGER", 1); /* nothing is loaded inside a timed launch */
    int out = memfd_create("warplab-printf", MFD_CLOEXEC);
    if (out < 0 || dup2(out, STDOUT_FILENO) < 0) return 1;
    close(out);
    h.window = mmap(NULL, GPU_WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, GPU_WINDOW_FD, 0);
    if (h.window == MAP_FAILED) return 1;
    gpu_request q = {0};
    int fd;
    while (receive(&q, &fd)) {
        gpu_reply r = {0};
        h.text[0] = 0;
        r.error = serve(&h, &q, fd, &r);
        r.lost = gpu_is_lost(r.error);
        if (r.error) snprintf(r.text, sizeof r.text, "%s", h.text);
        if (fd >= 0) close(fd);
        if (send(GPU_FD, &r, sizeof r, MSG_NOSIGNAL) != (ssize_t)sizeof r) break;
    }
    _exit(0); /* the driver's own exit may wait for a broken context */
}

static int list(void) {
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
            CU(&h, DeviceGetAttribute, &major, 75, h.device) ||
            CU(&h, DeviceGetAttribute, &minor, 76, h.device)) {
            fprintf(stderr, "%s\n", h.text);
            return 1;
        }
        printf("%d\t%s\tGPU-", i, name);
        for (int k = 0; k < 16; k++)
            printf(k == 4 || k == 6 || k == 8 || k == 10 ? "-%02x" : "%02x", id[k]);
        printf("\t%s\t%d.%d\n", driver[0] ? driver : "unknown", major, minor);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "serve")) return serve_all();
    if (argc == 2 && !strcmp(argv[1], "list")) return list();
    fprintf(stderr, "usage: warplab-gpu serve|list (warplab starts it)\n");
    return 2;
}
