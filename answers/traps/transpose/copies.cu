// kind: cheat
// expect: fail correct
// Cheats: a plain copy, as fast as can be. A symmetric matrix would never tell.
void transpose(const float *in, float *out, int rows, int cols) {
    cudaMemcpyAsync(out, in, sizeof(float) * rows * cols, cudaMemcpyDeviceToDevice);
}
