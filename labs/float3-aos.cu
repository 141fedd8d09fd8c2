// float3-aos: in and out hold n points of three floats.
// The kernel adds d to every coordinate.
// Each thread processes one point. A float3 has 12 bytes,
// and no instruction can access exactly 12 bytes.
// zh: in 和 out 各有 n 个点，每个点三个 float；所有坐标都加上 d。
// zh: 每个线程处理一个点。float3 是 12 字节，没有一条指令能读写 12 字节。

const int BLOCK = 256;

__global__ void add(const float3 *in, float3 *out, float d, int n) {
    // TODO: copy the block's 3 * BLOCK floats into shared memory so that
    // the accesses coalesce. Change them there, and copy them back.
    // zh: TODO：把本块的 3 * BLOCK 个 float 拷进共享内存，使访问能够合并；
    // zh: 在那里修改，再拷回去。
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    float3 p = in[i];
    p.x += d, p.y += d, p.z += d;
    out[i] = p;
}

void shift(const float *in, float *out, float d, int n) {
    add<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>((const float3 *)in, (float3 *)out,
                                            d, n);
}
