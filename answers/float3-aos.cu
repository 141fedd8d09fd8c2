// float3-aos, solved: the block copies its points as plain floats, and neighbouring lanes copy
// neighbouring floats. Each thread finds its point in shared memory.
// zh: float3-aos 的参考答案：整个块把点当作普通的 float 拷贝，相邻的 lane 拷相邻的 float。
// zh: 每个线程再到共享内存里取自己的点。
const int BLOCK = 256;

__global__ void add(const float *in, float *out, float d, int n) {
    __shared__ float s[3 * BLOCK];
    // Neighbouring lanes copy neighbouring floats, so the warp uses each sector completely.
    // zh: 相邻的 lane 拷贝相邻的 float，所以每个扇区都完整用上。
    int first = blockIdx.x * (3 * BLOCK), count = min(3 * BLOCK, 3 * n - first);
    for (int k = threadIdx.x; k < count; k += BLOCK) s[k] = in[first + k];
    __syncthreads();
    // The points of neighbouring lanes are 3 words apart. 3 is odd, so no two lanes use the same bank.
    // zh: 相邻 lane 的点相隔 3 个字。3 是奇数，所以没有两个 lane 落在同一个存储体里。
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
