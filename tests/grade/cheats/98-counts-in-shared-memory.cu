// lab: qualifiers
// expect: fail counter
// expect: says all_load_bytes is
// The counts that a variable index chooses lie in shared memory in place of local memory.
const int GROUP = 64;
__device__ int found;
__global__ void rank_sort(const int2 *in, int2 *out, int n) {
    __shared__ int2 group[GROUP];
    __shared__ int count[3][GROUP];
    int first = blockIdx.x * GROUP, me = threadIdx.x, size = min(GROUP, n - first);
    if (me < size) group[me] = in[first + me];
    for (int k = 0; k < 3; k++) count[k][me] = 0;
    __syncthreads();
    if (me >= size) return;
    int2 mine = group[me];
    int earlier = 0;
    for (int k = 0; k < size; k++) {
        int other = group[k].x;
        count[1 + (other > mine.x) - (other < mine.x)][me]++;
        earlier += other == mine.x && k < me;
    }
    out[first + count[0][me] + earlier] = mine;
    if (count[1][me] > 1) atomicAdd(&found, 1);
}
void sort_groups(const int *in, int *out, int *twins, int n) {
    void *address;
    cudaGetSymbolAddress(&address, found);
    cudaMemset(address, 0, sizeof found);
    rank_sort<<<(n + GROUP - 1) / GROUP, GROUP>>>((const int2 *)in, (int2 *)out, n);
    cudaMemcpyFromSymbol(twins, found, sizeof found, 0, cudaMemcpyDeviceToDevice);
}
