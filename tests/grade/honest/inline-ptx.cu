// vector-add: the addition, the load and the guard are written as PTX
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x, y;
    if (i >= n) return;
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(x) : "l"(a + i));
    asm volatile("{ .reg .pred p; .reg .u64 q;\n\t"
                 "mov.u64 q, %1;\n\t"
                 "setp.ne.u64 p, q, 0;\n\t"
                 "@p ld.global.f32 %0, [q]; }"
                 : "=f"(y)
                 : "l"(b + i));
    asm("add.rn.f32 %0, %1, %2;" : "=f"(c[i]) : "f"(x), "f"(y));
}

void vector_add(const float *a, const float *b, float *c, int n) {
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
