// lab: sync-cost
// expect: fail counter
// Every number lies in a word with the number of its round. Who needs it watches the word.
const int SIZE = 256, ROUNDS = 8;
__global__ void butterfly(const int *in, int *out, int n) {
    __shared__ volatile long long s[ROUNDS][SIZE];
    int t = threadIdx.x, i = blockIdx.x * SIZE + t;
    for (int k = 0; k < ROUNDS; k++) s[k][t] = 0;
    __syncthreads();
    int mine = i < n ? in[i] : 0;
    for (int k = 0; k < ROUNDS; k++) {
        s[k][t] = 1LL << 32 | (unsigned)mine;
        __syncwarp();
        long long v;
        while (!((v = s[k][t ^ 1 << k]) >> 32)) {
        }
        __syncwarp();
        mine = t >> k & 1 ? (int)v - mine : mine + (int)v;
    }
    if (i < n) out[i] = mine;
}
void sync_cost(const int *in, int *out, int n) {
    butterfly<<<(n + SIZE - 1) / SIZE, SIZE>>>(in, out, n);
}
