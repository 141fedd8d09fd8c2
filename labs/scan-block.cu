// scan-block: within each piece of 512 elements, out[i] is the sum of all
// elements of the piece up to and including in[i].
//
// This kernel takes log2(512) = 9 rounds. Each round has two barriers and up
// to 511 additions. A sequential scan needs only 511 additions in all.
// zh: 每 512 个元素为一段，out[i] 是所在段从段首到 in[i]（含）的总和。
// zh:
// zh: 这个核函数共 log2(512) = 9 轮，每轮有两次屏障和最多 511 次加法。
// zh: 顺序计算一共只要 511 次加法。

const int BLOCK = 512;

__global__ void scan(const int *in, int *out, int n) {
    __shared__ int a[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    a[t] = i < n ? in[i] : 0;
    // TODO: scan within each warp with shuffles (__shfl_up_sync). Then scan the
    // totals of the 16 warps. Then add to each warp all totals on its left.
    // zh: TODO：先在每个 warp 内用 shuffle（__shfl_up_sync）做前缀和，再对
    // zh: 16 个 warp 的总和做前缀和，最后给每个 warp 加上左边各 warp 的总和。
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
