// sync-cost, solved: five rounds shuffle within a warp, and three alternate between two buffers.
// zh: sync-cost 的参考答案：五轮在 warp 内用 shuffle，另外三轮交替使用两个缓冲区。
const int SIZE = 256;

__global__ void butterfly(const int *in, int *out, int n) {
    __shared__ int s[2][SIZE];
    int t = threadIdx.x, i = blockIdx.x * SIZE + t;
    int mine = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_xor_sync(0xffffffff, mine, d);
        mine = t & d ? other - mine : mine + other;
    }
    for (int d = 32, to = 0; d < SIZE; d *= 2, to = 1 - to) {
        s[to][t] = mine;
        __syncthreads();
        // No thread writes s[to] again until all threads have arrived at the next round's barrier.
        // zh: 在所有线程到达下一轮的屏障之前，没有线程会再写 s[to]。
        int other = s[to][t ^ d];
        mine = t & d ? other - mine : mine + other;
    }
    if (i < n) out[i] = mine;
}

void sync_cost(const int *in, int *out, int n) {
    butterfly<<<(n + SIZE - 1) / SIZE, SIZE>>>(in, out, n);
}
