// Open addressing: slots claimed by compare and swap, values added to what is there; looked up by another kernel.
#include "programs.cuh"
const unsigned SLOTS = 1 << 14, EMPTY = ~0u;
__device__ unsigned place(unsigned k) { return (k * 2654435761u >> 7) % SLOTS; }
__global__ void insert(const unsigned *key, int n, unsigned *keys, int *values) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (unsigned at = place(key[i]);; at = (at + 1) % SLOTS) {
        unsigned was = atomicCAS(&keys[at], EMPTY, key[i]);
        if (was == EMPTY || was == key[i]) {
            atomicAdd(&values[at], 1);
            return;
        }
    }
}
__global__ void find(const unsigned *key, int n, const unsigned *keys, const int *values, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int found = 0;
    for (unsigned at = place(key[i]); keys[at] != EMPTY; at = (at + 1) % SLOTS)
        if (keys[at] == key[i]) {
            found = values[at];
            break;
        }
    out[i] = found;
}
int main() {
    const int n = 15000, asked = 9000;
    std::vector<unsigned> key(n), ask(asked);
    for (auto &k : key) k = rnd() % 9000 * 77;
    for (int i = 0; i < asked; i++) ask[i] = i * 77;
    std::vector<int> want(asked);
    for (auto k : key) want[k / 77]++;
    unsigned *keys = device<unsigned>(SLOTS);
    CK(cudaMemset(keys, 0xff, 4 * SLOTS));
    int *values = zeros<int>(SLOTS), *out = device<int>(asked);
    insert<<<blocks(n, 128), 128>>>(device(key), n, keys, values);
    find<<<blocks(asked, 128), 128>>>(device(ask), asked, keys, values, out);
    equal("counts", host(out, asked), want);
    return verdict();
}
