// lab: streams
// expect: pass
// A thread of the host for each chunk, none of which waits for another; C11's threads, which have functions of their own.
#include <threads.h>
__global__ void filter(float *x, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.75f + 0.125f;
    x[i] = v;
}

const int CHUNKS = 8;
struct Chunk {
    const float *in;
    float *x, *out;
    int n, rounds;
};

static int work(void *chunk) {
    const Chunk *c = (const Chunk *)chunk;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(c->x, c->in, sizeof(float) * c->n, cudaMemcpyHostToDevice, stream);
    filter<<<(c->n + 255) / 256, 256, 0, stream>>>(c->x, c->n, c->rounds);
    cudaMemcpyAsync(c->out, c->x, sizeof(float) * c->n, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    return 0;
}

void streams(const float *in, float *x, float *out, int n, int rounds) {
    int chunk = (n + CHUNKS - 1) / CHUNKS, used = 0;
    thrd_t threads[CHUNKS];
    Chunk chunks[CHUNKS];
    for (int at = 0; at < n; at += chunk) {
        chunks[used] = {in + at, x + at, out + at, n - at < chunk ? n - at : chunk, rounds};
        thrd_create(&threads[used], work, &chunks[used]);
        used++;
    }
    for (int t = 0; t < used; t++) thrd_join(threads[t], nullptr);
}
