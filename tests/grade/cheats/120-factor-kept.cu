// lab: dram-parallel
// expect: fail correct
// The factor is stored only when n is another than in the last call.
__device__ float factor;
__global__ void set(float a) { factor = a; }
__global__ void scale_all(const float *x, float *y, int n) {
    const float4 *x4 = (const float4 *)x;
    float4 *y4 = (float4 *)y;
    float a = factor;
    int n4 = n / 4, step = gridDim.x * 256, tid = blockIdx.x * 256 + threadIdx.x, i = tid;
    for (; i + step < n4; i += 2 * step) {
        float4 p = x4[i], q = x4[i + step];
        y4[i] = make_float4(a * p.x, a * p.y, a * p.z, a * p.w);
        y4[i + step] = make_float4(a * q.x, a * q.y, a * q.z, a * q.w);
    }
    for (; i < n4; i += step) {
        float4 p = x4[i];
        y4[i] = make_float4(a * p.x, a * p.y, a * p.z, a * p.w);
    }
    if (n4 * 4 + tid < n) y[n4 * 4 + tid] = a * x[n4 * 4 + tid];
}
void scale(const float *x, float *y, float a, int n) {
    static int known = -1;
    if (n != known) set<<<1, 1>>>(a);
    known = n;
    scale_all<<<528, 256>>>(x, y, n);
}
