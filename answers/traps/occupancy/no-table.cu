// kind: slow
// expect: fail counter global_load_sectors
// expect: met counter achieved_occupancy_pct
// expect: met correct
// Every warp fits, because the table is gone: now every step fetches its toll from global memory, 32 sectors at a time.
const int BLOCK = 512; // threads

// How many rows each column's traveller gets down before the purse is empty. The thread must look up what a step costs before it can pay for it.
__global__ void walk(const short *map, const int *toll, int *out, int purse, int rows, int n) {
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        int row = 0, spent = 0;
        while (row < rows) {
            spent += toll[map[row * n + i]];
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
