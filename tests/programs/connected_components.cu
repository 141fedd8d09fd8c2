// Components of a graph by union and find: roots hooked by compare and swap, paths made short while they are walked.
#include "programs.cuh"
__device__ int root(volatile int *p, int x) {
    int at = x;
    while (p[at] != at) at = p[at];
    return at;
}
__global__ void hook(int *p, const int2 *edge, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    int a = edge[i].x, b = edge[i].y;
    for (;;) {
        a = root(p, a), b = root(p, b);
        if (a == b) return;
        int low = min(a, b), high = max(a, b);
        if (atomicCAS(&p[high], high, low) == high) return;
    }
}
__global__ void flatten(int *p, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = root(p, i);
}
int main() {
    const int n = 3000, m = 2600;
    std::vector<int> p(n), want(n);
    std::vector<int2> e(m);
    for (int i = 0; i < n; i++) p[i] = want[i] = i;
    for (auto &x : e) x = make_int2(rnd() % n, rnd() % n);
    for (bool go = true; go;) { // the least number of a component
        go = false;
        for (auto &x : e) {
            int low = std::min(want[x.x], want[x.y]);
            go |= want[x.x] != low || want[x.y] != low, want[x.x] = want[x.y] = low;
        }
    }
    int *dp = device(p), *out = device<int>(n);
    hook<<<blocks(m, 128), 128>>>(dp, device(e), m);
    flatten<<<blocks(n, 128), 128>>>(dp, out, n);
    equal("components", host(out, n), want);
    return verdict();
}
