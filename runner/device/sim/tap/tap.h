/* What the warps of a launch executed, instruction by instruction: a file that Accel-Sim reads. In go a
 * kernel's machine code and, block after block, the run of the PTX that restates it; out comes
 *
 *   FOLDER/kernel-N.traceg     head, then for each block and warp a line a machine instruction:
 *                              PC mask dest_num [reg] opcode src_num [regs] mem_width [how addresses] 0
 *   FOLDER/kernelslist.g       the names of those files, in the order of the launches
 *
 * as util/tracer_nvbit/README.md and gpu-simulator/trace-parser of
 * https://github.com/accel-sim/accel-sim-framework say, tracer version 5. PC and mask are hexadecimal; a
 * mask has the lanes whose guard holds. how: 0 and all addresses, or 1, the first one and the step, where
 * the lanes follow each other.
 *
 *   sim_tap_open() --block: sim_tap_begin(), warps: sim_tap_until(), sim_tap_access(), sim_tap_end()-->
 *   sim_tap_close() */
#ifndef WARPLAB_SIM_TAP_H
#define WARPLAB_SIM_TAP_H

#include "runner/base/words/words.h"
#include "runner/device/sim/machine/state.h"
#include "runner/device/sim/sass/sass.h"
#include "runner/device/sim/time/time.h"

/* From now on this process's launches are written into the folder, which is borrowed; NULL: none are.
 * All their blocks are executed as machine code, too, one after the other. */
void sim_tap_into(const char *folder);
bool sim_tap_wanted(void);

typedef struct sim_tap sim_tap;
typedef struct {
    const sass_func *code;
    const time_machine_map *map;
    const sim_func *ptx; /* that restates it */
    unsigned arch, registers;
    uint64_t shared; /* of a block, bytes */
    const unsigned *grid, *block;
} sim_tap_about;

/* All of it is borrowed until sim_tap_close(). NULL: memory is out, or the file cannot be written. */
sim_tap *sim_tap_open(const sim_tap_about *about);
/* False: sim_tap_failed(), or `keep` is; then there is no file. */
bool sim_tap_close(sim_tap *t, bool keep);
/* Memory is out, a write failed, or all files would be longer than 1 GB: why; 0: none of them. */
lib_word_id sim_tap_failed(const sim_tap *t);

void sim_tap_begin(sim_tap *t, const sim_block *b);
void sim_tap_end(sim_tap *t, const sim_block *b); /* writes it */

/* The warp is about to execute the PTX from *at to `end`, which are numbers in the function; *at
 * becomes `end`. */
void sim_tap_until(sim_tap *t, const sim_warp *w, uint32_t *at, uint32_t end);
/* It is about to execute the access `i` for the lanes in `on`. */
void sim_tap_access(sim_tap *t, const sim_warp *w, const sim_insn *i, uint32_t on);

#endif
