// memset of lines, rectangles and boxes.
// fast
// expect: 1d ok
// expect: 2d ok
// expect: 3d ok
// expect: slices ok
// expect: captured ok
#include "common.h"
int main() {
    static unsigned char h[4096];
    unsigned char *d;
    CK(cudaMalloc(&d, sizeof h));
    CK(cudaMemset(d, 0, sizeof h)), CK(cudaMemset(d + 5, 0x1ab, 100));
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < 4096; i++) ok &= h[i] == (i >= 5 && i < 105 ? 0xab : 0);
    printf("1d %s\n", ok ? "ok" : "wrong");
    CK(cudaMemset(d, 0, sizeof h)), CK(cudaMemset2DAsync(d, 64, 7, 10, 20, 0));
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    ok = true;
    for (int i = 0; i < 4096; i++) ok &= h[i] == (i % 64 < 10 && i / 64 < 20 ? 7 : 0);
    printf("2d %s\n", ok ? "ok" : "wrong");
    cudaPitchedPtr p;
    CK(cudaMalloc3D(&p, make_cudaExtent(8, 3, 2)));
    CK(cudaMemset3D(p, 0, make_cudaExtent(p.pitch, 3, 2))), CK(cudaMemset3D(p, 3, make_cudaExtent(5, 2, 2)));
    CK(cudaMemcpy(h, p.ptr, p.pitch * 6, cudaMemcpyDeviceToHost));
    ok = true;
    for (size_t i = 0; i < p.pitch * 6; i++) ok &= h[i] == (i % p.pitch < 5 && i / p.pitch % 3 < 2 ? 3 : 0);
    printf("3d %s\n", ok ? "ok" : "wrong");
    // Whole rows, but not whole slices: what lies between them stays.
    CK(cudaMemset(d, 0, sizeof h));
    cudaPitchedPtr q = make_cudaPitchedPtr(d, 16, 16, 5);
    CK(cudaMemset3D(q, 9, make_cudaExtent(16, 3, 4)));
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    ok = true;
    for (int i = 0; i < 4096; i++) ok &= h[i] == (i < 16 * 5 * 4 && i / 16 % 5 < 3 ? 9 : 0);
    printf("slices %s\n", ok ? "ok" : "wrong");
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    CK(cudaStreamCreate(&s)), CK(cudaMemset(d, 0, sizeof h));
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CK(cudaMemset3DAsync(make_cudaPitchedPtr(d + 32, 16, 16, 5), 6, make_cudaExtent(7, 3, 4), s));
    CK(cudaStreamEndCapture(s, &g)), CK(cudaGraphInstantiate(&x, g, 0)), CK(cudaGraphLaunch(x, s)), CK(cudaStreamSynchronize(s));
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    ok = true;
    for (int i = 0; i < 4096; i++) {
        int at = i - 32;
        ok &= h[i] == (at >= 0 && at < 16 * 5 * 4 && at % 16 < 7 && at / 16 % 5 < 3 ? 6 : 0);
    }
    printf("captured %s\n", ok ? "ok" : "wrong");
}
