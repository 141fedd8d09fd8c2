// lab: sync-cost
// expect: fail counter
// All 17 barriers are left, but each is a word of every warp that the others watch.
const int SIZE = 256, WARPS = 8;
__device__ void meet(volatile int *at, int w, int round) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        __threadfence_block();
        at[w] = round;
    }
    if (threadIdx.x % 32 < WARPS)
        while (at[threadIdx.x % 32] < round) {
        }
    __threadfence_block();
    __syncwarp();
}
__global__ void butterfly(const int *in, int *out, int n) {
    __shared__ int s[SIZE];
    __shared__ volatile int at[WARPS];
    int t = threadIdx.x, i = blockIdx.x * SIZE + t;
    if (t < WARPS) at[t] = 0;
    __syncthreads();
    int mine = i < n ? in[i] : 0, round = 0;
    s[t] = mine;
    meet(at, t / 32, ++round);
    for (int d = 1; d < SIZE; d *= 2) {
        int other = s[t ^ d];
        meet(at, t / 32, ++round);
        mine = t & d ? other - mine : mine + other;
        s[t] = mine;
        meet(at, t / 32, ++round);
    }
    if (i < n) out[i] = mine;
}
void sync_cost(const int *in, int *out, int n) {
    butterfly<<<(n + SIZE - 1) / SIZE, SIZE>>>(in, out, n);
}
