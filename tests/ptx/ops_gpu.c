/* Runs every instruction of ops.txt on a real GPU and writes what it gave: the expected values of
 * tests/unit/test_exec_ops.c.
 *
 *   cc -O1 -o ops_gpu tests/ptx/ops_gpu.c -I$CUDA/include -lcuda && ./ops_gpu tests/ptx/ops.txt ops.expected
 *   zstd -19 ops.expected -o tests/ptx/ops.expected.zst
 *
 * ops_more.txt (tests/ptx/ops_make) likewise; every line of both assembles.
 *
 * Output: for each line a word (1: ran, 0: the driver's compiler refused it), then OPS_LANES x
 * OPS_DST words of 64 bits. */
#include <cuda.h>
#include "ops_kit.h"

#define TRY(x)                                                                                     \
    do {                                                                                           \
        CUresult e_ = (x);                                                                         \
        if (e_ != CUDA_SUCCESS) {                                                                  \
            fprintf(stderr, "%s: error %d\n", #x, (int)e_);                                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

int main(int argc, char **argv) {
    ops_op *ops;
    FILE *out = argc > 2 ? fopen(argv[2], "wb") : NULL;
    int n = out ? ops_read(argv[1], &ops) : -1;
    if (n < 0) return 2;
    CUdevice dev;
    CUcontext ctx;
    CUdeviceptr din, dout;
    TRY(cuInit(0));
    TRY(cuDeviceGet(&dev, 0));
    TRY(cuDevicePrimaryCtxRetain(&ctx, dev));
    TRY(cuCtxSetCurrent(ctx));
    TRY(cuMemAlloc(&din, OPS_LANES * OPS_SRC * 8));
    TRY(cuMemAlloc(&dout, OPS_LANES * OPS_DST * 8));
    int refused = 0;
    for (int i = 0; i < n; i++) {
        static char ptx[1 << 14], log[4096];
        static uint64_t in[OPS_LANES][OPS_SRC], res[OPS_LANES][OPS_DST];
        ops_kernel(&ops[i], ptx, sizeof ptx);
        ops_inputs(&ops[i], in);
        CUmodule mod;
        CUfunction fn;
        CUjit_option opt[2] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
        void *val[2] = {log, (void *)(uintptr_t)sizeof log};
        log[0] = 0;
        uint64_t ok = cuModuleLoadDataEx(&mod, ptx, 2, opt, val) == CUDA_SUCCESS;
        memset(res, 0, sizeof res);
        if (ok) {
            void *args[2] = {&din, &dout};
            TRY(cuModuleGetFunction(&fn, mod, "op"));
            TRY(cuMemcpyHtoD(din, in, sizeof in));
            TRY(cuMemsetD8(dout, 0, sizeof res));
            TRY(cuLaunchKernel(fn, 1, 1, 1, OPS_LANES, 1, 1, 0, NULL, args, NULL));
            TRY(cuMemcpyDtoH(res, dout, sizeof res));
            TRY(cuModuleUnload(mod));
        } else {
            refused++;
            printf("refused: line %d %s: %.200s\n", ops[i].line, ops[i].text, log);
        }
        fwrite(&ok, 8, 1, out);
        fwrite(res, sizeof res, 1, out);
    }
    printf("%d instructions, %d refused\n", n, refused);
    free(ops);
    return fclose(out) != 0;
}
