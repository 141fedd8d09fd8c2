// The baseline of concurrent: everything in the default stream, one launch after another.
__global__ void step(float *x, int cells, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    float v = x[i];
    for (int r = 0; r < rounds; r++) v = v * 0.999f + 0.001f * (v > 0 ? -1.0f : 1.0f);
    x[i] = v;
}

void concurrent(float *x, int jobs, int cells, int steps, int rounds) {
    int blocks = (cells + 127) / 128;
    for (int j = 0; j < jobs; j++)
        for (int s = 0; s < steps; s++)
            step<<<blocks, 128>>>(x + (size_t)j * cells, cells, rounds);
}
