// kind: cheat
// expect: fail counter launches
// expect: met correct
// expect: met counter block_barriers
// Cheats on the counter: ends the kernel where a barrier would stand, and goes on in another launch.
const int SIZE = 256, MOST = 1 << 21;
__device__ int buffer[2][MOST];

__global__ void within_warps(const int *in, int n) {
    int i = blockIdx.x * SIZE + threadIdx.x;
    int mine = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_xor_sync(0xffffffff, mine, d);
        mine = i & d ? other - mine : mine + other;
    }
    buffer[0][i] = mine;
}

__global__ void one_round(int *out, int from, int d, int n) {
    int i = blockIdx.x * SIZE + threadIdx.x;
    int mine = buffer[from][i], other = buffer[from][i ^ d];
    mine = i & d ? other - mine : mine + other;
    buffer[1 - from][i] = mine;
    if (i < n) out[i] = mine;
}

void sync_cost(const int *in, int *out, int n) {
    int blocks = (n + SIZE - 1) / SIZE;
    within_warps<<<blocks, SIZE>>>(in, n);
    one_round<<<blocks, SIZE>>>(out, 0, 32, n);
    one_round<<<blocks, SIZE>>>(out, 1, 64, n);
    one_round<<<blocks, SIZE>>>(out, 0, 128, n);
}
