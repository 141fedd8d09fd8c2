// lab: vector-add
// expect: fail correct
// expect: finding oob
// The store as inline PTX, under a false line.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = i < n ? a[i] + b[i] : 0.0f;
#line 7
    asm volatile("st.global.f32 [%0], %1;" ::"l"(c + i), "f"(s) : "memory");
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
