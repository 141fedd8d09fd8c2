// kind: ragged
// expect: fail correct
// Threads without a number of their own leave, and take the zeros of the last block with them.
const int SIZE = 256;

__global__ void butterfly(const int *in, int *out, int n) {
    __shared__ int s[2][SIZE];
    int t = threadIdx.x, i = blockIdx.x * SIZE + t;
    if (i >= n) return;
    int mine = in[i];
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_xor_sync(0xffffffff, mine, d);
        mine = t & d ? other - mine : mine + other;
    }
    for (int d = 32, to = 0; d < SIZE; d *= 2, to = 1 - to) {
        s[to][t] = mine;
        __syncthreads();
        int other = s[to][t ^ d];
        mine = t & d ? other - mine : mine + other;
    }
    if (i < n) out[i] = mine;
}

void sync_cost(const int *in, int *out, int n) {
    butterfly<<<(n + SIZE - 1) / SIZE, SIZE>>>(in, out, n);
}
