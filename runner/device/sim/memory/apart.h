/* Global memory of a block's own, or of all blocks of a launch: lines of the device's,
 * copied when they are first touched. What is stored stays there.
 *
 *   a lane's bytes on the host --sim_apart_place()--> the same bytes of the copy
 *
 * Of a size: beyond that everything is in one line that nobody looks at, and sim_apart_full() says
 * so. One thread's. */
#ifndef WARPLAB_SIM_APART_H
#define WARPLAB_SIM_APART_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sim_apart sim_apart;
enum { SIM_APART_BLOCK = 16, SIM_APART_LAUNCH = 128 }; /* MB */
sim_apart *sim_apart_new(unsigned megabytes);          /* NULL when memory is short */
void sim_apart_free(sim_apart *p);
void sim_apart_forget(sim_apart *p); /* another block begins */
bool sim_apart_full(const sim_apart *p);
/* The copy of what lies at `host`, device address `at`: bytes that do not go on in another line of
 * 128. The line is there on the host as a whole. */
void *sim_apart_place(sim_apart *p, uint64_t at, void *host);
/* The same to read from, while nobody else writes there: `host` itself where there is no copy. */
void *sim_apart_look(const sim_apart *p, uint64_t at, void *host);
/* The copies' words that are not what lies on the host now, and the address of one of them. Not
 * among them, but in *rounded: numbers of single or double precision that are as good as the same,
 * since assemblers may join a product and a sum. */
uint64_t sim_apart_unlike(const sim_apart *p, uint64_t *rounded, uint64_t *at);

#endif
