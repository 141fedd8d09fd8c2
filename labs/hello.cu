// hello: id[i] = i for i = 0 ... n - 1, each written by a thread of its own.
// id is a device pointer: kernels may use it, hello() itself may only
// pass it on.
// zh: id[i] = i，i 从 0 到 n - 1，每个元素由一个单独的线程写入。
// zh: id 是设备指针：核函数可以使用，hello() 本身只能把它传下去。
#include <cstdio>

__global__ void who(int *id, int n) {
    // TODO: this is the number of the thread in its block. Which number does
    // it have in the grid?
    // zh: TODO：这是线程在块内的编号。它在整个网格里的编号是多少？
    int i = threadIdx.x;
    if (blockIdx.x < 2 && threadIdx.x == 0) {
        printf("block %d of %d says hello\n", blockIdx.x, gridDim.x);
    }
    if (i < n) id[i] = i;
}

void hello(int *id, int n) {
    int blocks = (n + 127) / 128;
    who<<<blocks, 128>>>(id, n);
    // The launch has returned. Has anything been written yet?
    // zh: 启动已经返回。这时数据写好了吗？
}
