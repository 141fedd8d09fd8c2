// The baseline of alignment: the compiler knows only that a particle is aligned to 4 bytes. So a thread loads a particle in four
// accesses, and in each access neighbouring lanes are 16 bytes apart.
struct particle {
    float x, y, vx, vy; // 16 bytes
};

__global__ void step(const particle *in, particle *out, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    particle p = in[i];
    p.x += p.vx * dt;
    p.y += p.vy * dt;
    out[i] = p;
}

void advance(const float *in, float *out, float dt, int n) {
    step<<<(n + 255) / 256, 256>>>((const particle *)in, (particle *)out, dt, n);
}
