// kind: slow
// expect: fail counter all_load_bytes
// expect: met correct
// expect: met counter global_loads
// All in its place but the counters: an array whose index is known only at run time.
const int GROUP = 64;

__device__ int found;

__global__ void rank_sort(const int2 *in, int2 *out, int n) {
    __shared__ int2 group[GROUP];
    int first = blockIdx.x * GROUP, me = threadIdx.x, size = min(GROUP, n - first);
    if (me < size) group[me] = in[first + me];
    __syncthreads();
    if (me >= size) return;
    int2 mine = group[me];
    int count[3] = {0, 0, 0}, earlier = 0;
    for (int k = 0; k < size; k++) {
        int other = group[k].x;
        count[1 + (other > mine.x) - (other < mine.x)]++;
        earlier += other == mine.x && k < me;
    }
    out[first + count[0] + earlier] = mine;
    if (count[1] > 1) atomicAdd(&found, 1);
}

void sort_groups(const int *in, int *out, int *twins, int n) {
    void *address;
    cudaGetSymbolAddress(&address, found);
    cudaMemset(address, 0, sizeof found);
    rank_sort<<<(n + GROUP - 1) / GROUP, GROUP>>>((const int2 *)in, (int2 *)out, n);
    cudaMemcpyFromSymbol(twins, found, sizeof found, 0, cudaMemcpyDeviceToDevice);
}
