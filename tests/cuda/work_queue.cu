// Blocks that are all resident take tiles from a counter until none is left, a block or a warp at a time. A device runs them side by side: each
// gets its share, and the launch takes about as long as one in which every block knows its tiles.
// expect: every tile once, shares even, time like a fixed share
// expect: every tile once, shares even, time like a fixed share
#include "common.h"
const int TILES = 2048, BLOCKS = 132, THREADS = 256;
__device__ int counter;
__device__ float work(float s) {
    for (int k = 0; k < 200; k++) s = s * .99f + .5f;
    return s;
}
__global__ void of_blocks(int *out, float *sums, int *who, bool fixed) {
    __shared__ int tile;
    for (int t = blockIdx.x;; t += gridDim.x) {
        if (!fixed) {
            if (threadIdx.x == 0) tile = atomicAdd(&counter, 1);
            __syncthreads();
            t = tile;
            __syncthreads();
        }
        if (t >= TILES) break;
        sums[t * THREADS + threadIdx.x] = work(t);
        if (threadIdx.x == 0) atomicAdd(&out[t], 1), atomicAdd(&who[blockIdx.x], 1);
    }
}
__global__ void of_warps(int *out, float *sums, int *who, bool fixed) {
    int lane = threadIdx.x % 32, warps = THREADS / 32;
    for (int t = blockIdx.x * warps + threadIdx.x / 32;; t += gridDim.x * warps) {
        if (!fixed) {
            if (lane == 0) t = atomicAdd(&counter, 1);
            t = __shfl_sync(~0u, t, 0);
        }
        if (t >= TILES * warps) break;
        sums[t * 32 + lane] = work(t);
        if (lane == 0) atomicAdd(&out[t], 1), atomicAdd(&who[blockIdx.x], 1);
    }
}
template <class K> static void check(K kernel, int tiles) {
    static int out_h[TILES * 8], who_h[BLOCKS];
    int *out, *who, zero = 0;
    float *sums, ms[2];
    cudaEvent_t a, b;
    CK(cudaEventCreate(&a));
    CK(cudaEventCreate(&b));
    CK(cudaMalloc(&out, sizeof out_h));
    CK(cudaMalloc(&who, sizeof who_h));
    CK(cudaMalloc(&sums, TILES * THREADS * sizeof *sums));
    for (int fixed = 1; fixed >= 0; fixed--) {
        CK(cudaMemset(out, 0, sizeof out_h));
        CK(cudaMemset(who, 0, sizeof who_h));
        CK(cudaMemcpyToSymbol(counter, &zero, sizeof zero));
        CK(cudaEventRecord(a));
        kernel<<<BLOCKS, THREADS>>>(out, sums, who, fixed);
        CK(cudaEventRecord(b));
        CK(cudaEventSynchronize(b));
        CK(cudaEventElapsedTime(&ms[fixed], a, b));
    }
    CK(cudaMemcpy(out_h, out, sizeof out_h, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(who_h, who, sizeof who_h, cudaMemcpyDeviceToHost));
    bool once = true, even = true;
    for (int t = 0; t < tiles; t++) once &= out_h[t] == 1;
    for (int k = 0; k < BLOCKS; k++)
        even &= 2 * who_h[k] * BLOCKS >= tiles && who_h[k] * BLOCKS <= 2 * tiles;
    bool like = ms[0] < 2 * ms[1];
    printf("%s, %s, %s\n", once ? "every tile once" : "not every tile once",
           even ? "shares even" : "shares uneven",
           like ? "time like a fixed share" : "time unlike a fixed share");
    if (!like) printf("%.1f us, fixed %.1f us\n", 1000 * ms[0], 1000 * ms[1]);
    CK(cudaFree(out));
    CK(cudaFree(who));
    CK(cudaFree(sums));
}
int main() {
    check(of_blocks, TILES);
    check(of_warps, TILES * THREADS / 32);
}
