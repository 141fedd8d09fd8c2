// kind: ragged
// expect: fail correct
// Every group is taken to be full: the last one is compared with records that are not there, and whole groups only are launched.
const int GROUP = 64;

__device__ int found;

__global__ void rank_sort(const int2 *in, int2 *out, int n) {
    __shared__ int2 group[GROUP];
    int first = blockIdx.x * GROUP, me = threadIdx.x, size = GROUP;
    if (first + me < n) group[me] = in[first + me];
    __syncthreads();
    if (first + me >= n) return;
    int2 mine = group[me];
    int before = 0, equal = 0;
    for (int k = 0; k < (first + GROUP <= n ? GROUP : n - first); k++) {
        int other = group[k].x;
        before += other < mine.x || (other == mine.x && k < me);
        equal += other == mine.x;
    }
    out[first + before] = mine;
    if (equal > 1) atomicAdd(&found, 1);
}

void sort_groups(const int *in, int *out, int *twins, int n) {
    void *address;
    cudaGetSymbolAddress(&address, found);
    cudaMemset(address, 0, sizeof found);
    rank_sort<<<n < GROUP ? 1 : n / GROUP, GROUP>>>((const int2 *)in, (int2 *)out, n);
    cudaMemcpyFromSymbol(twins, found, sizeof found, 0, cudaMemcpyDeviceToDevice);
}
