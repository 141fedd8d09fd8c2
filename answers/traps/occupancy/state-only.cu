// kind: slow
// expect: fail counter achieved_occupancy_pct
// expect: missed speedup
// expect: met correct
// The other half: the state is in registers, and each pair of warps still has a table of its own.
const int KINDS = 6144; // kinds of ground: 24 KB of tolls
const int BLOCK = 64; // threads

// How many rows each column's traveller gets down before the purse is empty. The thread must look up what a step costs before it can pay for it.
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
    int blocks = fit * processors; // as many blocks as are resident at the same time; each processes its share of the columns
    walk<<<blocks < needed ? blocks : needed, BLOCK>>>(map, toll, out, purse, rows, n);
}
