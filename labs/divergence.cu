// divergence: elements with an even index take one path, those with an odd
// index the other, `steps` times each.
//
// Every warp holds both kinds, so every warp walks both paths.
// zh: 下标为偶数的元素走一条路，为奇数的走另一条，各走 steps 步。
// zh:
// zh: 每个 warp 里两种元素都有，所以每个 warp 都得把两条路走一遍。

const int BLOCK = 256;

__global__ void iterate(const float *in, float *out, int steps, int n) {
    // TODO: let each thread pick its element in such a way that all lanes of a
    // warp take the same path. Every element keeps its own result.
    // zh: TODO：让线程换一种方式挑选元素，使一个 warp 的所有 lane 走同一条路。
    // zh: 每个元素的结果不变。
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float v = in[i];
    if (i % 2 == 0) {
        for (int k = 0; k < steps; k++) v = v * 0.75f + 0.5f;
    } else {
        for (int k = 0; k < steps; k++) v = v * 0.5f - 0.25f;
    }
    out[i] = v;
}

void divergence(const float *in, float *out, int steps, int n) {
    iterate<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
