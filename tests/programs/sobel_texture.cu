// An image as a texture over an array: clamped at its edges, gradients of eight neighbours, written to a surface.
#include "programs.cuh"
const int W = 150, H = 101;
__global__ void sobel(cudaTextureObject_t t, cudaSurfaceObject_t out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    auto at = [&](int i, int j) { return (int)tex2D<unsigned char>(t, x + i, y + j); };
    int h = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
    int v = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
    surf2Dwrite((unsigned char)min(255, abs(h) + abs(v)), out, x, y);
}
int main() {
    std::vector<unsigned char> a(W * H), got(W * H), want(W * H);
    for (int i = 0; i < W * H; i++) a[i] = (unsigned char)(i % W * 2 ^ i / W ^ (rnd() & 15));
    auto format = cudaCreateChannelDesc<unsigned char>();
    cudaArray_t in, out;
    CK(cudaMallocArray(&in, &format, W, H)), CK(cudaMallocArray(&out, &format, W, H, cudaArraySurfaceLoadStore));
    CK(cudaMemcpy2DToArray(in, 0, 0, a.data(), W, W, H, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {}, o = {};
    r.resType = o.resType = cudaResourceTypeArray, r.res.array.array = in, o.res.array.array = out;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t tex;
    cudaSurfaceObject_t surf;
    CK(cudaCreateTextureObject(&tex, &r, &d, nullptr)), CK(cudaCreateSurfaceObject(&surf, &o));
    sobel<<<dim3(blocks(W, 16), blocks(H, 16)), dim3(16, 16)>>>(tex, surf);
    CK(cudaMemcpy2DFromArray(got.data(), W, out, 0, 0, W, H, cudaMemcpyDeviceToHost));
    auto at = [&](int x, int y) { return (int)a[std::min(std::max(y, 0), H - 1) * W + std::min(std::max(x, 0), W - 1)]; };
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int h = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x - 1, y) - at(x - 1, y + 1);
            int v = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x, y - 1) - at(x + 1, y - 1);
            want[y * W + x] = (unsigned char)std::min(255, abs(h) + abs(v));
        }
    equal("edges", got, want);
    return verdict();
}
