// lab: sync-cost
// expect: pass
// Each pair of warps has a barrier of its own.
const int SIZE = 256;
__global__ void butterfly(const int *in, int *out, int n) {
    __shared__ int s[2][SIZE];
    int t = threadIdx.x, i = blockIdx.x * SIZE + t, mine = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) { int other = __shfl_xor_sync(~0u, mine, d); mine = t & d ? other - mine : mine + other; }
    for (int d = 32, to = 0; d < SIZE; d *= 2, to = 1 - to) {
        s[to][t] = mine;
        if (d == 32) asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory"); else __syncthreads();
        int other = s[to][t ^ d];
        mine = t & d ? other - mine : mine + other;
    }
    if (i < n) out[i] = mine;
}
void sync_cost(const int *in, int *out, int n) { butterfly<<<(n + SIZE - 1) / SIZE, SIZE>>>(in, out, n); }
