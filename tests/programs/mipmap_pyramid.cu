// An image and its pyramid in one mipmapped array: each level is averaged from the one above by a kernel that writes its surface, then read at any
// size between levels.
#include "programs.cuh"
const int SIZE = 64, LEVELS = 7;
__global__ void halve(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float sum = 0;
    for (int i = 0; i < 4; i++) sum += surf2Dread<float>(from, (2 * x + i % 2) * 4, 2 * y + i / 2);
    surf2Dwrite(sum / 4, to, x * 4, y);
}
// n x n samples at their middles, of the level whose texels are as large as the samples
__global__ void sample(cudaTextureObject_t t, float *out, int n, float level) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[y * n + x] = tex2DLod<float>(t, (x + 0.5f) / n, (y + 0.5f) / n, level);
}
int main() {
    std::vector<std::vector<float>> want{floats(SIZE * SIZE)};
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t m;
    cudaSurfaceObject_t s[LEVELS];
    CK(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(SIZE, SIZE, 0), LEVELS, cudaArraySurfaceLoadStore));
    for (int k = 0; k < LEVELS; k++) {
        cudaResourceDesc r = {};
        r.resType = cudaResourceTypeArray;
        CK(cudaGetMipmappedArrayLevel(&r.res.array.array, m, k)), CK(cudaCreateSurfaceObject(&s[k], &r));
        if (k == 0) CK(cudaMemcpy2DToArray(r.res.array.array, 0, 0, want[0].data(), SIZE * 4, SIZE * 4, SIZE, cudaMemcpyHostToDevice));
    }
    dim3 block(8, 8);
    for (int k = 1; k < LEVELS; k++) {
        int n = SIZE >> k;
        halve<<<dim3((n + 7) / 8, (n + 7) / 8), block>>>(s[k - 1], s[k], n);
        std::vector<float> level(n * n);
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                float sum = 0;
                for (int i = 0; i < 4; i++) sum += want[k - 1][(2 * y + i / 2) * 2 * n + 2 * x + i % 2];
                level[y * n + x] = sum / 4;
            }
        want.push_back(level);
    }
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = m;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp, d.normalizedCoords = 1;
    d.mipmapFilterMode = cudaFilterModeLinear, d.maxMipmapLevelClamp = LEVELS - 1;
    cudaTextureObject_t t;
    CK(cudaCreateTextureObject(&t, &r, &d, NULL));
    float *out = device<float>(SIZE * SIZE);
    for (int k = 0; k < LEVELS; k++) {
        int n = SIZE >> k;
        sample<<<dim3((n + 7) / 8, (n + 7) / 8), block>>>(t, out, n, (float)k);
        near("a level", host(out, n * n), want[k], 1e-6);
    }
    // half-way between two levels: their mean, at places that are in the middle of no texel's edge
    sample<<<dim3(4, 4), block>>>(t, out, 32, 1.5f);
    std::vector<float> mean(32 * 32);
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++) mean[y * 32 + x] = (want[1][y * 32 + x] + want[2][y / 2 * 16 + x / 2]) / 2;
    near("between two levels", host(out, 32 * 32), mean, 1e-5);
    for (int k = 0; k < LEVELS; k++) CK(cudaDestroySurfaceObject(s[k]));
    CK(cudaDestroyTextureObject(t)), CK(cudaFreeMipmappedArray(m));
    return verdict();
}
