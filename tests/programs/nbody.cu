// All pairs of bodies, a tile of them at a time in shared memory; reciprocal square roots.
#include "programs.cuh"
__global__ void forces(const float4 *body, float4 *force, int n) {
    __shared__ float4 tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float4 me = i < n ? body[i] : make_float4(0, 0, 0, 0);
    float3 f = {0, 0, 0};
    for (int from = 0; from < n; from += 64) {
        tile[threadIdx.x] = from + threadIdx.x < n ? body[from + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 64; k++) {
            float4 b = tile[k];
            float x = b.x - me.x, y = b.y - me.y, z = b.z - me.z, r = rsqrtf(x * x + y * y + z * z + 0.01f), w = b.w * r * r * r;
            f.x += w * x, f.y += w * y, f.z += w * z;
        }
        __syncthreads();
    }
    if (i < n) force[i] = make_float4(f.x, f.y, f.z, 0);
}
int main() {
    const int n = 500;
    std::vector<float4> b(n);
    for (auto &x : b) x = make_float4(rndf(-1, 1), rndf(-1, 1), rndf(-1, 1), rndf());
    float4 *f = device<float4>(n);
    forces<<<blocks(n, 64), 64>>>(device(b), f, n);
    std::vector<double> want(3 * n);
    std::vector<float> got(3 * n);
    auto h = host(f, n);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            double x = b[k].x - b[i].x, y = b[k].y - b[i].y, z = b[k].z - b[i].z, r = 1 / sqrt(x * x + y * y + z * z + 0.01), w = b[k].w * r * r * r;
            want[3 * i] += w * x, want[3 * i + 1] += w * y, want[3 * i + 2] += w * z;
        }
        got[3 * i] = h[i].x, got[3 * i + 1] = h[i].y, got[3 * i + 2] = h[i].z;
    }
    near("forces", got, want, 1e-3);
    return verdict();
}
