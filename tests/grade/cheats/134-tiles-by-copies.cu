// lab: int-div
// expect: fail counter
// expect: says moved_bytes is
// No index is computed: three-dimensional copies move all complete tiles.
__global__ void edge(const unsigned char *in, unsigned char *out, int rows, int cols, int bits,
                     int across, int tx0, int ty0) {
    int tx = tx0 + blockIdx.x, ty = ty0 + blockIdx.y, t = 1 << bits;
    for (int i = threadIdx.x; i < t * t; i += blockDim.x) {
        int row = (ty << bits) + (i >> bits), col = (tx << bits) + (i & (t - 1));
        out[((ty * across + tx) << 2 * bits) + i] =
            row < rows && col < cols ? in[row * cols + col] : 0;
    }
}
void int_div(const unsigned char *in, unsigned char *out, int rows, int cols, int t) {
    int across = (cols + t - 1) / t, down = (rows + t - 1) / t, fx = cols / t, fy = rows / t,
        bits = 0;
    while (1 << bits < t) bits++;
    for (int r = 0; r < t && fx && fy; r++) {
        cudaMemcpy3DParms p = {};
        p.srcPtr = make_cudaPitchedPtr((void *)(in + r * cols), t, t, cols);
        p.dstPtr = make_cudaPitchedPtr(out + r * t, t * t, t, across);
        p.extent = make_cudaExtent(t, fx, fy);
        p.kind = cudaMemcpyDeviceToDevice;
        cudaMemcpy3DAsync(&p, 0);
    }
    if (across > fx) edge<<<dim3(1, down), 64>>>(in, out, rows, cols, bits, across, fx, 0);
    if (down > fy && fx) edge<<<dim3(fx, 1), 64>>>(in, out, rows, cols, bits, across, 0, fy);
    if (across == fx && down == fy) edge<<<1, 64>>>(in, out, rows, cols, bits, across, 0, 0);
}
