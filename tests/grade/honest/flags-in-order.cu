// reduce-6-cascade: correct alone: sums handed from block to block and from warp to warp by flags, in seven ways that order them
#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;
const int WAYS = 7, BLOCKS = 40, BLOCK = 128;

__device__ volatile int left[WAYS][BLOCKS];                 // volatile words, each with ...
__device__ volatile int ready[WAYS][BLOCKS];                // ... a volatile flag
__device__ volatile unsigned long long packed[BLOCKS];      // a flag and a sum in one word
__device__ unsigned taken, came;                            // tickets
__device__ int lock;
__device__ int guarded;

// The sum of the block's part of a seventh of the numbers, in every thread. The warps hand their sums over by volatile flags.
__device__ int part_of(const int *in, int n, int way) {
    __shared__ volatile int sum[BLOCK / 32], there[BLOCK / 32];
    int mine = 0, warp = threadIdx.x / 32, round = way + 1;
    if (threadIdx.x < BLOCK / 32) there[threadIdx.x] = 0;
    __syncthreads();
    for (int i = (blockIdx.x * BLOCK + threadIdx.x) * WAYS + way; i < n; i += BLOCKS * BLOCK * WAYS) mine += in[i];
    for (int s = 16; s; s /= 2) mine += __shfl_xor_sync(0xffffffff, mine, s);
    if (threadIdx.x % 32 == 0) {
        sum[warp] = mine;
        __threadfence_block();
        there[warp] = round;
    }
    int all = 0;
    for (int w = 0; w < BLOCK / 32; w++) {
        while (there[w] != round) {}
        __threadfence_block();
        all += sum[w];
    }
    __syncthreads();
    return all;
}

// Each block waits for the one before it and passes the sum on.
__global__ void fences(const int *in, int *total, int n) {
    int mine = part_of(in, n, 0), b = blockIdx.x;
    if (threadIdx.x) return;
    if (b) {
        while (!ready[0][b - 1]) {}
        __threadfence();
        mine += left[0][b - 1];
        ready[0][b - 1] = 0;
    }
    if (b == BLOCKS - 1) atomicAdd(total, mine);
    else {
        left[0][b] = mine;
        __threadfence();
        ready[0][b] = 1;
    }
}
__global__ void one_word(const int *in, int *total, int n) {
    int mine = part_of(in, n, 1), b = blockIdx.x;
    if (threadIdx.x) return;
    if (b) {
        unsigned long long before;
        while (!((before = packed[b - 1]) >> 32)) {}
        mine += (int)before;
        packed[b - 1] = 0;
    }
    if (b == BLOCKS - 1) atomicAdd(total, mine);
    else packed[b] = 1ull << 32 | (unsigned)mine;
}
__global__ void releases(const int *in, int *total, int n) {
    int mine = part_of(in, n, 2), b = blockIdx.x;
    if (threadIdx.x) return;
    if (b) {
        cuda::atomic_ref<int, cuda::thread_scope_device> flag((int &)ready[2][b - 1]);
        while (!flag.load(cuda::memory_order_acquire)) {}
        mine += left[2][b - 1];
        flag.store(0, cuda::memory_order_relaxed);
    }
    if (b == BLOCKS - 1) atomicAdd(total, mine);
    else {
        cuda::atomic_ref<int, cuda::thread_scope_device> sum((int &)left[2][b]), flag((int &)ready[2][b]);
        sum.store(mine, cuda::memory_order_relaxed);
        flag.store(1, cuda::memory_order_release);
    }
}
// As the CUDA C++ Programming Guide has it under "Memory Fence Functions".
__global__ void last_block(const int *in, int *total, int n) {
    __shared__ bool last;
    int mine = part_of(in, n, 3);
    if (threadIdx.x == 0) {
        left[3][blockIdx.x] = mine;
        __threadfence();
        last = atomicInc(&came, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (int b = 0; b < BLOCKS; b++) atomicAdd(total, left[3][b]);
}
__global__ void whole_grid(const int *in, int *total, int n) {
    int mine = part_of(in, n, 4);
    if (threadIdx.x == 0) left[4][blockIdx.x] = mine;
    cg::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x < BLOCKS) atomicAdd(total, left[4][threadIdx.x]);
}
__global__ void spin_lock(const int *in, int *total, int n) {
    int mine = part_of(in, n, 5);
    if (threadIdx.x) return;
    while (atomicCAS(&lock, 0, 1)) {}
    __threadfence();
    *(volatile int *)&guarded += mine;
    if (++taken == BLOCKS) {
        atomicAdd(total, *(volatile int *)&guarded);
        guarded = 0, taken = 0;
    }
    __threadfence();
    *(volatile int *)&lock = 0;
}
// What the other threads of the block have stored: a barrier, and then one thread's fence.
__global__ void for_the_block(const int *in, int *total, int n) {
    __shared__ bool last;
    int mine = part_of(in, n, 6);
    if (threadIdx.x == BLOCK - 1) left[6][blockIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(&came, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x < BLOCKS) atomicAdd(total, left[6][threadIdx.x]);
}

void reduce(const int *in, int *total, int n) {
    cudaMemsetAsync(total, 0, sizeof(int));
    fences<<<BLOCKS, BLOCK>>>(in, total, n);
    one_word<<<BLOCKS, BLOCK>>>(in, total, n);
    releases<<<BLOCKS, BLOCK>>>(in, total, n);
    last_block<<<BLOCKS, BLOCK>>>(in, total, n);
    void *all[] = {&in, &total, &n};
    cudaLaunchCooperativeKernel((void *)whole_grid, BLOCKS, BLOCK, all);
    spin_lock<<<BLOCKS, BLOCK>>>(in, total, n);
    for_the_block<<<BLOCKS, BLOCK>>>(in, total, n);
}
