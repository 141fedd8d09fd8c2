// lab: spill
// expect: fail counter
// expect: says all_load_bytes is
// The ring lies in shared memory, and its words of 16 bytes hold four columns.
const int BLOCK = 32, DELAY = 8;
__global__ void wide(const float *in, float *out, int rows, int cols) {
    __shared__ float4 past[DELAY][BLOCK];
    int c = 4 * (blockIdx.x * BLOCK + threadIdx.x);
    if (c >= cols) return;
    for (int k = 0; k < DELAY; k++) past[k][threadIdx.x] = make_float4(0, 0, 0, 0);
#pragma unroll 1
    for (int r = 0; r < rows; r++) {
        float4 a = *(const float4 *)(in + r * cols + c), b = past[r % DELAY][threadIdx.x];
        *(float4 *)(out + r * cols + c) = make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
        past[r % DELAY][threadIdx.x] = a;
    }
}
__global__ void narrow(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * BLOCK + threadIdx.x;
    for (int r = 0; c < cols && r < rows; r++) out[r * cols + c] = in[r * cols + c] - (r < DELAY ? 0 : in[(r - DELAY) * cols + c]);
}
void spill(const float *in, float *out, int rows, int cols) {
    if (cols % 4) narrow<<<(cols + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols);
    else wide<<<(cols / 4 + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, rows, cols);
}
