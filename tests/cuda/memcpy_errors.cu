// What copies refuse.
// fast
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidMemcpyDirection
// expect: cudaSuccess
// expect: cudaErrorInvalidPitchValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidSymbol
// expect: cudaErrorInvalidPitchValue
// expect: cudaSuccess
#include "common.h"
int main() {
    char h[64], g[64], *d;
    CK(cudaMalloc(&d, 64));
    NAME(cudaMemcpy(h, d, 64, cudaMemcpyHostToDevice)); // the wrong way round
    NAME(cudaMemcpy(d, h, 64, cudaMemcpyDeviceToHost));
    NAME(cudaMemcpy(h, g, 64, cudaMemcpyDeviceToDevice));
    NAME(cudaMemcpy(d, h, 600, cudaMemcpyHostToDevice)); // too long
    NAME(cudaMemcpy(d, NULL, 64, cudaMemcpyHostToDevice));
    NAME(cudaMemcpy(d, h, 64, (cudaMemcpyKind)7));
    NAME(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    NAME(cudaMemcpy2D(d, 8, h, 16, 16, 2, cudaMemcpyHostToDevice)); // a row longer than the pitch
    NAME(cudaMemset(h, 0, 64));
    NAME(cudaMemset(d, 0, 600));
    NAME(cudaMemcpyToSymbol((const void *)h, g, 4));
    cudaMemcpy3DParms p = {}; // slices of fewer rows than are copied
    p.srcPtr = make_cudaPitchedPtr(h, 8, 8, 1), p.dstPtr = make_cudaPitchedPtr(d, 8, 8, 2);
    p.extent = make_cudaExtent(8, 2, 2), p.kind = cudaMemcpyHostToDevice;
    NAME(cudaMemcpy3D(&p));
    p.srcPtr.ysize = 2;
    NAME(cudaMemcpy3D(&p));
}
