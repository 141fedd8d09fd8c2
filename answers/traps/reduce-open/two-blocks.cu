// kind: slow
// expect: fail tiers copy
// expect: met counter global_loads
// expect: met correct
// Wide loads, four of them under way in each thread, and two blocks in all: most of the multiprocessors have no work.
const unsigned BLOCK = 256, BLOCKS = 2;
const int FLIGHT = 4; // loads under way per thread

__device__ int warp_sum(int mine) {
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    return mine;
}

__global__ void __launch_bounds__(BLOCK) add_up(const int *in, int *total, int n) {
    const int4 *in4 = reinterpret_cast<const int4 *>(in);
    const int n4 = n / 4, step = BLOCK * gridDim.x, tid = blockIdx.x * BLOCK + threadIdx.x;
    int mine = 0, i = tid;
    for (; i + (FLIGHT - 1) * step < n4; i += FLIGHT * step) {
        int4 v[FLIGHT];
#pragma unroll
        for (int k = 0; k < FLIGHT; k++) v[k] = in4[i + k * step];
#pragma unroll
        for (int k = 0; k < FLIGHT; k++) mine += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    for (; i < n4; i += step) mine += in4[i].x + in4[i].y + in4[i].z + in4[i].w;
    if (n4 * 4 + tid < n) mine += in[n4 * 4 + tid]; // the last n % 4 elements
    mine = warp_sum(mine);
    if (threadIdx.x % 32 == 0) atomicAdd(total, mine);
}

void reduce(const int *in, int *total, int n) {
    cudaMemset(total, 0, sizeof *total);
    add_up<<<BLOCKS, BLOCK>>>(in, total, n);
}
