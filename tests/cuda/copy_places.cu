// Where a three-dimensional copy puts a part of an array: the position in other memory counts the array's elements, too, whatever the documents say of bytes;
// and what it refuses. A row whose pitch is too short is refused by itself, too. All as an H100 with CUDA 13.0 does.
// fast
// expect: 1 at 14, 16 elements, 0 wrong
// expect: 100 elements into the array, 0 wrong
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidPitchValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidPitchValue
// expect: cudaSuccess
#include "common.h"
#include <vector>
typedef std::vector<unsigned> words;
static cudaArray_t a;
static cudaMemcpy3DParms from_array(void *p, size_t pitch, size_t rows, cudaPos at, cudaExtent e) {
    cudaMemcpy3DParms m = {};
    m.srcArray = a, m.dstPtr = make_cudaPitchedPtr(p, pitch, pitch, rows), m.dstPos = at, m.extent = e, m.kind = cudaMemcpyDefault;
    return m;
}
int main() {
    words v(480), g(100), b(480);
    for (int i = 0; i < 480; i++) v[i] = i + 1;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<short2>();
    CK(cudaMalloc3DArray(&a, &c, make_cudaExtent(10, 8, 6)));
    cudaMemcpy3DParms in = {};
    in.srcPtr = make_cudaPitchedPtr(v.data(), 40, 10, 8), in.dstArray = a, in.extent = make_cudaExtent(10, 8, 6), in.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&in));
    cudaMemcpy3DParms m = from_array(g.data(), 48, 4, make_cudaPos(2, 1, 0), make_cudaExtent(4, 2, 2)); // rows of 12 elements, slices of 4 rows
    CK(cudaMemcpy3D(&m));
    unsigned first = 0, many = 0, wrong = 0;
    for (unsigned z = 0; z < 2; z++)
        for (unsigned y = 0; y < 4; y++)
            for (unsigned x = 0; x < 12; x++) {
                unsigned at = (z * 4 + y) * 12 + x;
                bool part = x >= 2 && x < 6 && y >= 1 && y < 3;
                wrong += g[at] != (part ? z * 80 + (y - 1) * 10 + x - 2 + 1 : 0);
                if (g[at] && !many++) first = at;
            }
    printf("%u at %u, %u elements, %u wrong\n", g[first], first, many, wrong);
    for (int i = 0; i < 100; i++) g[i] = 1000 + i;
    m = {};
    m.dstArray = a, m.srcPtr = make_cudaPitchedPtr(g.data(), 48, 12, 4), m.srcPos = make_cudaPos(2, 1, 0), m.dstPos = make_cudaPos(1, 1, 1);
    m.extent = make_cudaExtent(5, 2, 2), m.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&m));
    m = from_array(b.data(), 40, 8, make_cudaPos(0, 0, 0), make_cudaExtent(10, 8, 6));
    CK(cudaMemcpy3D(&m));
    wrong = 0;
    for (unsigned z = 0; z < 6; z++)
        for (unsigned y = 0; y < 8; y++)
            for (unsigned x = 0; x < 10; x++) {
                bool part = x >= 1 && x < 6 && y >= 1 && y < 3 && z >= 1 && z < 3;
                unsigned at = (z * 8 + y) * 10 + x;
                wrong += b[at] != (part ? 1000 + ((z - 1) * 4 + y) * 12 + x + 1 : at + 1);
            }
    printf("100 elements into the array, %u wrong\n", wrong);
    m = from_array(g.data(), 36, 7, make_cudaPos(4, 0, 0), make_cudaExtent(9, 5, 2)); // a row ends past the pitch
    NAME(cudaMemcpy3D(&m));
    m = from_array(g.data(), 36, 5, make_cudaPos(0, 1, 0), make_cudaExtent(9, 5, 1)); // rows end past the slice
    NAME(cudaMemcpy3D(&m));
    m = from_array(g.data(), 32, 7, make_cudaPos(0, 0, 0), make_cudaExtent(9, 5, 2)); // a row is longer than the pitch
    NAME(cudaMemcpy3D(&m));
    m = from_array(g.data(), 36, 7, make_cudaPos(9, 0, 0), make_cudaExtent(1, 1, 1));
    NAME(cudaMemcpy3D(&m));
    char *d;
    CK(cudaMalloc(&d, 1024));
    m = {};
    m.srcPtr = make_cudaPitchedPtr(d, 36, 9, 8), m.dstPtr = make_cudaPitchedPtr(d + 512, 32, 9, 7), m.extent = make_cudaExtent(36, 5, 2), m.kind = cudaMemcpyDefault;
    NAME(cudaMemcpy3D(&m));
    NAME(cudaMemcpy2D(d, 4, g.data(), 8, 8, 1, cudaMemcpyHostToDevice));
    NAME(cudaMemcpy2D(d, 4, g.data(), 8, 8, 2, cudaMemcpyHostToDevice));
    NAME(cudaMemcpy2D(d, 0, g.data(), 0, 8, 1, cudaMemcpyHostToDevice));
    CK(cudaFreeArray(a));
    CK(cudaFree(d));
}
