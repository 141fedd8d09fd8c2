// ldmatrix, stmatrix and movmatrix: 8x8 matrices of 16-bit elements between shared memory and fragments (ISA 9.7.14.5.15 to 17).
// arch: sm_90
// twins: sm_75
// expect: ldmatrix x1 ok
// expect: ldmatrix x2 ok
// expect: ldmatrix x4 ok
// expect: ldmatrix x1 trans ok
// expect: ldmatrix x2 trans ok
// expect: ldmatrix x4 trans ok
// expect: stmatrix x1 ok
// expect: stmatrix x2 trans ok
// expect: stmatrix x4 ok
// expect: movmatrix ok
#include "common.h"

// four matrices of 8 rows, 16 bytes a row, rows 48 bytes apart
enum { STRIDE = 24 };
#define ROW(lane) ((unsigned)__cvta_generic_to_shared(&s[(lane)*STRIDE]))
#define FILL for (int i = threadIdx.x; i < 32 * STRIDE; i += 32) s[i] = i; __syncwarp()
#define OUT(n) for (int k = 0; k < n; k++) out[threadIdx.x * 4 + k] = r[k]
#define LD(name, size, list, n, ...)                                                                             \
    __global__ void name(unsigned *out) {                                                                     \
        __shared__ alignas(16) unsigned short s[32 * STRIDE];                                                 \
        FILL;                                                                                                 \
        unsigned r[4] = {};                                                                                   \
        asm volatile("ldmatrix.sync.aligned.m8n8." size ".shared.b16 " list ";" : __VA_ARGS__);                  \
        OUT(n);                                                                                               \
    }
LD(ld1, "x1", "{%0}, [%1]", 1, "=r"(r[0]) : "r"(ROW(threadIdx.x)))
LD(ld2, "x2", "{%0,%1}, [%2]", 2, "=r"(r[0]), "=r"(r[1]) : "r"(ROW(threadIdx.x)))
LD(ld4, "x4", "{%0,%1,%2,%3}, [%4]", 4, "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(ROW(threadIdx.x)))
LD(lt1, "x1.trans", "{%0}, [%1]", 1, "=r"(r[0]) : "r"(ROW(threadIdx.x)))
LD(lt2, "x2.trans", "{%0,%1}, [%2]", 2, "=r"(r[0]), "=r"(r[1]) : "r"(ROW(threadIdx.x)))
LD(lt4, "x4.trans", "{%0,%1,%2,%3}, [%4]", 4, "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(ROW(threadIdx.x)))
// lane l stores registers with 1000 (k + 1) + 2 l and one more
#define ST(name, size, list, ...)                                                                                \
    __global__ void name(unsigned *out) {                                                                     \
        __shared__ alignas(16) unsigned short s[32 * STRIDE];                                                 \
        FILL;                                                                                                 \
        unsigned r[4];                                                                                        \
        for (int k = 0; k < 4; k++) r[k] = (1000 * (k + 1) + 2 * threadIdx.x) * 65537 + 65536;                \
        if (HAS(90)) asm volatile("stmatrix.sync.aligned.m8n8." size ".shared.b16 " list ";" : : __VA_ARGS__ : "memory"); \
        __syncwarp();                                                                                         \
        for (int i = threadIdx.x; i < 32 * STRIDE; i += 32) out[i] = s[i];                                    \
    }
ST(st1, "x1", "[%0], {%1}", "r"(ROW(threadIdx.x)), "r"(r[0]))
ST(st2, "x2.trans", "[%0], {%1,%2}", "r"(ROW(threadIdx.x)), "r"(r[0]), "r"(r[1]))
ST(st4, "x4", "[%0], {%1,%2,%3,%4}", "r"(ROW(threadIdx.x)), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]))
__global__ void mov(unsigned *out) {
    unsigned a = threadIdx.x * 2 * 65537 + 65536, r; // element (row, column) is 8 row + column
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(a));
    out[threadIdx.x] = r;
}

static unsigned out[32 * STRIDE], *d;
static void fetch(void (*k)(unsigned *)) {
    k<<<1, 32>>>(d);
    CK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
}
static void load(const char *name, void (*kernel)(unsigned *), int n, bool trans) {
    fetch(kernel);
    int bad = 0;
    for (int lane = 0; lane < 32; lane++)
        for (int k = 0; k < n; k++)
            for (int h = 0; h < 2; h++) {
                int row = lane / 4, col = lane % 4 * 2 + h;
                int want = trans ? (8 * k + col) * STRIDE + row : (8 * k + row) * STRIDE + col;
                bad += (int)(out[lane * 4 + k] >> 16 * h & 0xffff) != want;
            }
    printf("%s %s\n", name, bad ? "WRONG" : "ok");
}
static void store(const char *name, void (*kernel)(unsigned *), int n, bool trans) {
    fetch(kernel);
    int bad = 0;
    for (int i = 0; i < 32 * STRIDE; i++) {
        int row = i / STRIDE, col = i % STRIDE, k = row / 8, want = i;
        if (k < n && col < 8) {
            int r = trans ? col : row % 8, c = trans ? row % 8 : col;
            want = 1000 * (k + 1) + 2 * (r * 4 + c / 2) + c % 2;
        }
        bad += (int)out[i] != want;
    }
    printf("%s %s\n", name, bad ? "WRONG" : "ok");
}
int main() {
    CK(cudaMalloc(&d, sizeof out));
    CK(cudaMemset(d, 0, sizeof out));
    load("ldmatrix x1", ld1, 1, false), load("ldmatrix x2", ld2, 2, false), load("ldmatrix x4", ld4, 4, false);
    load("ldmatrix x1 trans", lt1, 1, true), load("ldmatrix x2 trans", lt2, 2, true), load("ldmatrix x4 trans", lt4, 4, true);
    if (device_has(90)) store("stmatrix x1", st1, 1, false), store("stmatrix x2 trans", st2, 2, true), store("stmatrix x4", st4, 4, false);
    fetch(mov);
    int bad = 0;
    for (int lane = 0; lane < 32; lane++)
        for (int h = 0; h < 2; h++) bad += (int)(out[lane] >> 16 * h & 0xffff) != 8 * (lane % 4 * 2 + h) + lane / 4;
    printf("movmatrix %s\n", bad ? "WRONG" : "ok");
    CK(cudaFree(d));
}
