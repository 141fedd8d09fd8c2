// The forbidden namespace is put together by a macro, so that its name is nowhere in the text.
// lab: matmul-open
// expect: compile
#include <mma.h>
#define JOIN(a, b) a##b

__global__ void product(const float *a, const float *b, float *c, int n) {
    using namespace nvcuda::JOIN(wm, ma);
    fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> x;
    fragment<matrix_b, 16, 16, 8, precision::tf32, row_major> y;
    fragment<accumulator, 16, 16, 8, float> z;
    fill_fragment(z, 0.0f);
    load_matrix_sync(x, a, n);
    load_matrix_sync(y, b, n);
    mma_sync(z, x, y, z);
    store_matrix_sync(c, z, n, mem_row_major);
}

void matmul_open(const float *a, const float *b, float *c, int n) {
    product<<<1, 32>>>(a, b, c, n);
}
