/* Texture fetches for x86-64 with AVX2 (x86-64-v3): see texture_path.inc. The flags are in the
 * Makefile. */
#if defined(__x86_64__)
#define TX_NAME sim_tex_warp_avx2
#include "runner/device/sim/special/texture_path.inc"
#endif
