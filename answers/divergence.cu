// divergence, solved: the same work, dealt out so that a warp holds elements of one kind only.
// zh: divergence 的参考答案：同样的工作，重新分配，让每个 warp 里只有一种元素。
const int BLOCK = 256;

__global__ void iterate(const float *in, float *out, int steps, int n) {
    // The block owns 256 elements, as before. Its first four warps take the even ones, the others the odd ones.
    // zh: 块仍负责 256 个元素：前四个 warp 取下标为偶数的，其余取奇数的。
    int t = threadIdx.x, odd = t / (BLOCK / 2), i = blockIdx.x * BLOCK + 2 * (t % (BLOCK / 2)) + odd;
    if (i >= n) return;
    float v = in[i];
    if (odd == 0) { // the same for all lanes of a warp
    // zh: 同一个 warp 的所有 lane 都相同
        for (int k = 0; k < steps; k++) v = v * 0.75f + 0.5f;
    } else {
        for (int k = 0; k < steps; k++) v = v * 0.5f - 0.25f;
    }
    out[i] = v;
}

void divergence(const float *in, float *out, int steps, int n) {
    iterate<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
