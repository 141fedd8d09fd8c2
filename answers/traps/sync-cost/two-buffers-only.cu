// kind: slow
// expect: fail counter block_barriers
// expect: met correct
// Half of the technique: one barrier a round, but in all eight rounds.
const int SIZE = 256;

__global__ void butterfly(const int *in, int *out, int n) {
    __shared__ int s[2][SIZE];
    int t = threadIdx.x, i = blockIdx.x * SIZE + t;
    int mine = i < n ? in[i] : 0;
    for (int d = 1, to = 0; d < SIZE; d *= 2, to = 1 - to) {
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
