// Its own names pasted together by macros, and the addition as PTX: nothing of a library, no forbidden instruction.
// lab: vector-add
// expect: pass
#define JOIN(a, b) a##b

__global__ void JOIN(add, _up)(const float *a, const float *b, float *c, int n) {
    int JOIN(sp, ot) = blockIdx.x * blockDim.x + threadIdx.x;
    if (spot < n) asm("add.f32 %0, %1, %2;" : "=f"(c[spot]) : "f"(a[spot]), "f"(b[spot]));
}

void vector_add(const float *a, const float *b, float *c, int n) {
    JOIN(add, _up)<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
