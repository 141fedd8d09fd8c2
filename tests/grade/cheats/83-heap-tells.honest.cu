// lab: alignment
// expect: pass
// A kernel may ask for memory, and remember where it lay: the particles move in the same way wherever that is.
struct __align__(16) particle {
    float x, y, vx, vy;
};
__device__ int moved;
__device__ char *first;
__global__ void look(int calls) {
    char *p = (char *)malloc(64);
    if (!calls) first = p;
    moved = p - first != calls * 512;
}
__global__ void step(const particle *in, particle *out, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    particle p = in[i];
    p.x += p.vx * dt;
    p.y += p.vy * dt;
    out[i] = p;
}
void advance(const float *in, float *out, float dt, int n) {
    static int calls;
    look<<<1, 1>>>(calls++);
    step<<<(n + 255) / 256, 256>>>((const particle *)in, (particle *)out, dt, n);
}
