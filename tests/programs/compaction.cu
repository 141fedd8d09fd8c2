// What passes a test is packed, in order: ballots in a warp, offsets of warps, an offset of the block from a chain of blocks.
// fast
#include "programs.cuh"
__device__ int ticket;
__global__ void pack(const int *in, int n, int *out, volatile int *until) { // until[b]: results of blocks 0..b, plus 1
    __shared__ int warp_at[8], base, block;
    if (!threadIdx.x) block = atomicAdd(&ticket, 1); // in the order of their start, so that nobody waits for one that has not begun
    __syncthreads();
    int i = block * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bool take = i < n && in[i] % 3 == 0;
    unsigned mask = __ballot_sync(~0u, take);
    if (!lane) warp_at[warp] = __popc(mask);
    __syncthreads();
    if (!threadIdx.x) {
        int sum = 0;
        for (int w = 0; w < 8; w++) {
            int c = warp_at[w];
            warp_at[w] = sum, sum += c;
        }
        int before = 0;
        if (block)
            while (!(before = until[block - 1])) {}
        base = block ? before - 1 : 0;
        __threadfence();
        until[block] = base + sum + 1;
    }
    __syncthreads();
    if (take) out[base + warp_at[warp] + __popc(mask & ((1u << lane) - 1))] = in[i];
}
int main() {
    const int n = 20011;
    auto a = ints(n, 1000);
    std::vector<int> want;
    for (int x : a)
        if (x % 3 == 0) want.push_back(x);
    int *out = device<int>(n), g = blocks(n, 256), *until = zeros<int>(g);
    pack<<<g, 256>>>(device(a), n, out, until);
    is("how many", host(until, g)[g - 1] - 1, want.size());
    equal("packed", host(out, want.size()), want);
    return verdict();
}
