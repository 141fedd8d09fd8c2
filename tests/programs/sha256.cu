// A digest a thread: rotations and additions, constants in constant memory. The host's own code is held to the standard's example first.
#include "programs.cuh"
#define ROUNDS(X)                                                                                                                          \
    X(0x428a2f98) X(0x71374491) X(0xb5c0fbcf) X(0xe9b5dba5) X(0x3956c25b) X(0x59f111f1) X(0x923f82a4) X(0xab1c5ed5) X(0xd807aa98) X(0x12835b01) \
    X(0x243185be) X(0x550c7dc3) X(0x72be5d74) X(0x80deb1fe) X(0x9bdc06a7) X(0xc19bf174) X(0xe49b69c1) X(0xefbe4786) X(0x0fc19dc6) X(0x240ca1cc) \
    X(0x2de92c6f) X(0x4a7484aa) X(0x5cb0a9dc) X(0x76f988da) X(0x983e5152) X(0xa831c66d) X(0xb00327c8) X(0xbf597fc7) X(0xc6e00bf3) X(0xd5a79147) \
    X(0x06ca6351) X(0x14292967) X(0x27b70a85) X(0x2e1b2138) X(0x4d2c6dfc) X(0x53380d13) X(0x650a7354) X(0x766a0abb) X(0x81c2c92e) X(0x92722c85) \
    X(0xa2bfe8a1) X(0xa81a664b) X(0xc24b8b70) X(0xc76c51a3) X(0xd192e819) X(0xd6990624) X(0xf40e3585) X(0x106aa070) X(0x19a4c116) X(0x1e376c08) \
    X(0x2748774c) X(0x34b0bcb5) X(0x391c0cb3) X(0x4ed8aa4a) X(0x5b9cca4f) X(0x682e6ff3) X(0x748f82ee) X(0x78a5636f) X(0x84c87814) X(0x8cc70208) \
    X(0x90befffa) X(0xa4506ceb) X(0xbef9a3f7) X(0xc67178f2)
#define X(v) v##u,
__constant__ unsigned k_device[64] = {ROUNDS(X)};
static const unsigned k_host[64] = {ROUNDS(X)};
#undef X
__host__ __device__ inline unsigned turn(unsigned x, int n) { return x >> n | x << (32 - n); }
__host__ __device__ inline void digest(const unsigned *k, const unsigned in[16], unsigned h[8]) {
    unsigned w[64], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int i = 0; i < 8; i++) h[i] = s[i];
    for (int i = 0; i < 64; i++) {
        w[i] = i < 16 ? in[i]
                      : w[i - 16] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
                            (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
        unsigned t = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
        unsigned u = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int j = 7; j; j--) s[j] = s[j - 1];
        s[4] += t, s[0] = t + u;
    }
    for (int i = 0; i < 8; i++) h[i] += s[i];
}
__host__ __device__ inline void message(unsigned n, unsigned m[16]) {
    for (int i = 0; i < 16; i++) m[i] = 0;
    m[0] = n, m[1] = 0x80000000, m[15] = 32;
}
__global__ void digests(unsigned *out) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x, m[16], h[8];
    message(id, m);
    digest(k_device, m, h);
    for (int i = 0; i < 8; i++) out[id * 8 + i] = h[i];
}
int main() {
    const unsigned n = 512;
    unsigned abc[16] = {0x61626380}, h[8], m[16];
    abc[15] = 24;
    digest(k_host, abc, h); // FIPS 180-4, "abc"
    is("the standard's example", h[0] == 0xba7816bf && h[7] == 0xf20015ad, 1);
    unsigned *out = device<unsigned>(8 * n);
    digests<<<n / 64, 64>>>(out);
    std::vector<unsigned> want;
    for (unsigned i = 0; i < n; i++) {
        message(i, m);
        digest(k_host, m, h);
        want.insert(want.end(), h, h + 8);
    }
    equal("digests", host(out, 8 * n), want);
    return verdict();
}
