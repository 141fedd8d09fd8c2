// Cells as bits: 32 of them a word, neighbours added bit by bit; a torus.
#include "programs.cuh"
const int W = 8, H = 96; // words, rows
__host__ __device__ inline unsigned live(unsigned c, const unsigned n[8]) {
    unsigned one = 0, two = 0, four = 0;
    for (int i = 0; i < 8; i++) {
        unsigned carry = one & n[i];
        one ^= n[i];
        four |= two & carry;
        two ^= carry;
    }
    return two & ~four & (one | c);
}
__host__ __device__ inline unsigned cell(const unsigned *a, int x, int y) {
    auto at = [&](int i, int j) { return a[(j + H) % H * W + (i + W) % W]; };
    unsigned n[8];
    for (int d = -1, k = 0; d <= 1; d++) {
        unsigned l = at(x - 1, y + d), m = at(x, y + d), r = at(x + 1, y + d);
        n[k++] = m << 1 | l >> 31, n[k++] = m >> 1 | r << 31;
        if (d) n[k++] = m;
    }
    return live(at(x, y), n);
}
__global__ void step(const unsigned *a, unsigned *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < W * H) b[i] = cell(a, i % W, i / W);
}
int main() {
    std::vector<unsigned> a(W * H), b(W * H);
    for (auto &x : a) x = rnd() & rnd();
    unsigned *d[2] = {device(a), device<unsigned>(W * H)};
    for (int k = 0; k < 20; k++) {
        step<<<blocks(W * H, 64), 64>>>(d[k & 1], d[~k & 1]);
        for (int i = 0; i < W * H; i++) b[i] = cell(a.data(), i % W, i / W);
        a.swap(b);
    }
    // a glider by itself moves by one cell in four steps
    std::vector<unsigned> g(W * H), moved(W * H);
    g[10 * W] = 2u << 5, g[11 * W] = 4u << 5, g[12 * W] = 7u << 5;
    moved[11 * W] = 2u << 6, moved[12 * W] = 4u << 6, moved[13 * W] = 7u << 6;
    unsigned *e[2] = {device(g), device<unsigned>(W * H)};
    for (int k = 0; k < 4; k++) step<<<blocks(W * H, 64), 64>>>(e[k & 1], e[~k & 1]);
    equal("world", host(d[0], W * H), a);
    equal("glider", host(e[0], W * H), moved);
    return verdict();
}
