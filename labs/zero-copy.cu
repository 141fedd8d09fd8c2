// zero-copy: out[i] is the mean of RUN samples, from in[RUN * i] on. The
// samples are in host memory, and each of them is used once.
// zh: zero-copy：out[i] 是从 in[RUN * i] 开始的 RUN 个样本的均值。
// zh: 样本在主机内存里，每个只用一次。
const int RUN = 4;

// TODO: in place, every sector that a warp reads from `in` crosses the link.
// How should a warp read `in`?
// zh: TODO：就地读取时，warp 从 in 读的每个扇区都要经过链路。应当怎样读 in？
__global__ void means(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int k = 0; k < RUN; k++) s += in[(size_t)RUN * i + k];
    out[i] = s / RUN;
}

// `in` and `out` are page-locked host memory, which is mapped for the device.
// `in` has RUN * n floats.
// zh: in 和 out 是锁页的主机内存，设备也可以访问。
// zh: in 有 RUN * n 个 float。
void zero_copy(const float *in, float *out, int n) {
    // TODO: use neither device memory nor copies.
    // zh: TODO：不要分配设备内存，也不要拷贝。
    float *x, *y;
    cudaMalloc(&x, sizeof(float) * RUN * n);
    cudaMalloc(&y, sizeof(float) * n);
    cudaMemcpy(x, in, sizeof(float) * RUN * n, cudaMemcpyHostToDevice);
    means<<<(n + 255) / 256, 256>>>(x, y, n);
    cudaMemcpy(out, y, sizeof(float) * n, cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(y);
}
