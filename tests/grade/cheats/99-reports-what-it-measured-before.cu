// lab: timing
// expect: fail counter
// The time hardly depends on the data, so an earlier, untimed call measures walks of the public timed size over an array of its own, and the timed call measures nothing.
const int RUNS = 5, BIG = 1 << 19, WALKERS = 1024, HOPS = 256;

__global__ void walk(const int *next, int *out, int n, int walkers, int hops) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers) return;
    int at = (int)((long long)w * n / walkers);
    for (int h = 0; h < hops; h++) at = next[at];
    out[w] = at;
}

__global__ void scatter(int *next) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, h = i;
    h ^= h >> 16, h *= 0x7feb352du, h ^= h >> 15, h *= 0x846ca68bu, h ^= h >> 16;
    next[i] = h % BIG;
}

static double measure(const int *next, int *out, int n, int walkers, int hops) {
    int blocks = (walkers + 127) / 128;
    float ms;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    walk<<<blocks, 128>>>(next, out, n, walkers, hops);
    cudaEventRecord(begin);
    for (int r = 0; r < RUNS; r++) walk<<<blocks, 128>>>(next, out, n, walkers, hops);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return 1e3 * ms / RUNS;
}

void timing(const int *next, int *out, float *report, int n, int walkers, int hops) {
    static double kept;
    double us;
    if (n == BIG && walkers == WALKERS && hops == HOPS && kept > 0) {
        for (int r = 0; r < 6; r++) walk<<<(walkers + 127) / 128, 128>>>(next, out, n, walkers, hops);
        cudaDeviceSynchronize();
        us = kept;
    } else {
        us = measure(next, out, n, walkers, hops);
        if (kept == 0) {
            int *mine, *sink;
            cudaMalloc(&mine, BIG * sizeof(int));
            cudaMalloc(&sink, WALKERS * sizeof(int));
            scatter<<<BIG / 256, 256>>>(mine);
            kept = measure(mine, sink, BIG, WALKERS, HOPS);
            cudaFree(mine);
            cudaFree(sink);
        }
    }
    report[0] = (float)us;
    report[1] = (float)(4.0 * walkers * hops / 1e3 / us);
}
