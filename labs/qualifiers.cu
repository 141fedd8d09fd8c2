// qualifiers: sorts n records of two ints (key, value). Every group of 64
// records is sorted by key.
// zh: 有 n 条记录，每条是两个 int（键和值）。每 64 条为一组，组内按键排序。
// Records with the same key keep their order. The place of a record is the
// number of records that come before it.
// zh: 键相同的记录保持原来的次序。一条记录的位置，等于排在它前面的记录数。
// twins[0] is the number of records, in all groups, whose key occurs more than
// once in their group.
// zh: twins[0] 是各组合起来，键在组内不止出现一次的记录数。

const int GROUP = 64;

// The records of the group that this block sorts.
// zh: 本块要排序的这一组记录。
__device__ int2 group[GROUP];

// TODO: three variables are in the wrong memory. Also, each record is read and
// written as two ints instead of one int2.
// zh: TODO：有三个变量放错了内存。另外，每条记录是作为两个 int 读写的，
// zh: 而不是一个 int2。
__global__ void rank_sort(const int *in, int *out, int *twins, int n) {
    // The number of records, in the whole grid, that share their key.
    // zh: 整个网格里，键在组内不止出现一次的记录数。
    __shared__ int found;
    int first = blockIdx.x * GROUP, me = threadIdx.x,
        size = min(GROUP, n - first);
    if (me == 0) found = 0;
    if (me < size) {
        group[me].x = in[2 * (first + me)];
        group[me].y = in[2 * (first + me) + 1];
    }
    __syncthreads();
    if (me < size) {
        int2 mine = group[me];
        // How many keys of the group are smaller than mine, equal, or larger.
        // zh: 组里有多少个键比本线程的键小，有多少个相等，有多少个更大。
        int count[3] = {0, 0, 0};
        int earlier = 0;
        for (int k = 0; k < size; k++) {
            int other = group[k].x;
            count[1 + (other > mine.x) - (other < mine.x)]++;
            earlier += other == mine.x && k < me;
        }
        int place = first + count[0] + earlier;
        out[2 * place] = mine.x;
        out[2 * place + 1] = mine.y;
        if (count[1] > 1) atomicAdd(&found, 1);
    }
    __syncthreads();
    if (me == 0) *twins = found;
}

void sort_groups(const int *in, int *out, int *twins, int n) {
    rank_sort<<<(n + GROUP - 1) / GROUP, GROUP>>>(in, out, twins, n);
}
