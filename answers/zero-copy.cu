// zero-copy, solved: the kernel uses host memory, and reads the 16 bytes of a result at once.
// zh: zero-copy 的参考答案：核函数直接使用主机内存，一次读完每个结果要用的 16 个字节。
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
