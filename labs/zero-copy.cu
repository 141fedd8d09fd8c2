// zero-copy: out[i] = the mean of the RUN samples from in[RUN * i] on, over a
// signal in the host's memory. Each sample is needed once.
// zh: zero-copy：信号在主机内存里，out[i] 是从 in[RUN * i] 起 RUN 个样本
// zh: 的均值。每个样本只用一次。
const int RUN = 4;

// TODO: think of how a warp reads `in`, once every byte of it has to come
// across the link.
// zh: TODO：等到每个字节都要过链路时，想一想一个 warp 是怎样读 in 的。
__global__ void means(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int k = 0; k < RUN; k++) s += in[(size_t)RUN * i + k];
    out[i] = s / RUN;
}

// in and out are page-locked host memory, mapped for the device too. in has
// RUN * n floats.
// zh: in 和 out 是锁页主机内存，已映射到设备的地址空间。
// zh: in 有 RUN * n 个 float。
void zero_copy(const float *in, float *out, int n) {
    // TODO: do without the device's memory, and without the copies.
    // zh: TODO：不用设备内存，也不用拷贝。
    float *x, *y;
    cudaMalloc(&x, sizeof(float) * RUN * n);
    cudaMalloc(&y, sizeof(float) * n);
    cudaMemcpy(x, in, sizeof(float) * RUN * n, cudaMemcpyHostToDevice);
    means<<<(n + 255) / 256, 256>>>(x, y, n);
    cudaMemcpy(out, y, sizeof(float) * n, cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(y);
}
