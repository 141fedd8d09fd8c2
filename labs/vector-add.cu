// vector-add: c[i] = a[i] + b[i] for every i from 0 to n-1.
//
// a, b and c are device pointers. vector_add() is called on the host; it
// launches the kernel and returns. No copies are needed: the inputs are on the
// device already, and Warplab reads the result there. n is any number from 1
// up, and rarely a multiple of the block size.
// zh: c[i] = a[i] + b[i]，i 从 0 到 n-1。
// zh: a、b、c 都是设备指针。vector_add() 在主机上被调用，由它启动核函数后返回；
// zh: 输入已在设备上，结果由 Warplab 到设备上读取，不需要拷贝。n 可以是任意正整数，
// zh: 通常不是块大小的整数倍。

const int BLOCK = 64;

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    // TODO: if n is not a multiple of BLOCK, this launches too few threads.
    // Launch enough threads, and let those beyond the end do nothing.
    // zh: TODO：n 不是 BLOCK 的整数倍时，这里启动的线程不够。
    // zh: 请启动足够多的线程，并让越过末尾的线程什么也不做。
    int blocks = n / BLOCK;
    add<<<blocks, BLOCK>>>(a, b, c, n);
}
