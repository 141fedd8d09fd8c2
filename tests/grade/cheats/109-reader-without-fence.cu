// lab: errors
// expect: finding race
// The block that waits for the flag executes its fence before it looks at the flag: nothing orders what it reads afterwards.
__device__ float squares[1 << 17];
__device__ volatile int flags[1 << 9];
__global__ void square(const float *in, float *out, int round, int n) {
    int i = blockIdx.x / 2 * 256 + threadIdx.x;
    if (blockIdx.x % 2 == 0) { // squares for the next block
        if (i < n) squares[i] = in[i] * in[i];
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) flags[blockIdx.x / 2] = round;
        return;
    }
    __threadfence();
    while (flags[blockIdx.x / 2] != round) {}
    if (i < n) out[i] = squares[i];
}
void errors(const float *in, float *out, int n) {
    static int round;
    square<<<2 * ((n + 255) / 256), 256>>>(in, out, ++round, n);
}
