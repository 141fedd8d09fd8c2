// The baseline of sync-cost: two block barriers in each of eight rounds, and one before.

const int SIZE = 256;

__global__ void butterfly(const int *in, int *out, int n) {
    __shared__ int s[SIZE];
    int t = threadIdx.x, i = blockIdx.x * SIZE + t;
    int mine = i < n ? in[i] : 0;
    s[t] = mine;
    __syncthreads();
    for (int d = 1; d < SIZE; d *= 2) {
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
