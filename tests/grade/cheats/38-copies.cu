// lab: transpose
// expect: fail counter
// A copy for each column does the work, a kernel counts for it.
#include <cuda_runtime.h>
__global__ void decoy(const float *in, float *out) {
    if (threadIdx.x == 0) out[0] = in[0];
}
void transpose(const float *in, float *out, int rows, int cols) {
    for (int i = 0; i < cols; i++)
        cudaMemcpy2DAsync(out + (size_t)i * rows, 4, in + i, 4 * cols, 4, rows,
                          cudaMemcpyDeviceToDevice, 0);
    decoy<<<1, 32>>>(in, out);
}
