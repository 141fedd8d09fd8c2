// lab: vector-add
// expect: fail
// Calls a library where the lab asks for a kernel.
#include <thrust/device_ptr.h>
#include <thrust/functional.h>
#include <thrust/transform.h>
void vector_add(const float *a, const float *b, float *c, int n) {
    thrust::device_ptr<const float> x(a), y(b);
    thrust::transform(x, x + n, y, thrust::device_ptr<float>(c), thrust::plus<float>());
}
