// lab: hello
// expect: fail counter
// expect: says repeated_store_bytes is
// Four threads write each element. What atomics give to words of their own makes up for none of it.
__device__ unsigned seen[1 << 20];
__global__ void who(int *id, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = t / 4;
    if (i >= n) return;
    id[i] = i;
    atomicAdd(&seen[t], 1u);
}
void hello(int *id, int n) { who<<<(4 * n + 255) / 256, 256>>>(id, n); }
