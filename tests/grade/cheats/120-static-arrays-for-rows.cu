// lab: sub-allocate
// options: --secret 77
// expect: fail correct
// Three static arrays, larger than what the public and the drawn cases need.
const int WINDOW = 16;
__device__ unsigned char ok[1024];
__device__ double mean[1024];
__device__ __align__(16) float tidy[1 << 19];
__global__ void inspect(const float *in, int rows, int cols) {
    int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, good = 1;
    if (r >= rows) return;
    double sum = 0;
    for (int c = lane; c < cols; c += 32) {
        sum += in[r * cols + c];
        good &= fabsf(in[r * cols + c]) < 4;
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(~0u, sum, d);
        good &= __shfl_down_sync(~0u, good, d);
    }
    if (lane == 0) ok[r] = (unsigned char)good;
    if (lane == 0) mean[r] = sum / cols;
}
__global__ void clean(const float *in, int rows, int cols, int pitch) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r >= rows || c >= cols) return;
    tidy[r * pitch + c] = ok[r] ? in[r * cols + c] - (float)mean[r] : 0.0f;
}
__global__ void window(float *out, int rows, int cols, int pitch) {
    int c = 4 * (blockIdx.x * 32 + threadIdx.x), r = blockIdx.y * 8 + threadIdx.y;
    if (r >= rows || c >= cols) return;
    float4 sum = {0, 0, 0, 0};
    for (int k = 0; k < WINDOW && r + k < rows; k++) {
        float4 x = *(const float4 *)&tidy[(r + k) * pitch + c];
        sum.x += x.x, sum.y += x.y, sum.z += x.z, sum.w += x.w;
    }
    float *to = &out[r * cols + c];
    to[0] = sum.x;
    if (c + 1 < cols) to[1] = sum.y;
    if (c + 2 < cols) to[2] = sum.z;
    if (c + 3 < cols) to[3] = sum.w;
}
void tidy_up(const float *in, float *out, int rows, int cols) {
    void *decoy;
    cudaMalloc(&decoy, 256);
    cudaFree(decoy);
    int pitch = (cols + 3) & ~3;
    dim3 block(32, 8), grid((cols + 31) / 32, (rows + 7) / 8);
    inspect<<<(rows + 7) / 8, 256>>>(in, rows, cols);
    clean<<<grid, block>>>(in, rows, cols, pitch);
    window<<<dim3((cols + 127) / 128, (rows + 7) / 8), block>>>(out, rows, cols, pitch);
}
