// What programs here seldom or never become, for the survey: each line is there for an opcode.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void halves(__half2 *h, __nv_bfloat162 *b, int *out) {
    __half2 x = h[0], y = h[1];
    h[2] = __hlt2(x, y);
    h[3] = __hmin2(x, y);
    h[4] = __hfma2_sat(x, y, h[9]);
    out[0] = __hbge2(x, y) + __hlt(x.x, y.y);
    b[2] = __hmax2(b[0], b[1]);
#if __CUDA_ARCH__ >= 800
    b[3] = __hfma2(b[0], b[1], b[4]);
    b[5] = __hgt2(b[0], b[1]);
#endif
    out[1] = __vmaxs2(out[2], out[3]) + __vimin3_s32(out[4], out[5], out[6]) + __viaddmax_s32(out[7], out[8], out[9]);
}

__global__ void votes(int *out) {
    out[threadIdx.x] = __syncthreads_count(out[threadIdx.x]) + __syncthreads_or(out[threadIdx.x + 9] > 2);
    if (__syncthreads_and(out[0])) asm volatile("pmevent 7;");
    if (out[5] == 3) asm volatile("trap;");
}

__global__ void bits(int *out, float *f, unsigned n) {
    int a = out[0], r, s;
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(out[1]));
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(s) : "r"(a));
    out[2] = r + s + __brev(n) + __clz(n) + __popc(n);
    asm("set.lt.f32.f32 %0, %1, %2;" : "=f"(f[0]) : "f"(f[1]), "f"(f[2]));
    asm("set.lt.u32.f32 %0, %1, %2;" : "=r"(out[3]) : "f"(f[3]), "f"(f[4]));
    asm("szext.clamp.s32 %0, %1, %2;" : "=r"(out[4]) : "r"(out[5]), "r"(out[6]));
    f[8] = fmaxf(fmaxf(f[9], f[10]), f[11]);
    f[12] = (float)(n * 3) * 0.5f + rintf((float)n);
    out[7] = (int)((float)n * 1.5f);
    short p = __vsubus2(out[8], out[9]);
    out[10] = p + __sad(out[11], out[12], 5) + (int)__vsadu4(n, out[13]) + (int)__vabsdiffu4(n, out[14]);
}

#if __CUDA_ARCH__ >= 800
__global__ void packs(int *out) {
    asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(out[0]) : "r"(out[1]), "r"(out[2]), "r"(out[3]));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(out + 64));
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(out + 128));
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(out + 256));
}
#endif

#if __CUDA_ARCH__ >= 900
__global__ void signs(float *f) {
    asm("min.xorsign.abs.f32 %0, %1, %2;" : "=f"(f[5]) : "f"(f[6]), "f"(f[7]));
}
__global__ void newer(int *out, const __grid_constant__ char4 map[32]) {
    __shared__ __align__(128) int tile[256];
    unsigned at = (unsigned)__cvta_generic_to_shared(tile);
    asm volatile("griddepcontrol.wait;");
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(out[0]), "r"(out[1]),
                 "r"(out[2]), "r"(out[3]));
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(at), "r"(out[0]));
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(out[5]));
    asm volatile("prefetch.tensormap [%0];" ::"l"(map));
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(map), "r"(out[6]), "r"(out[7]));
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
                 "r"(out[6]), "r"(out[7]), "r"(at));
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(out), "r"(256));
    asm volatile("griddepcontrol.launch_dependents;");
}
#endif

#if __CUDA_ARCH__ >= 1200
__global__ void eight(float *f, const int *a) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]));
}
__global__ void uniform(float *f, unsigned *o, int n, float x) {
    int a = n * 5 + 3, b = n >> 3;
    float y = x * 3.0f + 1;
    f[threadIdx.x] = a > b ? fminf(y, 4.0f) : y - x;
    o[threadIdx.x] = __brev(n) + (unsigned)min(max(a, b), 77) + (unsigned)(long long)(x + 1.5f) + (unsigned)(n << (b & 7));
    if (y > 2.0f) f[99] = __uint2float_rn(n) + rintf(y);
}
#endif
