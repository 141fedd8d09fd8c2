// The baseline of qualifiers: each thread ranks one record, reads its whole group from global memory and counts in an array of its own, whose index
// depends on the data. Keys and values are read and written one by one.
const int GROUP = 64;

__global__ void rank_sort(const int *in, int *out, int *twins, int n) {
    int first = blockIdx.x * GROUP, me = threadIdx.x, size = min(GROUP, n - first);
    if (me >= size) return;
    int key = in[2 * (first + me)], value = in[2 * (first + me) + 1];
    int count[3] = {0, 0, 0}, earlier = 0; // smaller, equal, larger
    for (int k = 0; k < size; k++) {
        int other = in[2 * (first + k)];
        count[1 + (other > key) - (other < key)]++;
        earlier += other == key && k < me;
    }
    int place = first + count[0] + earlier;
    out[2 * place] = key;
    out[2 * place + 1] = value;
    if (count[1] > 1) atomicAdd(twins, 1);
}

void sort_groups(const int *in, int *out, int *twins, int n) {
    cudaMemset(twins, 0, sizeof *twins);
    rank_sort<<<(n + GROUP - 1) / GROUP, GROUP>>>(in, out, twins, n);
}
