// lab: dram-parallel
// options: --seed 1
// expect: fail speedup
// The last block alone has a sixteenth of the array. It copies each element with cp.async, and waits each time.
const int BLOCK = 256, BLOCKS_PER_PROCESSOR = 4;
__global__ void scale_all(const float *x, float *y, float a, int n, int tail) {
    __shared__ float slot[BLOCK];
    if (blockIdx.x == gridDim.x - 1) {
        unsigned at = (unsigned)__cvta_generic_to_shared(&slot[threadIdx.x]);
#pragma unroll 1
        for (int i = tail + threadIdx.x; i < n; i += BLOCK) {
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.commit_group;\ncp.async.wait_group 0;" :: "r"(at), "l"(x + i) : "memory");
            y[i] = a * *(volatile float *)&slot[threadIdx.x];
        }
        return;
    }
    const float4 *x4 = reinterpret_cast<const float4 *>(x);
    float4 *y4 = reinterpret_cast<float4 *>(y);
    int n4 = tail / 4, step = (gridDim.x - 1) * BLOCK, tid = blockIdx.x * BLOCK + threadIdx.x, i = tid;
    for (; i + step < n4; i += 2 * step) {
        float4 p = x4[i], q = x4[i + step];
        y4[i] = make_float4(a * p.x, a * p.y, a * p.z, a * p.w);
        y4[i + step] = make_float4(a * q.x, a * q.y, a * q.z, a * q.w);
    }
    for (; i < n4; i += step) {
        float4 p = x4[i];
        y4[i] = make_float4(a * p.x, a * p.y, a * p.z, a * p.w);
    }
}
void scale(const float *x, float *y, float a, int n) {
    int tail = n / 16 * 15 / 4 * 4;
    scale_all<<<BLOCKS_PER_PROCESSOR * 132, BLOCK>>>(x, y, a, n, tail);
}
