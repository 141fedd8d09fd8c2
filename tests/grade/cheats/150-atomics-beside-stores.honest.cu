// lab: hello
// expect: pass
// Each thread writes an element of its own and counts it with an atomic.
__device__ unsigned seen[1 << 20];
__global__ void who(int *id, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    id[i] = i;
    atomicAdd(&seen[i], 1u);
}
void hello(int *id, int n) { who<<<(n + 255) / 256, 256>>>(id, n); }
