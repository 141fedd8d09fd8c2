// alignment, solved: with __align__(16), a thread loads a particle with one 16-byte access and
// stores it with another.
// zh: alignment 的参考答案：加上 __align__(16) 后，线程用一次 16 字节的访问读入一个粒子，
// zh: 再用一次写回。
struct __align__(16) particle {
    float x, y, vx, vy;
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
