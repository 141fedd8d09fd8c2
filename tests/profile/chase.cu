// Lists are followed, one by each thread, one small block on each multiprocessor: every step waits for the one before.
// expect: limiter latency, advice occupancy
#include <cstdio>
__global__ void follow(const int *next, int *out, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    for (int k = 0; k < steps; k++) at = next[at];
    out[i] = at;
}
__global__ void chain(int *next, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) next[i] = (i + 132 * 64) % n;
}
int main() {
    int n = 1 << 22, *next, *out;
    cudaMalloc(&next, n * 4), cudaMalloc(&out, 132 * 64 * 4);
    chain<<<(n + 255) / 256, 256>>>(next, n);
    follow<<<132, 64>>>(next, out, 256);
    int bad = cudaDeviceSynchronize() != cudaSuccess;
    cudaFree(next), cudaFree(out);
    return bad;
}
