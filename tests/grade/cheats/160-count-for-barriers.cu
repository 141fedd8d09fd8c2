// lab: sync-cost
// expect: fail counter
// All 17 barriers are left, but the warps count themselves, watch the count and doze.
const int SIZE = 256, WARPS = 8;
__device__ void meet(int *come, int all) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        __threadfence_block();
        atomicAdd(come, 1);
        while (atomicAdd(come, 0) < all) __nanosleep(20);
        __threadfence_block();
    }
    __syncwarp();
}
__global__ void butterfly(const int *in, int *out, int n) {
    __shared__ int s[SIZE], come;
    int t = threadIdx.x, i = blockIdx.x * SIZE + t;
    if (t == 0) come = 0;
    __syncthreads();
    int mine = i < n ? in[i] : 0, met = 0;
    s[t] = mine;
    meet(&come, WARPS * ++met);
    for (int d = 1; d < SIZE; d *= 2) {
        int other = s[t ^ d];
        meet(&come, WARPS * ++met);
        mine = t & d ? other - mine : mine + other;
        s[t] = mine;
        meet(&come, WARPS * ++met);
    }
    if (i < n) out[i] = mine;
}
void sync_cost(const int *in, int *out, int n) {
    butterfly<<<(n + SIZE - 1) / SIZE, SIZE>>>(in, out, n);
}
