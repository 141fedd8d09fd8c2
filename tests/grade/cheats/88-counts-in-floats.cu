// lab: reduce-5-unroll
// expect: fail counter
// expect: says inst_float is
// Nothing is unrolled; sums and counters are floats, so that there are few integer instructions.
const unsigned MOST = 1024;
__global__ void block_sums(const int *in, int *out, int n) {
    __shared__ float sum[MOST];
    unsigned tid = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + tid;
    float mine = i < n ? in[i] : 0;
    if (i + blockDim.x < n) mine += in[i + blockDim.x];
    sum[tid] = mine;
    __syncthreads();
    float ft = tid, *p = sum + tid;
#pragma unroll 1
    for (float s = blockDim.x * 0.5f; s > 0.5f; s *= 0.5f) {
        unsigned a = __cvta_generic_to_shared(p);
        asm volatile("{\n.reg .pred p;\n.reg .f32 x, y; .reg .u32 b;\nsetp.lt.f32 p, %0, %1;\ncvt.rzi.u32.f32 b, %1;\nmad.lo.u32 b, b, 4, %2;\n@p ld.shared.f32 x, [%2];\n@p ld.shared.f32 y, [b];\n@p add.f32 x, x, y;\n@p st.shared.f32 [%2], x;\n}" ::"f"(ft), "f"(s), "r"(a) : "memory");
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = (int)sum[0];
}
void reduce(const int *in, int *out, int n) {
    int threads = 256, blocks = (n + 2 * threads - 1) / (2 * threads);
    block_sums<<<blocks, threads>>>(in, out, n);
}
