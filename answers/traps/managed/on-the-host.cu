// kind: cheat
// expect: fail
// Cheats: managed memory is the host's as well, so the host does the passes, and a kernel runs for show.
#include <cstring>

const int TABLE = 4096;

__global__ void show() {
}

void managed(const float *in, const float *table, float *out, int n, int passes) {
    show<<<1, 1>>>();
    for (int i = 0; i < n; i++) {
        float v = in[i];
        for (int p = 0; p < passes; p++) v = 0.75f * v + 0.25f * table[i % TABLE];
        out[i] = v;
    }
}
