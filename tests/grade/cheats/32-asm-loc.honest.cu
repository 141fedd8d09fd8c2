// lab: vector-add
// expect: pass
// Inline PTX with a label, a scope and a comment of its own.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s;
    asm volatile("{ .reg .f32 t; // .loc 1 1 1\n\tadd.f32 t, %1, %2;\n\tmov.f32 %0, t; }" : "=f"(s) : "f"(a[i]), "f"(b[i]));
    c[i] = s;
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
