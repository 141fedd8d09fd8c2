// What the programs of this folder share: checks of calls, numbers that are the same everywhere, arrays to and from the device, a verdict.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CK(call) check_call((call), #call, __FILE__, __LINE__)
inline void check_call(cudaError_t e, const char *what, const char *file, int line) {
    if (!e) return;
    printf("%s:%d: %s: %s\n", file, line, what, cudaGetErrorString(e));
    exit(2);
}

static unsigned rnd_state = 2463534242u;
inline unsigned rnd() { // xorshift, G. Marsaglia 2003
    rnd_state ^= rnd_state << 13, rnd_state ^= rnd_state >> 17, rnd_state ^= rnd_state << 5;
    return rnd_state;
}
inline float rndf(float low = 0, float high = 1) { return low + (high - low) * (rnd() >> 8) * (1.0f / (1 << 24)); }
inline std::vector<float> floats(size_t n, float low = 0, float high = 1) {
    std::vector<float> v(n);
    for (auto &x : v) x = rndf(low, high);
    return v;
}
inline std::vector<int> ints(size_t n, unsigned below) {
    std::vector<int> v(n);
    for (auto &x : v) x = (int)(rnd() % below);
    return v;
}

template <class T> T *device(size_t n) {
    T *p;
    CK(cudaMalloc(&p, n * sizeof(T)));
    return p;
}
template <class T> T *device(const std::vector<T> &v) {
    T *p = device<T>(v.size());
    CK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T> T *zeros(size_t n) {
    T *p = device<T>(n);
    CK(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}
template <class T> std::vector<T> host(const T *p, size_t n) {
    std::vector<T> v(n);
    CK(cudaGetLastError());
    CK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}
inline unsigned blocks(size_t n, unsigned of) { return (unsigned)((n + of - 1) / of); }

static int bad;
template <class A, class B> void equal(const char *what, const std::vector<A> &got, const std::vector<B> &want) {
    size_t wrong = got.size() != want.size(), at = 0;
    for (size_t i = 0; i < got.size() && i < want.size(); i++)
        if (!(got[i] == want[i]) && !wrong++) at = i;
    if (wrong) printf("%s: %zu wrong, the first at %zu: %g, want %g\n", what, wrong, at, (double)got[at], (double)want[at]);
    bad += wrong != 0;
}
// |got - want| <= tolerance * max(1, |want|)
template <class A, class B> void near(const char *what, const std::vector<A> &got, const std::vector<B> &want, double tolerance) {
    size_t wrong = got.size() != want.size(), at = 0;
    for (size_t i = 0; i < got.size() && i < want.size(); i++)
        if (!(std::fabs((double)got[i] - (double)want[i]) <= tolerance * std::max(1.0, std::fabs((double)want[i]))) && !wrong++) at = i;
    if (wrong) printf("%s: %zu wrong, the first at %zu: %g, want %g\n", what, wrong, at, (double)got[at], (double)want[at]);
    bad += wrong != 0;
}
inline void is(const char *what, double got, double want, double tolerance = 0) {
    near(what, std::vector<double>{got}, std::vector<double>{want}, tolerance);
}
inline int verdict() {
    CK(cudaDeviceSynchronize());
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
