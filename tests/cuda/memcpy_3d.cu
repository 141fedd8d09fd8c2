// Boxes: pitched memory of three dimensions, with offsets.
// expect: whole ok
// expect: part ok
#include "common.h"
int main() {
    const int w = 20, h = 6, d = 5;
    static unsigned char a[d][h][w], b[d][h][w];
    for (int i = 0; i < w * h * d; i++) (&a[0][0][0])[i] = (unsigned char)i;
    cudaPitchedPtr p;
    CK(cudaMalloc3D(&p, make_cudaExtent(w, h, d)));
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(a, w, w, h), c.dstPtr = p, c.extent = make_cudaExtent(w, h, d), c.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&c));
    cudaMemcpy3DParms r = {};
    r.srcPtr = p, r.dstPtr = make_cudaPitchedPtr(b, w, w, h), r.extent = c.extent, r.kind = cudaMemcpyDeviceToHost;
    CK(cudaMemcpy3D(&r));
    printf("whole %s\n", memcmp(a, b, sizeof a) ? "wrong" : "ok");
    memset(b, 0, sizeof b);
    r.srcPos = make_cudaPos(3, 2, 1), r.dstPos = make_cudaPos(1, 0, 2), r.extent = make_cudaExtent(10, 3, 2);
    CK(cudaMemcpy3D(&r));
    bool ok = true;
    for (int z = 0; z < d; z++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                bool in = z >= 2 && z < 4 && y < 3 && x >= 1 && x < 11;
                ok &= b[z][y][x] == (in ? a[z - 1][y + 2][x + 2] : 0);
            }
    printf("part %s\n", ok ? "ok" : "wrong");
}
