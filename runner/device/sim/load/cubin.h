/* Reads a cubin, the ELF file that ptxas makes for one architecture: a kernel's headers, and the
 * banks of constants that its machine code reads. */
#ifndef WARPLAB_CUBIN_H
#define WARPLAB_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    unsigned registers; /* per thread */
    unsigned barriers;  /* block barriers used */
    uint64_t shared;    /* static, without the part that the architecture reserves */
    /* stack frame, bytes per thread, with the frames of callees where these are known */
    uint64_t local;
    uint64_t const_param; /* bank 0: launch state and parameters */
    uint64_t const_user;  /* __constant__ variables of the module */
} sim_cubin_kernel;

/* Returns the architecture, 90 for sm_90; 0: not a cubin. */
unsigned sim_cubin_arch(const void *cubin, size_t len);
/* Writes the command line with which ptxas made it ("-arch sm_90 -m 64"), cut at n bytes. Returns
 * false if the file does not say it: it is not a cubin, is broken, or nvlink has made it. */
bool sim_cubin_command(const void *cubin, size_t len, char *to, size_t n);
/* Returns false if it is not a cubin, is broken, or has no such kernel. */
bool sim_cubin_get(const void *cubin, size_t len, const char *kernel, sim_cubin_kernel *out);

/* Finds the places of a kernel's parameters in bank 0, counted from the first, and how many bytes
 * they have together. A parameter that is aligned to more than 16 bytes may have another place than
 * in PTX. Returns false if the file does not tell them all. */
bool sim_cubin_params(const void *cubin, size_t len, const char *kernel, uint32_t *at,
                      unsigned count, uint32_t *bytes);

/* A name in a bank of constants: a variable at `at` (bank 3), or, if `address`, a place for the
 * address of the variable plus `addend`, 64 bits (bank 4). function: the address of something other
 * than a variable, such as vprintf. */
typedef struct {
    char *name;
    uint64_t at, bytes;
    int64_t addend;
    bool address, function;
} sim_cubin_name;
typedef struct {
    uint8_t *bytes; /* as in the file; NULL: the kernel has no such bank */
    size_t size;
    sim_cubin_name *names;
    size_t name_count;
} sim_cubin_bank;
/* Reads bank 2 (ptxas's own constants), 3 (the module's __constant__ variables) or 4 (addresses of
 * its other variables) of a kernel. Returns false if it is not a cubin, is broken, or memory is
 * out; then nothing must be freed. */
bool sim_cubin_bank_get(const void *cubin, size_t len, const char *kernel, unsigned bank,
                        sim_cubin_bank *out);
void sim_cubin_bank_free(sim_cubin_bank *b);

#endif
