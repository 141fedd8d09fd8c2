// kind: slow
// expect: fail counter achieved_occupancy_pct
// expect: met correct
// Half the way: more threads share a table, but each thread still takes 64 bytes of shared memory, so hardly more threads fit.
const int KINDS = 6144; // kinds of ground: 24 KB of tolls
const int BLOCK = 256; // threads

// Each thread's state on a cache line of its own, as on a CPU.
struct alignas(64) traveller { int row, spent; };

// How many rows each column's traveller gets down before the purse is empty. The thread must look up what a step costs before it can pay for it.
__global__ void walk(const short *map, const int *toll, int *out, int purse, int rows, int n) {
    __shared__ int tolls[KINDS];
    __shared__ traveller state[BLOCK];
    traveller &me = state[threadIdx.x];
    for (int k = threadIdx.x; k < KINDS; k += BLOCK) tolls[k] = toll[k];
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        me.row = me.spent = 0;
        while (me.row < rows) {
            me.spent += tolls[map[me.row * n + i]];
            if (me.spent > purse) break;
            me.row++;
        }
        out[i] = me.row;
    }
}

void occupancy(const short *map, const int *toll, int *out, int purse, int rows, int n) {
    int device, processors, fit, needed = (n + BLOCK - 1) / BLOCK;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, walk, BLOCK, 0);
    int blocks = fit * processors; // as many blocks as are resident at the same time; each processes its share of the columns
    walk<<<blocks < needed ? blocks : needed, BLOCK>>>(map, toll, out, purse, rows, n);
}
