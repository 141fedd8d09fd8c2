// sync-cost: a butterfly (the Walsh-Hadamard transform) over each block
// of 256 numbers.
// zh: sync-cost：对每 256 个数做一次蝶形变换（Walsh-Hadamard 变换）。
//
// In the round with distance d, thread t combines its number with that of
// thread t ^ d.
// zh: 距离为 d 的一轮里，线程 t 把自己的数与线程 t ^ d 的数合并。
//
// Somebody has put a barrier wherever one might be needed. The result is right.
// zh: 有人在每个可能需要屏障的地方都放了一个。结果是对的。

const int SIZE = 256;

__global__ void butterfly(const int *in, int *out, int n) {
    __shared__ int s[SIZE];
    int t = threadIdx.x, i = blockIdx.x * SIZE + t;
    int mine = i < n ? in[i] : 0;
    s[t] = mine;
    __syncthreads();
    for (int d = 1; d < SIZE; d *= 2) {
        // TODO: 17 barriers in all. Which pairs t, t ^ d lie in one warp? And
        // what is the second
        // zh: TODO：一共 17 个屏障。哪些 t 与 t ^ d 在同一个 warp 里？
        // zh: 每轮的第二个屏障
        // barrier of a round good for, if the next round writes somewhere else?
        // zh: 又有什么用，如果下一轮写到别的地方？
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
