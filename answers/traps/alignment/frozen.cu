// kind: cheat
// expect: fail correct
// Cheats: copies the particles and leaves the arithmetic out; with small dt the difference is small.
struct __align__(16) particle {
    float x, y, vx, vy; // 16 bytes
};

__global__ void step(const particle *in, particle *out, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    particle p = in[i];
    out[i] = p;
}

void advance(const float *in, float *out, float dt, int n) {
    step<<<(n + 255) / 256, 256>>>((const particle *)in, (particle *)out, dt, n);
}
