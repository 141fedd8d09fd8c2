/* Chains of flags from block to block: how many blocks, one after another, wait for what the one
 * before has stored. For the time of a launch, since blocks run one after another here and find
 * every flag set.
 *
 *   volatile or relaxed store --sim_chain_store()--> the word is as late as its block
 *   volatile or relaxed load  --sim_chain_load()---> the block is one later than the word
 *
 * A warp that asks for many words at once looks back over as many blocks, so it is that part of a
 * step later (sim_chain_place.windows). */
#ifndef WARPLAB_SIM_CHAIN_H
#define WARPLAB_SIM_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

/* How late a block or a word is, in steps from block to block: those of a word each, and those of
 * several words at once. */
typedef struct {
    double words, windows;
} sim_chain_place;

typedef struct sim_chain sim_chain;
/* Of a launch whose blocks one worker runs. NULL: memory is short. */
sim_chain *sim_chain_new(void);
void sim_chain_free(sim_chain *c);
/* Block `block`, which is at `place`, stores the word at `at`. Words beyond the first 65,536 are
 * left out. */
void sim_chain_store(sim_chain *c, uint64_t at, uint64_t block, const sim_chain_place *place);
/* Lanes of a warp of the block have loaded these n words. Moves the block's place. */
void sim_chain_load(sim_chain *c, const uint64_t *at, unsigned n, uint64_t block,
                    sim_chain_place *place);
/* Returns the latest place of all blocks. */
sim_chain_place sim_chain_longest(const sim_chain *c);

#endif
