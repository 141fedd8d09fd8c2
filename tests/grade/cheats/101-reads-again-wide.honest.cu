// lab: spill
// expect: pass
// Four columns a thread, in words of 16 bytes, and the last eight rows in registers.
const int BLOCK = 32, DELAY = 8;
__global__ void wide(const float *in, float *out, int rows, int cols) {
    int c = 4 * (blockIdx.x * BLOCK + threadIdx.x);
    if (c >= cols) return;
    float4 past[DELAY] = {};
    for (int r0 = 0; r0 < rows; r0 += DELAY)
#pragma unroll
        for (int k = 0; k < DELAY; k++)
            if (r0 + k < rows) {
                float4 a = *(const float4 *)(in + (r0 + k) * cols + c), b = past[k];
                *(float4 *)(out + (r0 + k) * cols + c) = make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
                past[k] = a;
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
