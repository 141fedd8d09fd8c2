/* Words of memory by which warps wait for one another: a word that one of them writes and another
 * one polls (a turn, a lock, a count of those who have come, an mbarrier).
 *
 *   a store or atomic --sim_meets_write()--> how often its words have been written
 *   a load or atomic that polls --sim_meets_poll()--> its wait ends with the n-th of these writes
 *
 * The executor runs one warp after another, so the order of its instructions is no time. That a
 * value was there only after n writes holds on any device: the replay lets the reader go on when it
 * has replayed as many (sim_trace_event.word). Words that one instruction writes together are one
 * group and have one count. A block has a table of its own; blocks of a cluster may write to that
 * of others, which takes longer but is no write that their replay has.
 *
 * `path`: the cycles of the longest chain of instructions that had to come before (sim_seg.alone):
 * who has read a word had to wait for all that its writer waited for. */
#ifndef WARPLAB_MEETS_H
#define WARPLAB_MEETS_H

#include <stdbool.h>
#include <stdint.h>

enum { SIM_WORD_BYTES = 4, SIM_WORD_WRITES = 0x8000, SIM_MEETS_MOST = 0x4000 };

/* Paths, as in sim_seg.alone: the bits below SIM_TRIPS count cycles, those from there on waits for
 * loads. Returns the later one, if such a wait takes `each` cycles. */
enum { SIM_TRIPS = 40 };
static inline double sim_path_cycles(uint64_t path, double each) {
    return (double)(path & ((UINT64_C(1) << SIM_TRIPS) - 1)) + (double)(path >> SIM_TRIPS) * each;
}
static inline uint64_t sim_path_later(uint64_t a, uint64_t b, double each) {
    return sim_path_cycles(a, each) >= sim_path_cycles(b, each) ? a : b;
}

typedef struct sim_meets sim_meets;
/* each: of the paths that it compares. NULL: memory is out. */
sim_meets *sim_meets_new(double each);
void sim_meets_free(sim_meets *s);
/* Another block begins. */
void sim_meets_begin(sim_meets *s);

typedef struct {
    uint16_t group; /* of the words, from 1 on; 0: none */
    uint16_t turn;  /* writes of that group so far, the lowest bits */
    bool polled;    /* someone has polled it */
    uint64_t path;  /* the longest of its writers' */
} sim_meets_at;

/* An instruction writes the n words with these addresses, at least one. own: the block's own
 * instruction. Returns the group of the first, before the write. */
sim_meets_at sim_meets_write(sim_meets *s, const uint64_t *at, unsigned n, uint64_t path, bool own);
/* An instruction reads them and may have to read them again. Returns the group that was written
 * last. */
sim_meets_at sim_meets_poll(sim_meets *s, const uint64_t *at, unsigned n);
/* The same for an mbarrier whose phase of this parity is over: counts are of the writes until then.
 * parity: of its present phase. Call it with `polls` false after each write. */
sim_meets_at sim_meets_phase(sim_meets *s, uint64_t at, bool parity, bool polls);

#endif
