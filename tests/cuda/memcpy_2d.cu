// Copies of rectangles between different pitches.
// fast
// expect: to device and back ok
// expect: device to device ok
// expect: untouched ok
#include "common.h"
int main() {
    const int w = 37, h = 11, ph = 50, pd = 64;
    static char a[ph * h], b[ph * h];
    for (int i = 0; i < ph * h; i++) a[i] = (char)i, b[i] = -1;
    char *d, *e;
    CK(cudaMalloc(&d, pd * h)), CK(cudaMalloc(&e, 100 * h));
    CK(cudaMemset(d, 9, pd * h));
    CK(cudaMemcpy2D(d, pd, a, ph, w, h, cudaMemcpyHostToDevice));
    CK(cudaMemcpy2D(b, ph, d, pd, w, h, cudaMemcpyDeviceToHost));
    bool ok = true, rest = true;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < ph; x++) (x < w ? ok : rest) &= b[y * ph + x] == (x < w ? a[y * ph + x] : (char)-1);
    printf("to device and back %s\n", ok && rest ? "ok" : "wrong");
    CK(cudaMemcpy2D(e, 100, d + 1, pd, w - 1, h, cudaMemcpyDeviceToDevice));
    memset(b, 0, sizeof b);
    CK(cudaMemcpy2DAsync(b, ph, e, 100, w - 1, h, cudaMemcpyDeviceToHost, 0));
    CK(cudaDeviceSynchronize());
    ok = true;
    for (int y = 0; y < h; y++) ok &= !memcmp(b + y * ph, a + y * ph + 1, w - 1);
    printf("device to device %s\n", ok ? "ok" : "wrong");
    static char c[pd * h];
    CK(cudaMemcpy(c, d, sizeof c, cudaMemcpyDeviceToHost));
    ok = true;
    for (int y = 0; y < h; y++)
        for (int x = w; x < pd; x++) ok &= c[y * pd + x] == 9;
    printf("untouched %s\n", ok ? "ok" : "wrong");
}
