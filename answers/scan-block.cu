// scan-block, solved: shuffles within the warps, then one scan of the warps' totals. Two barriers in all.
// zh: scan-block 的参考答案：warp 内用 shuffle，再对各 warp 的总和做一次前缀和，一共两次屏障。
const int BLOCK = 512;

// The prefix sum over the lanes of a warp: each lane gets the sum of the lanes up to and including itself.
// zh: 一个 warp 内的前缀和：每个 lane 得到从 lane 0 到自己（含）的总和。
__device__ int warp_scan(int v) {
    int lane = threadIdx.x % 32;
    for (int s = 1; s < 32; s *= 2) {
        int left = __shfl_up_sync(0xffffffff, v, s);
        if (lane >= s) v += left;
    }
    return v;
}

__global__ void scan(const int *in, int *out, int n) {
    __shared__ int total[BLOCK / 32]; // one per warp
    // zh: 每个 warp 一个总和
    int t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * BLOCK + t;
    int v = warp_scan(i < n ? in[i] : 0);
    if (lane == 31) total[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int sum = warp_scan(lane < BLOCK / 32 ? total[lane] : 0); // all 32 lanes take part: the shuffles' mask names them
        // zh: 32 个 lane 都参加，因为 shuffle 的掩码包含这 32 个 lane
        if (lane < BLOCK / 32) total[lane] = sum;
    }
    __syncthreads();
    if (warp > 0) v += total[warp - 1];
    if (i < n) out[i] = v;
}

void scan_block(const int *in, int *out, int n) { scan<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
