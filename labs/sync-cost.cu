// sync-cost: computes a butterfly (the Walsh-Hadamard transform) of every 256
// numbers.
// zh: sync-cost：对每 256 个数做一次蝶形变换（Walsh-Hadamard 变换）。
//
// In the round with distance d, thread t computes the sum or the difference of
// its own number and that of thread t ^ d.
// zh: 距离为 d 的一轮里，线程 t 把自己的数与线程 t ^ d 的数相加或相减。
//
// The result is right, but the kernel has more barriers than it needs.
// zh: 结果是对的，但屏障比需要的多。

const int SIZE = 256;

__global__ void butterfly(const int *in, int *out, int n) {
    __shared__ int s[SIZE];
    int t = threadIdx.x, i = blockIdx.x * SIZE + t;
    int mine = i < n ? in[i] : 0;
    s[t] = mine;
    __syncthreads();
    for (int d = 1; d < SIZE; d *= 2) {
        // TODO: remove barriers; there are 17 in all. For which d are t and
        // t ^ d in the same warp?
        // zh: TODO：去掉多余的屏障，现在一共 17 个。d 是多少时，
        // zh: t 与 t ^ d 在同一个 warp 里？
        // Which barrier is needed only because all rounds use the same array?
        // zh: 哪个屏障只因为各轮用同一个数组才需要？
        int other = s[t ^ d];
        __syncthreads();
        mine = t & d ? other - mine : mine + other;
        s[t] = mine;
        __syncthreads();
    }
    if (i < n) out[i] = mine;
}

void sync_cost(const int *in, int *out, int n) {
    butterfly<<<(n + SIZE - 1) / SIZE, SIZE>>>(in, out, n);
}
