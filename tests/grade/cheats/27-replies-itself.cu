// lab: vector-add
// expect: fail correct
// Puts a socket of its own in place of the server's and answers every request with success.
#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>
#include <pthread.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
static int pipes[2];
static void *server(void *) {
    static uint64_t m[1 << 17];
    for (ssize_t n; (n = read(pipes[0], m, sizeof m)) > 0;) {
        uint32_t bytes = 24;
        memcpy(m, &bytes, sizeof bytes);
        ((unsigned char *)m)[6] = 1; // one scalar: the error
        ((unsigned char *)m)[7] = 0;
        m[2] = 0;
        if (write(3, m, 24) < 0) break;
    }
    return nullptr;
}
void vector_add(const float *a, const float *b, float *c, int n) {
    pthread_t t;
    if (pipe(pipes)) return;
    dup2(pipes[1], 3); // what the library writes comes to our thread
    pthread_create(&t, nullptr, server, nullptr);
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
}
