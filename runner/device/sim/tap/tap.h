/* Writes what the warps of a launch executed, instruction by instruction, into a file that
 * Accel-Sim reads. In: a kernel's machine code and, block after block, the run of the PTX that
 * restates it. Out:
 *
 *   FOLDER/kernel-N.traceg     head, then for each block and warp one line a machine instruction:
 *                              PC mask dest_num [reg] opcode src_num [regs] mem_width
 *                              [how addresses] 0
 *   FOLDER/kernelslist.g       the names of those files, in the order of the launches
 *
 * The format is described in util/tracer_nvbit/README.md and gpu-simulator/trace-parser of
 * https://github.com/accel-sim/accel-sim-framework, tracer version 5. PC and mask are hexadecimal;
 * the mask has the lanes whose guard holds. how: 0 and all addresses, or 1, the first one and the
 * step, if the lanes' addresses follow each other.
 *
 *   sim_tap_open() --block: sim_tap_begin(), warps: sim_tap_until(), sim_tap_access(),
 *     sim_tap_end()--> sim_tap_close() */
#ifndef WARPLAB_SIM_TAP_H
#define WARPLAB_SIM_TAP_H

#include "runner/base/words/words.h"
#include "runner/device/sim/machine/state.h"
#include "runner/device/sim/sass/sass.h"
#include "runner/device/sim/time/time.h"

/* Writes this process's launches into the folder from now on; the folder is borrowed. NULL: none.
 * All their blocks are executed as machine code, too, one after another. */
void sim_tap_into(const char *folder);
bool sim_tap_wanted(void);

typedef struct sim_tap sim_tap;
typedef struct {
    const sass_func *code;
    const time_machine_map *map;
    const sim_func *ptx; /* the PTX that restates it */
    unsigned arch, registers;
    uint64_t shared; /* bytes of shared memory of a block */
    const unsigned *grid, *block;
} sim_tap_about;

/* All fields are borrowed until sim_tap_close(). Returns NULL if memory is out or the file cannot
 * be written. */
sim_tap *sim_tap_open(const sim_tap_about *about);
/* Returns false if sim_tap_failed(), or if `keep` is false; then there is no file. */
bool sim_tap_close(sim_tap *t, bool keep);
/* Returns the reason: memory is out, a write failed, or all files would be longer than 1 GB; 0: no
 * failure. */
lib_word_id sim_tap_failed(const sim_tap *t);

void sim_tap_begin(sim_tap *t, const sim_block *b);
void sim_tap_end(sim_tap *t, const sim_block *b); /* writes the block */

/* The warp is about to execute the PTX from *at to `end` (indices in the function). *at becomes
 * `end`. */
void sim_tap_until(sim_tap *t, const sim_warp *w, uint32_t *at, uint32_t end);
/* The warp is about to execute the access `i` for the lanes in `on`. */
void sim_tap_access(sim_tap *t, const sim_warp *w, const sim_insn *i, uint32_t on);

#endif
