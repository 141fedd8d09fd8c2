// Two sequences aligned: blocks along a diagonal, and a diagonal inside each block, over a tile in shared memory.
#include "programs.cuh"
const int T = 16, N = 128, W = N + 1;
__global__ void tile(int *score, const int *match, int diagonal, int first) {
    __shared__ int s[T + 1][T + 1], m[T][T];
    int bx = first + blockIdx.x, by = diagonal - bx, t = threadIdx.x, x0 = bx * T, y0 = by * T;
    for (int y = 0; y < T; y++) m[y][t] = match[(y0 + y) * N + x0 + t];
    if (!t) s[0][0] = score[y0 * W + x0];
    s[t + 1][0] = score[(y0 + t + 1) * W + x0], s[0][t + 1] = score[y0 * W + x0 + t + 1];
    __syncwarp(0xffff);
    for (int d = 0; d < 2 * T - 1; d++) {
        int y = d - t;
        if (y >= 0 && y < T) s[y + 1][t + 1] = max(s[y][t] + m[y][t], max(s[y + 1][t], s[y][t + 1]) - 3);
        __syncwarp(0xffff);
    }
    for (int y = 0; y < T; y++) score[(y0 + y + 1) * W + x0 + t + 1] = s[y + 1][t + 1];
}
int main() {
    auto a = ints(N, 4), b = ints(N, 4);
    std::vector<int> match(N * N), score(W * W);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) match[y * N + x] = a[y] == b[x] ? 5 : -2;
    for (int i = 0; i < W; i++) score[i] = score[i * W] = -3 * i;
    int *ds = device(score), *dm = device(match), B = N / T;
    for (int d = 0; d < 2 * B - 1; d++) {
        int first = std::max(0, d - B + 1), last = std::min(d, B - 1);
        tile<<<last - first + 1, T>>>(ds, dm, d, first);
    }
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            score[(y + 1) * W + x + 1] = std::max(score[y * W + x] + match[y * N + x], std::max(score[(y + 1) * W + x], score[y * W + x + 1]) - 3);
    equal("scores", host(ds, W * W), score);
    return verdict();
}
