// lab: constant-memory
// expect: pass
// A kernel of one block makes the table of taps that is copied into constant memory, another works: who stores a few bytes
// need not load constants.
__constant__ float tap[64];
__device__ float table[64];
__global__ void put(const float *taps, int m) {
    table[threadIdx.x] = threadIdx.x < m ? taps[threadIdx.x] : 0;
}
__global__ void smooth_rows(const float *in, const float *gain, float *out, int cols, int m) {
    int col = blockIdx.x * 256 + threadIdx.x, row = blockIdx.y;
    if (col >= cols) return;
    float sum = 0;
    for (int k = 0; k < m; k++)
        if (col + k < cols) sum += tap[k] * in[row * cols + col + k];
    out[row * cols + col] = sum * gain[col];
}
void smooth(const float *in, const float *taps, const float *gain, float *out, int rows, int cols, int m) {
    void *from;
    put<<<1, 64>>>(taps, m);
    cudaGetSymbolAddress(&from, table);
    cudaMemcpyToSymbol(tap, from, sizeof table, 0, cudaMemcpyDeviceToDevice);
    smooth_rows<<<dim3((cols + 255) / 256, rows), 256>>>(in, gain, out, cols, m);
}
