// lab: reduce-3-idle
// expect: fail counter
// expect: says atomics is
// No tree: each thread adds to one word of shared memory by an atomic.
__global__ void add(const int *in, int *out, int n) {
    __shared__ int sum;
    unsigned i = blockIdx.x * 512 + threadIdx.x;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0));
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
void reduce(const int *in, int *out, int n) { add<<<(n + 511) / 512, 256>>>(in, out, n); }
