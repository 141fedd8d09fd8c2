/* The functions of our libcudart.so.13 that the generated glue of a lab calls. This header is
 * compiled into the student's program (C or C++), so it needs nothing else.
 *
 *     int main(void) {
 *         uint64_t a[WARPLAB_MAX_ARGS];
 *         while (__warplab_next(a, WARPLAB_MAX_ARGS))
 *             vector_add((const float *)a[0], (const float *)a[1], (float *)a[2], (int)a[3]);
 *         return 0;
 *     }
 *
 * The runner answers with dev_client_call() (one slot an argument) or dev_client_finish(). */
#ifndef WARPLAB_GLUE_H
#define WARPLAB_GLUE_H

#include <stdint.h>

#define WARPLAB_MAX_ARGS 64

#ifdef __cplusplus
extern "C" {
#endif

/* Blocks until the runner has a call. Returns 1: args[0..n) have one 64-bit slot per argument.
 * Returns 0: leave the loop (also if the runner has ended). A slot contains the argument's bits,
 * little-endian and zero-extended: a pointer for device and host buffers, the two's complement of
 * an integer (cast it down), the IEEE bits of a float in the low 32 (memcpy from the slot) or of a
 * double in all 64. Calling it again ends the call before: the server waits for that call's work on
 * every stream of every thread. Pending errors of that call (cudaGetLastError and sticky ones) are
 * reported to the runner. Call it from one thread only.
 *
 * Only our library exports the symbol, at version WARPLAB_1: link the program against our
 * libcudart.so.13 (give its path to the linker), not the vendor's. */
int __warplab_next(uint64_t *args, unsigned max);

#ifdef __cplusplus
}
#endif
#endif
