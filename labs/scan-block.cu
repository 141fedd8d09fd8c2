// scan-block: within each piece of 512 elements, out[i] is the sum of all
// elements of the piece up to and including in[i].
//
// log2(512) = 9 rounds, each with two barriers and with nearly 512 additions,
// where 511 would do in all.
// zh: 每 512 个元素为一段，在段内 out[i] 是从段首到 in[i]（含）的和。
// zh:
// zh: 共 log2(512) = 9 轮，每轮两次屏障、近 512 次加法；
// zh: 其实总共 511 次加法就够了。

const int BLOCK = 512;

__global__ void scan(const int *in, int *out, int n) {
    __shared__ int a[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    a[t] = i < n ? in[i] : 0;
    // TODO: scan within each warp by shuffles (__shfl_up_sync), then scan the
    // 16 totals of the warps, then add to each warp what lies to its left.
    // zh: TODO：先在每个 warp 内用洗牌（__shfl_up_sync）做前缀和，
    // zh: 再对 16 个 warp 的总和做前缀和，最后给每个 warp 加上它左边的总和。
    for (int s = 1; s < BLOCK; s *= 2) {
        __syncthreads();
        int left = t >= s ? a[t - s] : 0;
        __syncthreads();
        a[t] += left;
    }
    if (i < n) out[i] = a[t];
}

void scan_block(const int *in, int *out, int n) {
    scan<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
}
