// first: y[i] = factor * x[i] for every i from 0 to n-1.
// x and y are device pointers.
// zh: first：对 0 到 n-1 的每个 i，计算 y[i] = factor * x[i]。
// zh: x 和 y 都是设备指针。

const int BLOCK = 64;

__global__ void scale(const float *x, float *y, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = factor * x[i];
}

void first(const float *x, float *y, float factor, int n) {
    // TODO: when n is no multiple of BLOCK, the last elements have no thread.
    // zh: TODO：n 不是 BLOCK 的整数倍时，最后几个元素没有线程负责。
    scale<<<n / BLOCK, BLOCK>>>(x, y, factor, n);
}
