// An image made larger by the texture unit's filter, whose weights have eight bits behind the point (CUDA C++ Programming Guide, "Linear Filtering").
#include "programs.cuh"
const int W = 40, H = 30, SCALE = 3;
__global__ void resize(cudaTextureObject_t t, float4 *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < W * SCALE) out[y * W * SCALE + x] = tex2D<float4>(t, (x + 0.5f) / (W * SCALE), (y + 0.5f) / (H * SCALE));
}
int main() {
    std::vector<uchar4> a(W * H);
    for (auto &p : a) p = make_uchar4(rnd(), rnd(), rnd(), rnd());
    auto format = cudaCreateChannelDesc<uchar4>();
    cudaArray_t in;
    CK(cudaMallocArray(&in, &format, W, H));
    CK(cudaMemcpy2DToArray(in, 0, 0, a.data(), 4 * W, 4 * W, H, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = in;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    d.filterMode = cudaFilterModeLinear, d.readMode = cudaReadModeNormalizedFloat, d.normalizedCoords = 1;
    cudaTextureObject_t tex;
    CK(cudaCreateTextureObject(&tex, &r, &d, nullptr));
    float4 *out = device<float4>(W * H * SCALE * SCALE);
    resize<<<dim3(blocks(W * SCALE, 64), H * SCALE), 64>>>(tex, out);
    auto got = host(out, W * H * SCALE * SCALE);
    std::vector<double> want, have;
    auto at = [&](int x, int y) { return a[std::min(std::max(y, 0), H - 1) * W + std::min(std::max(x, 0), W - 1)]; };
    for (int y = 0; y < H * SCALE; y++)
        for (int x = 0; x < W * SCALE; x++) {
            double fx = (x + 0.5) / SCALE - 0.5, fy = (y + 0.5) / SCALE - 0.5, wx = fx - floor(fx), wy = fy - floor(fy);
            int i = (int)floor(fx), j = (int)floor(fy);
            want.push_back(((at(i, j).y * (1 - wx) + at(i + 1, j).y * wx) * (1 - wy) + (at(i, j + 1).y * (1 - wx) + at(i + 1, j + 1).y * wx) * wy) / 255);
            have.push_back(got[y * W * SCALE + x].y);
        }
    near("green", have, want, 1.0 / 200); // two weights of eight bits
    return verdict();
}
