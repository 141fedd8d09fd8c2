// A search tree that the host builds with pointers in managed memory, the device walks, and the host reads again.
#include "programs.cuh"
struct node {
    node *less, *more;
    int key, hits;
};
__global__ void look(node *root, const int *key, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (node *x = root; x; x = key[i] < x->key ? x->less : x->more)
        if (x->key == key[i]) {
            atomicAdd(&x->hits, 1);
            return;
        }
}
int main() {
    const int n = 300, asked = 2000;
    node *pool, *root = nullptr;
    int *key;
    CK(cudaMallocManaged(&pool, n * sizeof *pool)), CK(cudaMallocManaged(&key, asked * sizeof *key));
    std::vector<int> keys(n), want(n);
    for (int i = 0; i < n; i++) keys[i] = (i * 7919 + 13) % 4001;
    for (int i = 0; i < n; i++) {
        pool[i] = {nullptr, nullptr, keys[i], 0};
        node **at = &root;
        while (*at) at = keys[i] < (*at)->key ? &(*at)->less : &(*at)->more;
        *at = &pool[i];
    }
    for (int i = 0; i < asked; i++) {
        key[i] = rnd() % 4001;
        for (int k = 0; k < n; k++) want[k] += keys[k] == key[i];
    }
    look<<<blocks(asked, 128), 128>>>(root, key, asked);
    CK(cudaDeviceSynchronize());
    std::vector<int> got(n);
    for (int i = 0; i < n; i++) got[i] = pool[i].hits;
    equal("hits", got, want);
    return verdict();
}
