// float3-aos: in and out hold n points of three floats; every coordinate is
// moved by d.
// One thread per point. A float3 is 12 bytes, so there is no single
// access for it.
// zh: in 和 out 各有 n 个点，每个点三个 float；所有坐标都加上 d。
// zh: 每个线程处理一个点。float3 是 12 字节，没有一次就能读完的访问方式。

const int BLOCK = 256;

__global__ void add(const float3 *in, float3 *out, float d, int n) {
    // TODO: let the block copy its 3 * BLOCK floats into shared memory with
    // unit stride, work on them there, and copy them out again.
    // zh: TODO：让整个块以单位步长把自己的 3 * BLOCK 个 float 搬进共享内存，
    // zh: 在那里处理，再以单位步长搬出去。
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
