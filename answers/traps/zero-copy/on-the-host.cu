// kind: cheat
// expect: fail counter global_load_bytes
// Cheats: the memory is the host's, so the host does the work, and a kernel is launched for show.
__global__ void show() {
}

void zero_copy(const float *in, float *out, int n) {
    show<<<1, 1>>>();
    for (int i = 0; i < n; i++)
        out[i] = (in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3]) / 4;
}
