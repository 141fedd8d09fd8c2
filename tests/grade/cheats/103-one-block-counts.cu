// lab: warp-aggregate
// expect: fail slowest
// expect: says times as long as the baseline
// No atomics, because a single warp counts everything.
__global__ void count(const int *in, int limit, int *found, int n) {
    int mine = 0;
    for (int i = threadIdx.x; i < n; i += 32) mine += in[i] < limit;
    for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
    if (threadIdx.x == 0) *found = mine;
}
void warp_aggregate(const int *in, int limit, int *found, int n) {
    count<<<1, 32>>>(in, limit, found, n);
}
