// Seven points: a block goes along z and keeps the planes before and behind in registers.
#include "programs.cuh"
const int X = 70, Y = 33, Z = 20;
__global__ void stencil(const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= X || y >= Y) return;
    int at = y * X + x;
    float before = 0, here = in[at], behind = in[at + X * Y];
    for (int z = 0; z < Z; z++, at += X * Y) {
        bool edge = !x || !y || !z || x == X - 1 || y == Y - 1 || z == Z - 1;
        out[at] = edge ? here : -6 * here + before + behind + in[at - 1] + in[at + 1] + in[at - X] + in[at + X];
        before = here, here = behind;
        if (z + 2 < Z) behind = in[at + 2 * X * Y];
    }
}
int main() {
    auto a = floats(X * Y * Z, -1, 1);
    float *out = device<float>(a.size());
    stencil<<<dim3(blocks(X, 32), blocks(Y, 4)), dim3(32, 4)>>>(device(a), out);
    std::vector<double> want(a.begin(), a.end());
    for (int z = 1; z < Z - 1; z++)
        for (int y = 1; y < Y - 1; y++)
            for (int x = 1; x < X - 1; x++) {
                const float *p = &a[(z * Y + y) * X + x];
                want[p - a.data()] = -6.0 * p[0] + p[-X * Y] + p[X * Y] + p[-1] + p[1] + p[-X] + p[X];
            }
    near("stencil", host(out, a.size()), want, 1e-5);
    return verdict();
}
