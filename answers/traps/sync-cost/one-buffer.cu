// kind: unsafe
// expect: fail correct
// expect: finding race
// One barrier a round with a single buffer: a fast warp overwrites what a slow one has yet to read.
const int SIZE = 256;

__global__ void butterfly(const int *in, int *out, int n) {
    __shared__ int s[SIZE];
    int t = threadIdx.x, i = blockIdx.x * SIZE + t;
    int mine = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_xor_sync(0xffffffff, mine, d);
        mine = t & d ? other - mine : mine + other;
    }
    for (int d = 32, to = 0; d < SIZE; d *= 2, to = 1 - to) {
        s[t] = mine;
        __syncthreads();
        int other = s[t ^ d];
        mine = t & d ? other - mine : mine + other;
    }
    if (i < n) out[i] = mine;
}

void sync_cost(const int *in, int *out, int n) {
    butterfly<<<(n + SIZE - 1) / SIZE, SIZE>>>(in, out, n);
}
