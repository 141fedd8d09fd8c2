// lab: spill
// expect: fail counter
// expect: says all_load_bytes is
// Each element is read again from global memory, with loads of 16 bytes, so that the requests are few.
const int BLOCK = 32, DELAY = 8;
__device__ float4 load(const float *in, int at) {
    const volatile float *p = in + at;
    float4 v;
    asm volatile("ld.volatile.global.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
    return v;
}
__global__ void wide(const float *in, float *out, int rows, int cols) {
    int c = 4 * (blockIdx.x * BLOCK + threadIdx.x);
    if (c >= cols) return;
    for (int r = 0; r < rows; r++) {
        float4 a = load(in, r * cols + c), b = r < DELAY ? make_float4(0, 0, 0, 0) : load(in, (r - DELAY) * cols + c);
        *(float4 *)(out + r * cols + c) = make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
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
