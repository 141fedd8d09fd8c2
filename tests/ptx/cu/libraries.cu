// What CUB and Thrust become: they share their headers.
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
__global__ void block_reduce(int *a) { using R = cub::BlockReduce<int, 128>; __shared__ typename R::TempStorage t; int s = R(t).Sum(a[threadIdx.x]); if (!threadIdx.x) a[0] = s; }
__global__ void block_scan(float *a) { using S = cub::BlockScan<float, 256>; __shared__ typename S::TempStorage t; float v = a[threadIdx.x]; S(t).InclusiveSum(v, v); a[threadIdx.x] = v; }
__global__ void block_sort(unsigned *a) { using S = cub::BlockRadixSort<unsigned, 128, 4>; __shared__ typename S::TempStorage t; unsigned v[4]; for (int i = 0; i < 4; i++) v[i] = a[threadIdx.x * 4 + i]; S(t).Sort(v); for (int i = 0; i < 4; i++) a[threadIdx.x * 4 + i] = v[i]; }
int run(int *d, int n) { void *tmp = 0; size_t bytes = 0; cub::DeviceReduce::Sum(tmp, bytes, d, d, n); cub::DeviceScan::InclusiveSum(tmp, bytes, d, d, n); cub::DeviceRadixSort::SortKeys(tmp, bytes, d, d, n); cub::DeviceHistogram::HistogramEven(tmp, bytes, d, d, 10, 0, 9, n); cub::DeviceSelect::Unique(tmp, bytes, d, d, d, n); return 0; }
int run() { thrust::device_vector<float> v(1000, 2.f), w(1000); thrust::sort(v.begin(), v.end()); thrust::transform(v.begin(), v.end(), w.begin(), [] __device__(float x) { return x * x; }); return (int)thrust::reduce(w.begin(), w.end()); }
