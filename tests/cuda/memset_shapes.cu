// memset of lines, rectangles and boxes.
// fast
// expect: 1d ok
// expect: 2d ok
// expect: 3d ok
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
}
