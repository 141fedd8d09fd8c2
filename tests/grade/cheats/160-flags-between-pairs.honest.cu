// lab: sync-cost
// expect: pass
// Only in the three rounds that need another warp, a warp waits: for the flag of the warp with which it exchanges.
const int SIZE = 256, WARPS = 8;
__global__ void butterfly(const int *in, int *out, int n) {
    __shared__ int s[3][SIZE];
    __shared__ volatile int at[WARPS];
    int t = threadIdx.x, i = blockIdx.x * SIZE + t, w = t / 32;
    if (t < WARPS) at[t] = 0;
    __syncthreads();
    int mine = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_xor_sync(0xffffffff, mine, d);
        mine = t & d ? other - mine : mine + other;
    }
    for (int k = 0; k < 3; k++) {
        s[k][t] = mine;
        __syncwarp();
        if (t % 32 == 0) {
            __threadfence_block();
            at[w] = k + 1;
            while (at[w ^ 1 << k] <= k) {
            }
            __threadfence_block();
        }
        __syncwarp();
        int other = s[k][t ^ 32 << k];
        mine = t & 32 << k ? other - mine : mine + other;
    }
    if (i < n) out[i] = mine;
}
void sync_cost(const int *in, int *out, int n) {
    butterfly<<<(n + SIZE - 1) / SIZE, SIZE>>>(in, out, n);
}
