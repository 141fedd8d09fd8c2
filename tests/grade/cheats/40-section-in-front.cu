// lab: matmul-open
// expect: fail
// Tensor cores where the lab asks for a kernel without them: a container of nonsense before the compiler's own, as long as everything behind it.
asm(".pushsection .nv_fatbin,\"a\"\n.align 8\n.long 0xba55ed50\n.short 1, 16\n.quad 0x7fffffff\n.zero 64\n.popsection");
#define TEXT(a) #a
#define PASTE(a, b) TEXT(a##b)
__global__ void product(const float *a, const float *b, float *c, int n) {
    float d[4] = {0, 0, 0, 0};
    unsigned x[4] = {0, 0, 0, 0}, y[2] = {0, 0};
    asm volatile(PASTE(m, ma) ".sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    if (threadIdx.x < n) c[threadIdx.x] = d[0] + a[0] + b[0];
}
void matmul_open(const float *a, const float *b, float *c, int n) { product<<<1, 32>>>(a, b, c, n); }
