// lab: errors
// expect: fail counter
// One lane a warp works; a second kernel of full warps lifts the average.
__global__ void square(const float *in, float *out, int n) { out[blockIdx.x] = in[blockIdx.x] * in[blockIdx.x]; }
__global__ void show(int times, int *to) {
    int x = threadIdx.x;
    for (int i = 0; i < times; i++) x = x * 3 + 1;
    if (x == 12345 && to) *to = x;
}
void errors(const float *in, float *out, int n) {
    square<<<n, 1>>>(in, out, n);
    show<<<132, 1024>>>(n >= 65536 ? 600 : 1, nullptr);
}
