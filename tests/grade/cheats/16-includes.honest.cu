// lab: vector-add
// expect: pass
// Includes what the language and the toolkit offer.
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda_fp16.h>
#include <vector>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = (int)cooperative_groups::this_grid().thread_rank();
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
