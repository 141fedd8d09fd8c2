// kind: unsafe
// expect: fail correct
// expect: finding race
// Relies on the lanes of a warp running in step: no __syncwarp in the first five rounds.
const int SIZE = 256;

__global__ void butterfly(const int *in, int *out, int n) {
    __shared__ int s[2][SIZE];
    int t = threadIdx.x, i = blockIdx.x * SIZE + t;
    int mine = i < n ? in[i] : 0;
    for (int d = 1, to = 0; d < SIZE; d *= 2, to = 1 - to) {
        s[to][t] = mine;
        if (d >= 32) __syncthreads();
        int other = s[to][t ^ d];
        mine = t & d ? other - mine : mine + other;
    }
    if (i < n) out[i] = mine;
}

void sync_cost(const int *in, int *out, int n) {
    butterfly<<<(n + SIZE - 1) / SIZE, SIZE>>>(in, out, n);
}
