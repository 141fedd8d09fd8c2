// Matrices: wmma in its types and shapes, and mma, ldmatrix in inline PTX.
#include <mma.h>
using namespace nvcuda::wmma;
template <int M, int N, int K, typename T, typename A, typename LA, typename LB> __device__ void one(const T *a, const T *b, A *c) {
    fragment<matrix_a, M, N, K, T, LA> fa; fragment<matrix_b, M, N, K, T, LB> fb; fragment<accumulator, M, N, K, A> fc;
    fill_fragment(fc, A(0)); load_matrix_sync(fa, a, 16); load_matrix_sync(fb, b, 16); load_matrix_sync(fc, c, 16, mem_row_major); mma_sync(fc, fa, fb, fc); store_matrix_sync(c, fc, 16, mem_col_major);
}
__global__ void half_half(const half *a, const half *b, half *c) { one<16, 16, 16, half, half, row_major, col_major>(a, b, c); one<32, 8, 16, half, half, col_major, col_major>(a, b, c); }
__global__ void half_float(const half *a, const half *b, float *c) { one<16, 16, 16, half, float, row_major, row_major>(a, b, c); one<8, 32, 16, half, float, row_major, col_major>(a, b, c); }
__global__ void bytes(const signed char *a, const signed char *b, int *c) { one<16, 16, 16, signed char, int, row_major, col_major>(a, b, c); one<8, 32, 16, signed char, int, row_major, col_major>(a, b, c); }
#if __CUDA_ARCH__ >= 800
__global__ void doubles(const double *a, const double *b, double *c) { one<8, 8, 4, double, double, row_major, col_major>(a, b, c); }
__global__ void bf(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c) { one<16, 16, 16, __nv_bfloat16, float, row_major, col_major>(a, b, c); one<32, 8, 16, __nv_bfloat16, float, row_major, col_major>(a, b, c); }
__global__ void tf(const float *a, const float *b, float *c) {
    fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> fa; fragment<matrix_b, 16, 16, 8, precision::tf32, col_major> fb; fragment<accumulator, 16, 16, 8, float> fc;
    fill_fragment(fc, 0.f); load_matrix_sync(fa, a, 8); load_matrix_sync(fb, b, 8); for (int i = 0; i < fa.num_elements; i++) fa.x[i] = __float_to_tf32(fa.x[i]); mma_sync(fc, fa, fb, fc); store_matrix_sync(c, fc, 16, mem_row_major);
}
__global__ void inline_mma(const unsigned *a, float *c, int *ci) {
    __shared__ __align__(16) unsigned s[256]; s[threadIdx.x] = a[threadIdx.x]; __syncthreads();
    unsigned addr = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x * 4]), r0, r1, r2, r3;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(addr));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(addr));
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(r0), "r"(r1));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(r0), "r"(r1));
    int i0 = 0, i1 = 0, i2 = 0, i3 = 0;
    asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(i0), "+r"(i1), "+r"(i2), "+r"(i3) : "r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(r0), "r"(r1));
    c[0] = d0 + d1 + d2 + d3; ci[0] = i0 + i1 + i2 + i3;
}
#endif
