// divergence, solved: the work is the same, but each warp has elements of one kind only.
// zh: divergence 的参考答案：工作没有变，但每个 warp 里只有一种元素。
const int BLOCK = 256;

__global__ void iterate(const float *in, float *out, int steps, int n) {
    // The block still works on 256 elements. Its first four warps take the elements with an even index, and the other four take those with an odd index.
    // zh: 块仍然处理 256 个元素：前四个 warp 取下标为偶数的元素，后四个取下标为奇数的元素。
    int t = threadIdx.x, odd = t / (BLOCK / 2), i = blockIdx.x * BLOCK + 2 * (t % (BLOCK / 2)) + odd;
    if (i >= n) return;
    float v = in[i];
    if (odd == 0) { // the condition has the same value in all lanes of a warp
    // zh: 这个条件在同一个 warp 的所有 lane 里结果都相同
        for (int k = 0; k < steps; k++) v = fabsf(v * 1.03f - 0.5f);
    } else {
        for (int k = 0; k < steps; k++) v = fabsf(v * 1.02f - 0.25f);
    }
    out[i] = v;
}

void divergence(const float *in, float *out, int steps, int n) {
    iterate<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
