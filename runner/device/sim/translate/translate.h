/* Machine code as PTX, the door of this room. In goes one function of a cubin (sass/sass.h); out
 * comes the text of a PTX module whose kernel does, instruction by instruction, what the machine
 * code does, on registers that bear the machine's names. The simulated device loads and runs that
 * text like any other, so the handlers, the accesses, the barriers and the counters are the same.
 *
 * The machine code is executed only to count and to time what an NVIDIA device does with it, never
 * as a way to run programs elsewhere: no option offers that, and results always come from the
 * program's own PTX.
 *
 *   instruction --operand.c--> names of registers, literals, addresses, and lines that prepare them
 *     --row.c, rows.def--> the PTX of its opcode, under its guard
 *     --texture.c--> the same of textures and surfaces
 *     --translate.c--> labels, calls and returns, the kernel around it
 *
 * Lanes meet again where the machine says: BSSY keeps the lanes that are on, BSYNC is a
 * bar.warp.sync of them. A barrier that some BREAK leaves is left to the device's own order of
 * fragments, which meet at post-dominators.
 *
 * An opcode or a form without a row refuses the whole kernel, and the message names it. */
#ifndef WARPLAB_SIM_TRANSLATE_H
#define WARPLAB_SIM_TRANSLATE_H

#include "runner/device/sim/sass/sass.h"

/* Of the kernel, in bytes: what the machine code does not say. Parameters are c[0] and given with
 * the launch. The other banks of constants become variables of the module, $bank2 to $bank4, which
 * its owner fills: ptxas's own constants (2), the program's (3), addresses of its variables (4). */
enum { SIM_TRANSLATE_BANKS = 5 };
typedef struct {
    uint32_t param_bytes, shared_bytes, local_bytes;
    uint32_t bank_bytes[SIM_TRANSLATE_BANKS]; /* [2] to [4] */
} sim_translate_about;

/* What the address of vprintf is there. A call of it returns at once: what is printed is said by
 * PTX. */
#define SIM_TRANSLATE_PRINTF 0x7d00000000000001ull

typedef struct {
    char *text; /* NUL-terminated */
    size_t len;
    uint32_t line_count;
    uint32_t *insn_of;    /* by line of the text, from 0: the machine instruction that it is of */
    uint32_t param_bytes; /* that a launch of it takes: whole words of 64 bits */
} sim_translation;

/* False: a message, and nothing to free. */
bool sim_translate(const sass_module *m, const sass_func *f, const sim_translate_about *about,
                   sim_translation *out, lib_message *msg);
void sim_translation_free(sim_translation *t);

#endif
