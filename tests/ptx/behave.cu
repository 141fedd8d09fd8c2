// What launches must do beyond arithmetic: waiting, diverging, calling, failing. tests/unit/test_behave.c runs each kernel.
// behave.ptx: nvcc -O3 -std=c++17 -arch=compute_80 -lineinfo -ptx behave.cu
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
#define K extern "C" __global__ void

// ---- lanes that wait for lanes of their own warp
K spin_lock(int *lock, int *count) {
    bool done = false;
    while (!done)
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int *)count = *(volatile int *)count + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
}
K spin_lock_plain(int *lock, int *count) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *(volatile int *)count = *(volatile int *)count + 1;
    __threadfence();
    atomicExch(lock, 0);
}
K producer_consumer(int *out) {
    __shared__ volatile int flag, data;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 31) {
        data = 42;
        __threadfence_block();
        flag = 1;
    } else if (threadIdx.x == 0) {
        while (flag == 0) {
        }
        __threadfence_block();
        out[0] = data;
    }
}
// ---- blocks that wait for blocks
K block_waits(volatile int *flag, int *out) {
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            while (flag[0] == 0) {
            }
            out[0] = 7;
        } else if (blockIdx.x == gridDim.x - 1) {
            __threadfence();
            flag[0] = 1;
        }
    }
}
K grid_barrier(int *a, int *out, int n) {
    cg::grid_group g = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    g.sync();
    int s = a[(i + blockDim.x) % n];
    g.sync();
    a[i] = s;
    g.sync();
    out[i] = a[(i + blockDim.x) % n];
}
// a lock that is taken in a function
__device__ __noinline__ bool try_lock(int *lock) { return atomicCAS(lock, 0, 1) == 0; }
K spin_lock_call(int *lock, int *count) {
    while (!try_lock(lock)) {
    }
    *(volatile int *)count = *(volatile int *)count + 1;
    __threadfence();
    atomicExch(lock, 0);
}
// both lanes wait for the other, in turn
K ping_pong(volatile int *box, int *out) {
    int me = threadIdx.x, s = 0;
    for (int i = 0; i < 32; i++) {
        while (box[0] != me) {
        }
        s += i;
        box[0] = 1 - me;
    }
    out[me] = s;
}
// nothing in the loop says that it waits
K waits_weak(int *flag, int *out) {
    if (threadIdx.x == 0) {
        int v;
        do asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(flag));
        while (!v);
        out[0] = v;
    } else {
        asm volatile("st.global.u32 [%0], 5;" ::"l"(flag));
    }
}
// ---- waiting for what never comes
K never_set(volatile int *flag) {
    while (!*flag) {
    }
}
K never_set_half(volatile int *flag) {
    if (threadIdx.x < 32 && blockIdx.x == 0)
        while (!*flag) {
        }
    __syncthreads();
}
K crossed_locks(int *locks) {
    int w = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0)
        while (atomicCAS(&locks[w], 0, 1)) {
        }
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        while (atomicCAS(&locks[1 - w], 0, 1)) {
        }
}
K gives_up(volatile int *flag, int n, int *out) {
    int k = 0;
    while (!*flag && k < n) k++;
    out[threadIdx.x] = k;
}
// ---- a flag and what it guards, with and without fences
template <bool fence> __device__ void pass_on(volatile int *flag, int *data, int *out) {
    int w = threadIdx.x / 32 + blockIdx.x;
    if (threadIdx.x % 32) return;
    if (w == 0) {
        for (int i = 1; i <= 6; i++) {
            data[i] = i * 7;
            if (fence) __threadfence();
            *flag = i;
        }
    } else {
        while (*flag < 6) {
        }
        if (fence) __threadfence();
        int s = 0;
        for (int i = 1; i <= 6; i++) s += data[i];
        *out = s;
    }
}
K flag_fenced(volatile int *flag, int *data, int *out) { pass_on<true>(flag, data, out); }
K flag_bare(volatile int *flag, int *data, int *out) { pass_on<false>(flag, data, out); }
K flag_shared(int *out, int fence) {
    __shared__ volatile int flag;
    __shared__ int data[8];
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (fence) pass_on<true>(&flag, data, out);
    else pass_on<false>(&flag, data, out);
}
// one warp in step, over volatile memory, without __syncwarp()
K warp_volatile(int *out) {
    __shared__ volatile int s[64];
    s[threadIdx.x] = threadIdx.x;
    s[threadIdx.x] += s[threadIdx.x + 1];
    out[threadIdx.x] = s[threadIdx.x];
}
// ---- barriers
K half_barrier(int *out) {
    if (threadIdx.x < 48) __syncthreads();
    else asm volatile("bar.sync 1, 96;");
    out[threadIdx.x] = 1;
}
K two_barriers(int *out) {
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        __syncthreads();
    } else {
        out[threadIdx.x] = 2;
        __syncthreads();
        out[threadIdx.x] = 3;
    }
}
K early_exit(int *out, int n) {
    if (threadIdx.x >= n) return;
    out[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] += 1;
}
K never_together(int *out) {
    if (threadIdx.x & 1) __syncwarp(0xffffffff);
    else asm volatile("bar.sync 1, 64;");
    out[threadIdx.x] = 1;
}
K counted(int *out, int n) {
    int i = threadIdx.x, a = __syncthreads_count(i < n), b = __syncthreads_and(i < n), c = __syncthreads_or(i == n);
    out[i] = a * 4 + (b ? 2 : 0) + (c ? 1 : 0);
}
K named(int *out) {
    __shared__ int box[32];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    if (w == 0) {
        for (int r = 0; r < 4; r++) {
            box[l] = r * 100 + l;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
        }
    } else {
        int s = 0;
        for (int r = 0; r < 4; r++) {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            s += box[31 - l];
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
        out[l] = s;
    }
}
// ---- shuffles among parts of a warp
K tiles(const int *in, int *out) {
    auto t = cg::tiled_partition<8>(cg::this_thread_block());
    int v = in[threadIdx.x];
    for (int o = 4; o; o /= 2) v += t.shfl_down(v, o);
    v = t.shfl(v, 0);
    if (threadIdx.x % 16 < 8) v += t.shfl_xor(v, 1); // half of the tiles only
    out[threadIdx.x] = v;
}
K apart(int *out) { // one shuffle of the whole warp, from two places
    int l = threadIdx.x, r;
    if (l < 16) r = __shfl_sync(~0u, l * 2, 31 - l) + 1000;
    else r = __shfl_sync(~0u, l * 3, 31 - l) + 2000;
    out[l] = r;
}
K aggregated(int *count, int *where) {
    if (threadIdx.x % 3 == 0) {
        cg::coalesced_group g = cg::coalesced_threads();
        int base = 0;
        if (g.thread_rank() == 0) base = atomicAdd(count, g.size());
        where[threadIdx.x] = g.shfl(base, 0) + g.thread_rank();
    }
}
// ---- divergence
K loops(int *out) { // lane l goes round l times: the warp 31 times
    int s = 0;
#pragma unroll 1
    for (int i = 0; i < (int)threadIdx.x; i++) s = s * 3 + i;
    out[threadIdx.x] = s;
}
K nested(int *out, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        if ((threadIdx.x + i) % 3 == 0) {
            for (int j = 0; j < (int)(threadIdx.x % 5); j++) s += i * j;
        } else if ((threadIdx.x + i) % 3 == 1) {
            s ^= i;
            if (s & 1) continue;
        }
        s += 1;
        if (s > 5000) break;
    }
    out[threadIdx.x] = s;
}
K cases(int *out, const int *in) {
    int v = in[threadIdx.x], r;
    switch (v) {
    case 0: r = v + threadIdx.x * 3; break;
    case 1: r = threadIdx.x ^ 77; break;
    case 2: r = __popc(threadIdx.x); break;
    case 3: r = threadIdx.x * threadIdx.x; break;
    case 4: r = threadIdx.x / 3 + 5; break;
    case 5: r = -7; break;
    case 6: r = threadIdx.x % 7; break;
    case 7: r = __clz(threadIdx.x); break;
    default: r = -1; break;
    }
    out[threadIdx.x] = r;
}
// ---- calls
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
K recursion(int *out) { out[threadIdx.x] = fib(threadIdx.x % 12); }
__device__ __noinline__ int forever(int n, volatile int *p) { return p[0] >= 0 ? forever(n + 1, p) + p[1] : n; }
K endless_recursion(int *out) { out[0] = forever(0, out); }
__device__ __noinline__ float f_add(float a, float b) { return a + b; }
__device__ __noinline__ float f_mul(float a, float b) { return a * b; }
__device__ __noinline__ float f_sub(float a, float b) { return a - b; }
typedef float (*op_t)(float, float);
__device__ op_t table[3] = {f_add, f_mul, f_sub};
K pointers(float *out) { out[threadIdx.x] = table[threadIdx.x % 3]((float)threadIdx.x, 2.5f); }
struct Big { int v[10]; double d; };
__device__ __noinline__ Big twist(Big b, int k) {
    for (int i = 0; i < 10; i++) b.v[i] = b.v[i] * k + i;
    b.d *= 0.5;
    return b;
}
K structs(int *out, Big b) {
    Big c = twist(b, threadIdx.x);
    c = twist(c, 2);
    out[threadIdx.x] = c.v[threadIdx.x % 10] + (int)c.d;
}
K indexed_param(int *out, Big b) { out[threadIdx.x] = b.v[threadIdx.x % 10]; }
K local_array(int *out, int n) {
    int a[16];
    for (int i = 0; i < 16; i++) a[i] = threadIdx.x * i;
    for (int i = 0; i < n; i++) a[(i * 7 + threadIdx.x) & 15] += a[(i * 3) & 15];
    int s = 0;
    for (int i = 0; i < 16; i++) s += a[i] * (i + 1);
    out[threadIdx.x] = s;
}
// ---- the runtime's device functions
K prints(const char *s) {
    if (threadIdx.x == 1)
        printf("%d %5.2f|%-6s|%c|%lld|%x|%%|%5u|%s|%08.3e|%+d|%p|%hhd\n", -5, 3.14159, "ab", 'z', 1ll << 40, 255, 42u, s, 12345.678, 7, (void *)0x1234, 300);
    if (threadIdx.x < 2) printf("t%d\n", threadIdx.x);
}
K hostile_print() { printf("%999999d%n%s%", 1, (int *)0, (const char *)1); }
K asserts(int n) { assert(threadIdx.x < n && "too many"); }
struct Node { int v; Node *next; };
K list(int *out) {
    Node *head = nullptr;
    for (int i = 0; i < 5; i++) {
        Node *n = (Node *)malloc(sizeof(Node));
        n->v = threadIdx.x * 10 + i;
        n->next = head;
        head = n;
    }
    int s = 0;
    while (head) {
        s = s * 3 + head->v;
        Node *n = head->next;
        free(head);
        head = n;
    }
    out[threadIdx.x] = s;
}
K bad_free(int *p) { free(p); }
// ---- failing
K out_of_bounds(int *p, int n) { p[threadIdx.x + n] = 1; }
K misaligned(char *p) { *(int *)(p + 1) = 1; }
K endless(volatile int *p) {
    while (true) p[0] = p[0] + 1;
}
K traps(int *p) {
    if (threadIdx.x == 5) __trap();
    p[threadIdx.x] = 1;
}
K waits_clock(long long *out, long long n) {
    long long t = clock64();
    while (clock64() - t < n) {
    }
    out[threadIdx.x] = clock64() - t;
}
// ---- atomics whose order shows
K float_sum(float *s, const float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(s, x[i]);
}
K ticket(int *next, int *order) {
    if (threadIdx.x == 0) order[atomicAdd(next, 1)] = blockIdx.x;
}
K where(unsigned *out) {
    unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned lane, warp, lt;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
    unsigned n = blockDim.x * blockDim.y * blockDim.z;
    out[(b * n + t) * 4] = t;
    out[(b * n + t) * 4 + 1] = lane + 100 * warp;
    out[(b * n + t) * 4 + 2] = lt;
    out[(b * n + t) * 4 + 3] = threadIdx.x | threadIdx.y << 8 | threadIdx.z << 16;
}
__constant__ int ctable[4] = {3, 1, 4, 1};
__device__ int counter = 5;
__device__ int *pointer = &counter;
K variables(int *out) {
    out[threadIdx.x] = ctable[threadIdx.x % 4] + *pointer;
    if (threadIdx.x == 0) counter = 9;
}
