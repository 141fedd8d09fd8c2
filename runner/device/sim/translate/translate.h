/* Turns machine code into PTX: the door of this room. In: one function of a cubin (sass/sass.h).
 * Out: the text of a PTX module whose kernel does, instruction by instruction, what the machine
 * code does, on registers with the machine's names. The simulated device loads and runs this text
 * like any other, so the handlers, the accesses, the barriers and the counters are the same.
 *
 * The machine code is executed only to count and to time what an NVIDIA device does with it, never
 * as a way to run programs elsewhere: no option offers that, and results always come from the
 * program's own PTX.
 *
 *   instruction --operand.c--> names of registers, literals, addresses, and lines that prepare them
 *     --row.c, rows.def--> the PTX of its opcode, with its guard
 *     --texture.c--> the same for textures and surfaces
 *     --matrix.c--> the same for products of tensor cores
 *     --bulk.c--> the same for copies of the tensor memory accelerator
 *     --translate.c--> labels, calls and returns, the kernel around it
 *
 * Lanes reconverge where the machine says: BSSY records the active lanes, BSYNC is a bar.warp.sync
 * of them. For a barrier that some BREAK leaves, the device's own order of fragments is used: they
 * meet at post-dominators.
 *
 * An opcode or a form without a row refuses the whole kernel, and the message names it. */
#ifndef WARPLAB_SIM_TRANSLATE_H
#define WARPLAB_SIM_TRANSLATE_H

#include "runner/device/sim/sass/sass.h"

/* What the machine code does not say about the kernel; sizes in bytes. Parameters are in c[0] and
 * given with the launch, where the machine code has them. The other banks of constants become
 * variables of the module, $bank2 to $bank4, which its owner fills: ptxas's own constants (2), the
 * program's (3), addresses of its variables (4). */
enum { SIM_TRANSLATE_BANKS = 5 };
typedef struct {
    uint32_t param_bytes, shared_bytes, local_bytes;
    uint32_t bank_bytes[SIM_TRANSLATE_BANKS]; /* [2] to [4] */
} sim_translate_about;

/* The address that stands for vprintf. A call of it returns at once: only the PTX prints. */
#define SIM_TRANSLATE_PRINTF 0x7d00000000000001ull

/* The generic address of the bytes given with the launch, as bulk copies name it. */
#define SIM_TRANSLATE_PARAMS 0x2f0200000000ull

typedef struct {
    char *text; /* ends in NUL */
    size_t len;
    uint32_t line_count;
    uint32_t *insn_of;    /* by line of the text, from 0: its machine instruction */
    uint32_t param_bytes; /* bytes of its launches' parameters: whole words of 64 bits */
    uint32_t param_skip; /* bytes before the first parameter, where the code takes an address there:
                           * then addresses are aligned as in the machine's bank */
} sim_translation;

/* Returns false and a message; then nothing must be freed. */
bool sim_translate(const sass_module *m, const sass_func *f, const sim_translate_about *about,
                   sim_translation *out, lib_message *msg);
void sim_translation_free(sim_translation *t);

#endif
