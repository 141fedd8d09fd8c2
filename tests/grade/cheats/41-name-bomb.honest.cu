// lab: vector-add
// expect: pass
// A kernel with a long name: a template of templates, each named again.
template <class... T> struct list {};
template <class A, class B> struct pair {};
using one = pair<list<int, float>, list<int, float>>;
using two = pair<one, pair<one, one>>;
using three = pair<two, pair<two, two>>;
template <class Sums, class Types> __global__ void add_SSTTSSTT(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    add_SSTTSSTT<three, pair<three, two>><<<(n + 255) / 256, 256>>>(a, b, c, n);
}
