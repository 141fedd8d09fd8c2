// lab: constants
// expect: fail counter
// The recurrence is in double precision still: products on tensor cores, eight values at a time.
__global__ void damp(const short *in, float *out, int steps, int n) {
    int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32;
    double v;
    asm("cvt.f64.f32 %0, %1;" : "=d"(v) : "f"(i < n ? in[i] / 32768.0f : 0));
    const double factor = __longlong_as_double(lane % 4 ? 0 : 0x3fef5c28f5c28f5cLL), // 0.98 in the first column
        more = __longlong_as_double(0x3f847ae147ae147bLL);                            // 0.01
    for (int k = 0; k < steps; k++) {
        double next = v;
        for (int s = 0; s < 4; s++) {
            double b = __shfl_sync(~0u, v, 8 * s + lane / 4), d0, d1;
            if (lane % 4) b = __longlong_as_double(0);
            asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%4};"
                         : "=d"(d0), "=d"(d1) : "d"(factor), "d"(b), "d"(more));
            double x = __shfl_sync(~0u, d0, lane % 8 / 2), y = __shfl_sync(~0u, d1, lane % 8 / 2);
            if (lane / 8 == s) next = lane % 2 ? y : x;
        }
        v = next;
    }
    float w;
    asm("cvt.rn.f32.f64 %0, %1;" : "=f"(w) : "d"(v));
    if (i < n) out[i] = sinf(w * 3.14159265f);
}
void constants(const short *in, float *out, int steps, int n) { damp<<<(n + 255) / 256, 256>>>(in, out, steps, n); }
