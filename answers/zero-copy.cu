// zero-copy, solved: the kernel works on the host's memory, one load of 16 bytes for each result.
// zh: zero-copy 的参考答案：核函数直接在主机内存上工作，每个结果读一次 16 字节。
const int RUN = 4;

__global__ void means(const float4 *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = in[i];
    out[i] = (v.x + v.y + v.z + v.w) / RUN;
}

void zero_copy(const float *in, float *out, int n) {
    means<<<(n + 255) / 256, 256>>>((const float4 *)in, out, n);
    cudaDeviceSynchronize();
}
