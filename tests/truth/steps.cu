// Two things that the model of time is told of a device (docs/model-tables.md, "Who goes first"), measured where kernels by others came out too fast: rows that a
// thread walks by itself, and additions in L2 by where they go. One JSON line each, as in h200.micro.jsonl.
// Build: nvcc -O3 -std=c++17 -arch=native steps.cu
#include <algorithm>
#include <cstdio>
#include <cstdlib>
typedef unsigned u;
typedef unsigned long long ull;
#define CK(x)                                                                                                                                 \
    do {                                                                                                                                      \
        cudaError_t e_ = (x);                                                                                                                 \
        if (e_) fprintf(stderr, "steps: %s, line %d\n", cudaGetErrorString(e_), __LINE__), exit(1);                                           \
    } while (0)
static void out(const char *micro, const char *name, double value, const char *unit) {
    printf("{\"micro\": \"%s\", \"name\": \"%s\", \"value\": %.5g, \"unit\": \"%s\"}\n", micro, name, value, unit);
}

// ---- rows: mode 1 loads a step, 2 stores a float, 4 a byte, 3 and 5 both; `group` lanes are on one row
__global__ void walk(const float *x, float *y, unsigned char *b, int pitch, int steps, int mode, int group, ull *sum) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    size_t row = (size_t)(t / group) * pitch;
    const float *p = x + row; float *q = y + row; unsigned char *c = b + row;
    float s = 0; int z = 0;
    ull a = clock64();
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        float v = 0;
        if (mode & 1) { v = p[k + z]; s += v; z = (v < -1e30f); }
        if (mode & 2) q[k] = v + s;
        if (mode & 4) c[k] = v > 3;
    }
    ull e = clock64();
    if (s == 12345.678f) y[0] = s;
    if (threadIdx.x % 32 == 0) atomicAdd(sum, e - a);
}
// ---- loads that L1 has, one after the other, each lane's in a place of its own, `stride` words from its neighbour's
__global__ void chase(const u *p, u *o, int rounds, int stride, ull *out) { // lane l starts at l*stride words, ring inside its own line
    u i = (threadIdx.x & 31) * stride + (threadIdx.x >> 5) * 4096;
    for (int k = 0; k < 16; k++) i = p[i];
    ull a = clock64();
    for (int k = 0; k < rounds; k++) i = p[i];
    ull b = clock64();
    o[threadIdx.x] = i;
    if (threadIdx.x == 0) *out = b - a;
}

__device__ u mix(u h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}
// ---- additions among mask + 1 words: 0 each anywhere, 1 a thread's in one sector, 2 in one line, 3 a warp's a whole line anywhere, 4 four lanes a sector,
// 5 a block's warps one line
template <class T> __global__ void red(T *y, u mask, int per, int mode, u salt) {
    u t = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x & 31;
    u base = mix(t * 2 + salt);
    for (int k = 0; k < per; k++) {
        u i;
        if (mode == 0) i = mix(t * per + k + salt) & mask;
        else if (mode == 1) i = (base & mask & ~7u) + (k & 7);
        else if (mode == 2) i = (base & mask & ~31u) + (k & 31);
        else if (mode == 3) i = (mix((t >> 5) * per + k + salt) & mask & ~31u) + l;
        else if (mode == 4) i = (mix((t >> 2) * per + k + salt) & mask & ~7u) + (l & 3);
        else i = (mix(blockIdx.x * per + k + salt) & mask & ~31u) + l;
        atomicAdd(&y[i], (T)1);
    }
}
template <class T> static void reds(const char *type, T *y) {
    cudaEvent_t a, b;
    CK(cudaEventCreate(&a));
    CK(cudaEventCreate(&b));
    for (int mode = 0; mode < 6; mode++)
        for (int lg : {5, 9, 13, 16, 18, 20, 22, 24})
            for (int per : {1, 8, 32}) {
                if (mode == 1 && per == 1) continue;
                int total = lg < 12 ? 1 << 20 : 1 << 23;
                float best = 1e30f, ms;
                for (int r = 0; r < 4; r++) {
                    CK(cudaEventRecord(a));
                    red<T><<<total / per / 256, 256>>>(y, (1u << lg) - 1, per, mode, r * 77777);
                    CK(cudaEventRecord(b));
                    CK(cudaEventSynchronize(b));
                    CK(cudaEventElapsedTime(&ms, a, b));
                    best = std::min(best, ms);
                }
                char name[80];
                sprintf(name, "%s_mode%d_2^%d_words_%d_each", type, mode, lg, per);
                out("red", name, total / (best * 1e6 - 3000), "lanes/ns"); // 3 us for the events
            }
}

int main() {
    float *x, *y;
    unsigned char *b, *flush;
    ull *sum, v;
    u *o;
    char name[80];
    size_t n = 1ull << 26;
    CK(cudaMalloc(&x, n * 4));
    CK(cudaMalloc(&y, n * 4));
    CK(cudaMalloc(&b, n));
    CK(cudaMalloc(&sum, 8));
    CK(cudaMalloc(&o, 4096));
    CK(cudaMalloc(&flush, 256 << 20));
    u *h = (u *)malloc(1 << 22);
    for (int i = 0; i < 1 << 20; i++) h[i] = i; // each place leads to itself
    CK(cudaMemcpy(x, h, 1 << 22, cudaMemcpyHostToDevice));
    for (int stride : {0, 1, 2, 4, 8, 16, 32, 33, 64})
        for (int warps : {1, 2, 4, 8}) {
            for (int r = 0; r < 2; r++) chase<<<1, 32 * warps>>>((u *)x, o, 512, stride, sum);
            CK(cudaMemcpy(&v, sum, 8, cudaMemcpyDeviceToHost));
            sprintf(name, "stride%d_warps%d", stride, warps);
            out("chase", name, v / 512., "cycles");
        }
    CK(cudaMemset(x, 0, n * 4));
    int steps = 512;
    for (int mode : {1, 2, 4, 3, 5})
        for (int group : {1, 4, 32})
            for (int pitch : {512, 1024, 1040})
                for (int sms : {1, 64, 128})
                    for (int warps : {1, 2, 4, 8}) {
                        if ((pitch != 1024 && (group != 1 || sms == 64 || warps == 8)) || (size_t)sms * warps * 32 * pitch > n) continue;
                        double best = 1e30;
                        for (int r = 0; r < 3; r++) {
                            CK(cudaMemset(flush, r, 256 << 20));
                            CK(cudaMemset(sum, 0, 8));
                            walk<<<sms, warps * 32>>>(x, y, b, pitch, steps, mode, group, sum);
                            CK(cudaMemcpy(&v, sum, 8, cudaMemcpyDeviceToHost));
                            best = std::min(best, v / (double)(sms * warps) / steps);
                        }
                        sprintf(name, "mode%d_group%d_pitch%d_sms%d_warps%d", mode, group, pitch, sms, warps);
                        out("walk", name, best, "cycles/step");
                    }
    reds("float", x);
    reds("int", (u *)y);
    return 0;
}
