// lab: occupancy
// expect: fail correct
// The tolls are ints and become bytes.
// Four such blocks fill a multiprocessor of an H200, and two fill one of a T4.

// 6144 kinds of ground: 24 KB of tolls.
const int KINDS = 6144;
const int BLOCK = 512;

// Computes how many rows each column's traveller gets down before the purse cannot pay for the next
// step. The thread must look up what a step costs before it can pay for it.
__global__ void walk(const short *map, const int *toll, int *out, int purse, int rows, int n) {
    __shared__ unsigned char tolls[KINDS];
    for (int k = threadIdx.x; k < KINDS; k += BLOCK) tolls[k] = (unsigned char)toll[k];
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
    int blocks = fit * processors;
    walk<<<blocks < needed ? blocks : needed, BLOCK>>>(map, toll, out, purse, rows, n);
}
