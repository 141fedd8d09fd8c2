#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
int run() { thrust::device_vector<float> v(1000, 2.f), w(1000); thrust::sort(v.begin(), v.end()); thrust::transform(v.begin(), v.end(), w.begin(), [] __device__(float x) { return x * x; }); return (int)thrust::reduce(w.begin(), w.end()); }
