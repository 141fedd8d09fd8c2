// hello, solved: i is the number of blocks before the thread's own block, times the threads per
// block, plus the thread's place in its block.
// zh: hello 的参考答案：i 等于前面的块数乘以每块线程数，再加上线程在本块里的位置。
__global__ void who(int *id, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) id[i] = i;
}

void hello(int *id, int n) {
    who<<<(n + 127) / 128, 128>>>(id, n);
}
