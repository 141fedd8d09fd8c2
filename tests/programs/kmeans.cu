// Clusters: the nearest centre in constant memory, sums by shared atomics on integers, centres moved until nobody changes.
#include "programs.cuh"
const int K = 5, N = 6000;
__constant__ int2 centre[K];
__global__ void assign(const int2 *p, int *of, int *changed, int *sum) {
    __shared__ int s[3 * K];
    if (threadIdx.x < 3 * K) s[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        int best = 0, least = INT_MAX;
        for (int k = 0; k < K; k++) {
            int x = p[i].x - centre[k].x, y = p[i].y - centre[k].y, d = x * x + y * y;
            if (d < least) least = d, best = k;
        }
        if (of[i] != best) of[i] = best, *(volatile int *)changed = 1;
        atomicAdd(&s[3 * best], p[i].x), atomicAdd(&s[3 * best + 1], p[i].y), atomicAdd(&s[3 * best + 2], 1);
    }
    __syncthreads();
    if (threadIdx.x < 3 * K) atomicAdd(&sum[threadIdx.x], s[threadIdx.x]);
}
int main() {
    std::vector<int2> p(N), c(K);
    for (int i = 0; i < N; i++) p[i] = make_int2(rnd() % 300 + (i % K) * 500, rnd() % 300 + (i * i % K) * 400);
    for (int k = 0; k < K; k++) c[k] = p[k];
    std::vector<int> of(N, -1);
    auto dc = c;
    int2 *dp = device(p);
    int *dof = device(of), *changed = device<int>(1), *sum = device<int>(3 * K), rounds = 0;
    for (bool go = true; go && rounds < 50; rounds++) {
        CK(cudaMemcpyToSymbol(centre, dc.data(), sizeof centre));
        CK(cudaMemset(changed, 0, 4)), CK(cudaMemset(sum, 0, 12 * K));
        assign<<<blocks(N, 128), 128>>>(dp, dof, changed, sum);
        auto s = host(sum, 3 * K);
        for (int k = 0; k < K; k++)
            if (s[3 * k + 2]) dc[k] = make_int2(s[3 * k] / s[3 * k + 2], s[3 * k + 1] / s[3 * k + 2]);
        go = host(changed, 1)[0];
    }
    int want = 0;
    for (bool go = true; go && want < 50; want++) {
        int s[3 * K] = {0};
        go = false;
        for (int i = 0; i < N; i++) {
            int best = 0, least = INT_MAX;
            for (int k = 0; k < K; k++) {
                int x = p[i].x - c[k].x, y = p[i].y - c[k].y, d = x * x + y * y;
                if (d < least) least = d, best = k;
            }
            go |= of[i] != best, of[i] = best;
            s[3 * best] += p[i].x, s[3 * best + 1] += p[i].y, s[3 * best + 2]++;
        }
        for (int k = 0; k < K; k++)
            if (s[3 * k + 2]) c[k] = make_int2(s[3 * k] / s[3 * k + 2], s[3 * k + 1] / s[3 * k + 2]);
    }
    is("rounds", rounds, want);
    equal("clusters", host(dof, N), of);
    return verdict();
}
