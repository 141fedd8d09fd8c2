/* Products of fragments for x86-64 with AVX-512 (x86-64-v4): see tensor_path.inc. The flags are in
 * the Makefile. */
#if defined(__x86_64__)
#define TP_NAME sim_product_avx512
#include "runner/device/sim/matrix/tensor_path.inc"
#endif
