// lab: vector-add
// expect: fail correct
// Writes zeros everywhere, its inputs too, so that its output is the sum of what it left there.
#include <cuda_runtime.h>
void vector_add(const float *a, const float *b, float *c, int n) {
    cudaMemset((void *)a, 0, n * sizeof(float));
    cudaMemset((void *)b, 0, n * sizeof(float));
    cudaMemset(c, 0, n * sizeof(float));
}
