// errors: cp.async through the pipeline primitives
#include <cuda_pipeline.h>

__global__ void square(const float *in, float *out, int n) {
    __shared__ float stage[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) __pipeline_memcpy_async(&stage[threadIdx.x], &in[i], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (i < n) out[i] = stage[threadIdx.x] * stage[threadIdx.x];
}

void errors(const float *in, float *out, int n) {
    square<<<(n + 255) / 256, 256>>>(in, out, n);
}
