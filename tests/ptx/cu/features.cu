// Language features that shape nvcc's PTX: calls, function pointers, recursion, switch tables, local arrays, printf, assert, malloc.
#include <cstdio>
#include <cassert>
struct Pair { double a; int b; char c; };
struct Big { int x[20]; };
__constant__ int lookup[8] = {1, -2, 3, -4, 5, -6, 7, -8};
__constant__ float weights[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
__device__ int counter;
__device__ const char *message = "hello";
__device__ double constants[] = {3.14159, 2.71828, 1.41421};
__managed__ int shared_value = 7;
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int sub(int a, int b) { return a - b; }
__device__ int (*table[2])(int, int) = {add, sub};
__device__ __noinline__ Pair make(double a, int b) { Pair p; p.a = a; p.b = b; p.c = 'x'; return p; }
__device__ __noinline__ int sum(Big v) { int s = 0; for (int i = 0; i < 20; i++) s += v.x[i]; return s; }
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ float helper(float *p) { __shared__ float t[33]; t[threadIdx.x % 33] = p[threadIdx.x]; __syncthreads(); return t[(threadIdx.x + 1) % 33]; }
extern "C" __global__ void pointers(int *out, int which) { out[threadIdx.x] = table[which & 1](out[0], out[1]); }
extern "C" __global__ void structs(Pair *out, Big big, double x) { Pair p = make(x, sum(big)); out[threadIdx.x] = p; }
extern "C" __global__ void recursion(int *out) { out[threadIdx.x] = fib(out[threadIdx.x]); }
extern "C" __global__ void printing(int n) { if (n > 3) printf("%d %s %f\n", n, message, constants[n % 3]); assert(n < 100); }
extern "C" __global__ void shared1(float *p) { p[threadIdx.x] = helper(p); }
extern "C" __global__ void shared2(float *p) { __shared__ double own[16]; own[threadIdx.x & 15] = p[1]; __syncthreads(); p[threadIdx.x] = helper(p) + own[3]; }
extern "C" __global__ void dynamic(float *p, int n) { extern __shared__ float d[]; d[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = d[n]; }
extern "C" __global__ void heap(int **out, int n) { int *p = (int *)malloc(n * sizeof(int)); p[0] = n; out[threadIdx.x] = p; if (n < 0) free(p); }
extern "C" __global__ void branches(int *out, int n) {
    switch (n) {
    case 0: out[0] = 5; break;
    case 1: out[1] = n * 3; break;
    case 2: out[2] = out[1]; break;
    case 3: out[3] = out[7] / n; break;
    case 4: out[4] = atomicAdd(&counter, 1); break;
    case 5: out[5] = lookup[n & 7]; break;
    case 6: out[6] = __popc(n); break;
    case 7: out[7] = shared_value; break;
    default: out[8] = 1;
    }
}
extern "C" __global__ void nested(int *a, int n, int m) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            if (a[i * m + j] == 3) break;
            if (a[j] == 4) continue;
            int k = j;
            while (k > i) { k = a[k]; if (k == 77) return; }
            a[i] += k;
        }
        if (a[i] > 1000) goto out;
    }
out:
    a[0] = 1;
}
extern "C" __global__ void __launch_bounds__(256, 2) bounded(float *a) { a[threadIdx.x] *= weights[threadIdx.x % 3][1]; }
template <typename T> __global__ void templ(T *a, T b) { a[blockIdx.x * blockDim.x + threadIdx.x] += b; }
template __global__ void templ<unsigned char>(unsigned char *, unsigned char);
template __global__ void templ<long long>(long long *, long long);
template __global__ void templ<double>(double *, double);
