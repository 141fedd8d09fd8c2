// Tensor cores and asynchronous copies, for sm_80 and later: tensor.sm_90.sass.
#include <cuda_pipeline.h>
#include <mma.h>

__global__ void product(const __half *a, const __half *b, float *c) {
    __shared__ __align__(16) __half tile[256];
    __pipeline_memcpy_async(&tile[threadIdx.x * 8], a + threadIdx.x * 8, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, __half, nvcuda::wmma::row_major> x;
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, __half, nvcuda::wmma::col_major> y;
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> z;
    nvcuda::wmma::fill_fragment(z, 0);
    nvcuda::wmma::load_matrix_sync(x, tile, 16);
    nvcuda::wmma::load_matrix_sync(y, b, 16);
    nvcuda::wmma::mma_sync(z, x, y, z);
    nvcuda::wmma::store_matrix_sync(c, z, 16, nvcuda::wmma::mem_row_major);
}
