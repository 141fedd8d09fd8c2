// lab: vector-add
// expect: pass
// Names of libc's and of the glue's as its own, in a namespace and as statics.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
namespace mine {
int poll(int n) { return (n + 255) / 256; }
int recv(int n) { return poll(n); }
}
static int __warplab_next_block(int n) { return mine::recv(n); }
void vector_add(const float *a, const float *b, float *c, int n) { add<<<__warplab_next_block(n), 256>>>(a, b, c, n); }
