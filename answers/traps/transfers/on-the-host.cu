// kind: cheat
// expect: fail counter d2h_bytes
// Cheats: no copies at all, because the host does the work; a kernel that does nothing is launched for show.
#include <cstdlib>
#include <cstring>

__global__ void show() {
}

void transfers(const float *log, const int *order, float *out, int rows, int cols) {
    float now = 0;
    show<<<1, 1>>>();
    for (int r = 0; r < rows; r++) {
        const float *from = log + (size_t)order[r] * cols;
        float s = 0;
        for (int c = 0; c < cols; c++) s += from[c];
        now = 0.75f * now + 0.25f * s / cols;
        for (int c = 0; c < cols; c++) out[(size_t)r * cols + c] = from[c] - now;
    }
}
