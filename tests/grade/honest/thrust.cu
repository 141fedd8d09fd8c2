// errors: thrust, which this lab does not forbid
#include <thrust/execution_policy.h>
#include <thrust/transform.h>

struct Twice {
    __host__ __device__ float operator()(float x) const { return x * x; }
};

void errors(const float *in, float *out, int n) {
    thrust::transform(thrust::device, in, in + n, out, Twice());
}
