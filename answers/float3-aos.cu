// float3-aos, solved: the block moves its points as plain floats, in unit stride, and takes them
// apart in shared memory.
// zh: float3-aos 的参考答案：整个块把点当作普通的 float 以单位步长搬运，在共享内存里再拆开。
const int BLOCK = 256;

__global__ void add(const float *in, float *out, float d, int n) {
    __shared__ float s[3 * BLOCK];
    // The floats of this block, copied in unit stride: whole sectors.
    // zh: 本块的 float，以单位步长拷贝：都是完整的扇区。
    int first = blockIdx.x * (3 * BLOCK), count = min(3 * BLOCK, 3 * n - first);
    for (int k = threadIdx.x; k < count; k += BLOCK) s[k] = in[first + k];
    __syncthreads();
    // A stride of 3 words is odd, so no two lanes meet in a bank.
    // zh: 步长 3 个字是奇数，所以没有两个 lane 落在同一个存储体里。
    if (3 * (int)threadIdx.x < count) {
        float *p = &s[3 * threadIdx.x];
        p[0] += d, p[1] += d, p[2] += d;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += BLOCK) out[first + k] = s[k];
}

void shift(const float *in, float *out, float d, int n) {
    add<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, d, n);
}
