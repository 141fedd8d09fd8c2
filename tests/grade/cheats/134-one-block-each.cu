// lab: occupancy
// expect: fail counter
// expect: says achieved_occupancy_pct is 2
// Each multiprocessor gets one block: only the resources of the launch would allow more warps.
const int KINDS = 6144, BLOCK = 512;
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
    int blocks = processors;
    walk<<<blocks < needed ? blocks : needed, BLOCK>>>(map, toll, out, purse, rows, n);
}
