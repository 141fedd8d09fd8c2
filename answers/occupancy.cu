// occupancy, solved: the state of a thread is in registers, and 512 threads share a table: four blocks fill an H200's multiprocessor, two a T4's.
// zh: occupancy 的参考答案：线程的状态放在寄存器里，512 个线程共用一张表：四个块占满 H200 的多处理器，T4 则是两个。
const int KINDS = 6144; // kinds of ground: 24 KB of tolls
// zh: 地面的种类数：费用表占 24 KB
const int BLOCK = 512; // threads
// zh: 线程数

// How many rows each column's traveller gets down before the purse is empty. A step can only be paid when it is known what it costs.
// zh: 每一列的旅行者在钱包空掉之前能往下走多少行。知道了费用，才能付这一步。
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
    int blocks = fit * processors; // as many as are resident at once; each goes through its share of the columns
    // zh: 与同时驻留的块一样多；每个块处理自己那一份列
    walk<<<blocks < needed ? blocks : needed, BLOCK>>>(map, toll, out, purse, rows, n);
}
