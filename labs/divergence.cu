// divergence: each element is changed `steps` times. Elements with an even
// index take one path, elements with an odd index take the other.
//
// Every warp has elements of both kinds, so every warp executes both paths.
// zh: 每个元素更新 steps 次：下标为偶数的元素走一条路，为奇数的走另一条路。
// zh:
// zh: 每个 warp 里两种元素都有，所以每个 warp 都要执行两条路。

const int BLOCK = 256;

__global__ void iterate(const float *in, float *out, int steps, int n) {
    // TODO: choose the element of each thread so that all lanes of a warp take
    // the same path. The result of every element stays the same.
    // zh: TODO：重新选择每个线程处理的元素，使同一个 warp 的 lane 都走同一条路。
    // zh: 每个元素的结果不变。
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float v = in[i];
    if (i % 2 == 0) {
        for (int k = 0; k < steps; k++) v = fabsf(v * 1.03f - 0.5f);
    } else {
        for (int k = 0; k < steps; k++) v = fabsf(v * 1.02f - 0.25f);
    }
    out[i] = v;
}

void divergence(const float *in, float *out, int steps, int n) {
    iterate<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, steps, n);
}
