// Measured in the lab errors: an invalid launch, whose error cudaGetLastError() clears, and then a valid launch.
// One kernel runs.
__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

void errors(const float *in, float *out, int n) {
    square<<<(n + 2047) / 2048, 2048>>>(in, out, n);
    if (cudaGetLastError() != cudaSuccess) square<<<(n + 255) / 256, 256>>>(in, out, n);
}
