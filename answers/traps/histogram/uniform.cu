// kind: cheat
// expect: fail correct
// Cheats: for random data every bin is about n / 256.
__global__ void guess(unsigned *bins, int n) { bins[threadIdx.x] = n / 256; }
void histogram(const unsigned char *, unsigned *bins, int n) { guess<<<1, 256>>>(bins, n); }
