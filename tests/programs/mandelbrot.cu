// Lanes that leave a loop after very different numbers of rounds; exact in integers.
#include "programs.cuh"
__host__ __device__ inline int escape(int x, int y) {
    long long a = 0, b = 0, ca = (x - 90) * 43691ll / 2, cb = (y - 48) * 43691ll / 2; // 20 bits behind the point
    int k = 0;
    for (; k < 100; k++) {
        long long aa = a * a >> 20, bb = b * b >> 20;
        if (aa + bb > 4 << 20) break;
        b = (a * b >> 19) + cb, a = aa - bb + ca;
    }
    return k;
}
__global__ void draw(unsigned char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = (unsigned char)escape(x, y);
}
int main() {
    const int w = 130, h = 97;
    unsigned char *d = device<unsigned char>(w * h);
    draw<<<dim3(blocks(w, 16), blocks(h, 8)), dim3(16, 8)>>>(d, w, h);
    std::vector<unsigned char> want(w * h);
    for (int i = 0; i < w * h; i++) want[i] = (unsigned char)escape(i % w, i / w);
    equal("rounds", host(d, w * h), want);
    return verdict();
}
