// lab: vector-add
// expect: pass
// Assembly with scopes inside scopes, each with a register of the same name.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum;
    asm("{ .reg .f32 t; mov.f32 t, %1; { .reg .f32 t; mov.f32 t, %2; { .reg .f32 t; mov.f32 t, 0f00000000; } add.f32 %0, %1, t; } }" : "=f"(sum) : "f"(a[i]), "f"(b[i]));
    c[i] = sum;
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 255) / 256, 256>>>(a, b, c, n); }
