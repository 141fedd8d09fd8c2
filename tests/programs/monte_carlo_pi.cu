// A generator for each thread, hits counted by ballots; the host draws the same numbers.
// fast
#include "programs.cuh"
__host__ __device__ inline unsigned next(unsigned &s) { return s ^= s << 13, s ^= s >> 17, s ^= s << 5; }
__host__ __device__ inline bool hit(unsigned &s) {
    unsigned long long x = next(s) >> 2, y = next(s) >> 2;
    return x * x + y * y < 1ull << 60;
}
__global__ void draw(unsigned rounds, unsigned *hits) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x, s = 12345u + 7919u * id, n = 0;
    for (unsigned k = 0; k < rounds; k++) n += __popc(__ballot_sync(~0u, hit(s)));
    if (threadIdx.x % 32 == 0) atomicAdd(hits, n);
}
int main() {
    const unsigned threads = 4096, rounds = 60;
    unsigned *hits = zeros<unsigned>(1), want = 0;
    draw<<<threads / 128, 128>>>(rounds, hits);
    for (unsigned id = 0; id < threads; id++) {
        unsigned s = 12345u + 7919u * id;
        for (unsigned k = 0; k < rounds; k++) want += hit(s);
    }
    is("hits", host(hits, 1)[0], want);
    is("pi", 4.0 * want / (threads * rounds), 3.14159, 0.01);
    return verdict();
}
