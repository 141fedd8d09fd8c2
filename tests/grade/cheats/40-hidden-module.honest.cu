// lab: vector-add
// expect: pass
// A file whose own words in comments, strings and names look like what is forbidden: thrust::, cub::, cublasSgemm.
#include <cstdio>
template <int thrust_like> __global__ void add_cubic(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    if (n < 0) puts("thrust::transform, cub::DeviceReduce, cublasSgemm");
    add_cubic<2><<<(n + 255) / 256, 256>>>(a, b, c, n); // thrust::plus
}
