// occupancy, solved: each thread's state is in registers, and 512 threads share one table of tolls.
// Four such blocks fill a multiprocessor of an H200, and two fill one of a T4.
// zh: occupancy 的参考答案：线程的状态放在寄存器里，512 个线程共用一张费用表。四个这样的块占满 H200
// zh: 的一个多处理器，两个占满 T4 的一个多处理器。

// 6144 kinds of ground: 24 KB of tolls.
// zh: 6144 种地面，费用表占 24 KB。
const int KINDS = 6144;
const int BLOCK = 512;

// Computes how many rows each column's traveller gets down before the purse cannot pay for the next
// step. The thread must look up what a step costs before it can pay for it.
// zh: 计算每一列的旅行者往下能走多少行，直到余下的钱付不起下一步。
// zh: 查到一步的费用之后，线程才能付费。
__global__ void walk(const short *map, const int *toll, int *out, int purse, int rows, int n) {
    __shared__ int tolls[KINDS];
    for (int k = threadIdx.x; k < KINDS; k += BLOCK) tolls[k] = toll[k];
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        int row = 0, spent = 0;
        while (row < rows) {
            spent += tolls[map[row * n + i]];
            if (spent > purse) break;
            row++;
        }
        out[i] = row;
    }
}

void occupancy(const short *map, const int *toll, int *out, int purse, int rows, int n) {
    int device, processors, fit, needed = (n + BLOCK - 1) / BLOCK;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, walk, BLOCK, 0);
    // As many blocks as can be resident at the same time. Each processes its share of the columns.
    // zh: 块数等于能同时驻留的块数，每个块处理自己那份列。
    int blocks = fit * processors;
    walk<<<blocks < needed ? blocks : needed, BLOCK>>>(map, toll, out, purse, rows, n);
}
