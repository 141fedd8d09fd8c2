// lab: alignment
// expect: fail counter
// expect: says global_loads is
// A particle is read in four loads. A loop that looks at local memory until an atomic has counted
// to 8 waits for no other thread, so its looks take nothing away from the loads.
struct particle {
    float x, y, vx, vy;
};
__global__ void step(const particle *in, particle *out, float dt, int n) {
    __shared__ int rounds[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x, own[4];
    rounds[threadIdx.x] = own[n & 3] = 0;
    volatile int *at = n < 0 ? (int *)out : &own[n & 3];
    while (*at + atomicAdd(&rounds[threadIdx.x], 1) < 8) {}
    if (i >= n) return;
    particle p = in[i];
    p.x += p.vx * dt;
    p.y += p.vy * dt;
    out[i] = p;
}
void advance(const float *in, float *out, float dt, int n) {
    step<<<(n + 255) / 256, 256>>>((const particle *)in, (particle *)out, dt, n);
}
