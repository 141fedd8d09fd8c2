const int SIZE = 256;

__global__ void butterfly(const int *in, int *out, int n) {
    __shared__ int s[2][SIZE];
    int t = threadIdx.x, i = blockIdx.x * SIZE + t;
    int mine = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_xor_sync(0xffffffff, mine, d);
        mine = t & d ? other - mine : mine + other;
    }
    int copy = 0;
    for (int d = 32; d < SIZE; d *= 2) {
        s[copy][t] = mine;
        __syncthreads();
        int other = s[copy][t ^ d];
        mine = t & d ? other - mine : mine + other;
        copy ^= 1;
    }
    if (i < n) out[i] = mine;
}

void sync_cost(const int *in, int *out, int n) {
    butterfly<<<(n + SIZE - 1) / SIZE, SIZE>>>(in, out, n);
}
