// alignment: n particles of 16 bytes move by their velocity times
// dt. The compiler knows only that a particle is aligned to 4 bytes.
// So the kernel loads and stores a particle in four accesses.
// zh: n 个粒子（每个 16 字节）按速度乘以 dt 移动。
// zh: 编译器只知道粒子按 4 字节对齐，所以核函数要分四次读写一个粒子。

// TODO: tell the compiler that each particle starts at a multiple of 16 bytes.
// zh: TODO：告诉编译器，每个粒子都从 16 字节的倍数处开始。
struct particle {
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
    step<<<(n + 255) / 256, 256>>>((const particle *)in, (particle *)out, dt,
                                   n);
}
