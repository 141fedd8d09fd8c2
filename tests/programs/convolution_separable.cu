// Rows, then columns, with halos in shared memory and the weights in constant memory.
#include "programs.cuh"
const int R = 4, W = 200, H = 120;
__constant__ float weight[2 * R + 1];
__global__ void rows(const float *in, float *out) {
    __shared__ float s[8][32 + 2 * R];
    int x0 = blockIdx.x * 32, y = blockIdx.y * 8 + threadIdx.y;
    for (int i = threadIdx.x; i < 32 + 2 * R; i += 32) {
        int x = x0 + i - R;
        s[threadIdx.y][i] = y < H && x >= 0 && x < W ? in[y * W + x] : 0;
    }
    __syncthreads();
    int x = x0 + threadIdx.x;
    if (x >= W || y >= H) return;
    float sum = 0;
    for (int k = -R; k <= R; k++) sum += weight[R + k] * s[threadIdx.y][threadIdx.x + R + k];
    out[y * W + x] = sum;
}
__global__ void columns(const float *in, float *out) {
    __shared__ float s[8 + 2 * R][33];
    int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 8;
    for (int i = threadIdx.y; i < 8 + 2 * R; i += 8) {
        int y = y0 + i - R;
        s[i][threadIdx.x] = x < W && y >= 0 && y < H ? in[y * W + x] : 0;
    }
    __syncthreads();
    int y = y0 + threadIdx.y;
    if (x >= W || y >= H) return;
    float sum = 0;
    for (int k = -R; k <= R; k++) sum += weight[R + k] * s[threadIdx.y + R + k][threadIdx.x];
    out[y * W + x] = sum;
}
int main() {
    auto a = floats(W * H, -1, 1), w = floats(2 * R + 1);
    CK(cudaMemcpyToSymbol(weight, w.data(), sizeof weight));
    float *between = device<float>(W * H), *out = device<float>(W * H);
    dim3 grid(blocks(W, 32), blocks(H, 8)), block(32, 8);
    rows<<<grid, block>>>(device(a), between);
    columns<<<grid, block>>>(between, out);
    std::vector<double> want(W * H);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int j = -R; j <= R; j++)
                for (int i = -R; i <= R; i++)
                    if (y + j >= 0 && y + j < H && x + i >= 0 && x + i < W)
                        want[y * W + x] += (double)w[R + j] * w[R + i] * a[(y + j) * W + x + i];
    near("filtered", host(out, W * H), want, 1e-5);
    return verdict();
}
