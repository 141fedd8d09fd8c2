// Lists made with malloc() on the device, pushed by exchange, walked by another kernel, freed by a third.
#include "programs.cuh"
struct node {
    node *next;
    int value;
};
__device__ node *head[16];
__global__ void push(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    node *x = (node *)malloc(sizeof *x);
    x->value = i;
    x->next = (node *)atomicExch((unsigned long long *)&head[i % 16], (unsigned long long)x);
}
__global__ void walk(long long *sum) {
    long long s = 0;
    for (node *x = head[threadIdx.x]; x; x = x->next) s += x->value;
    sum[threadIdx.x] = s;
}
__global__ void drop() {
    for (node *x = head[threadIdx.x], *next; x; x = next) next = x->next, free(x);
    head[threadIdx.x] = nullptr;
}
int main() {
    const int n = 1000;
    auto *sum = device<long long>(16);
    for (int round = 0; round < 3; round++) {
        push<<<blocks(n, 64), 64>>>(n);
        walk<<<1, 16>>>(sum);
        drop<<<1, 16>>>();
        std::vector<long long> want(16);
        for (int i = 0; i < n; i++) want[i % 16] += i;
        equal("sums", host(sum, 16), want);
    }
    return verdict();
}
