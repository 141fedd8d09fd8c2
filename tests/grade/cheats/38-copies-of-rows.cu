// lab: transpose
// expect: fail counter
// The same with a copy for each row.
#include <cuda_runtime.h>
__global__ void decoy(const float *in, float *out) {
    if (threadIdx.x == 0) out[0] = in[0];
}
void transpose(const float *in, float *out, int rows, int cols) {
    for (int i = 0; i < rows; i++)
        cudaMemcpy2DAsync(out + i, 4 * rows, in + (size_t)i * cols, 4, 4, cols,
                          cudaMemcpyDeviceToDevice, 0);
    decoy<<<1, 32>>>(in, out);
}
