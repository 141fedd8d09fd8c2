// lab: vector-add
// expect: pass
// Generated code with #line, and inline PTX that does what it says.
#line 500 "generated.cu"
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s;
    asm("add.rn.f32 %0, %1, %2;" : "=f"(s) : "f"(a[i]), "f"(b[i]));
    c[i] = s;
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
