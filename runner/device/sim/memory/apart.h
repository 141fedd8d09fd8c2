/* A private view of global memory, for one block or for all blocks of a launch: lines of the
 * device's memory are copied when they are first touched, and stores stay in the copy.
 *
 *   a lane's bytes on the host --sim_apart_place()--> the same bytes of the copy
 *
 * The size is limited. Beyond it, all accesses go to one line that is never compared, and
 * sim_apart_full() says so. One thread uses it. */
#ifndef WARPLAB_SIM_APART_H
#define WARPLAB_SIM_APART_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sim_apart sim_apart;
enum { SIM_APART_BLOCK = 64, SIM_APART_LAUNCH = 128 }; /* MB */
sim_apart *sim_apart_new(unsigned megabytes);          /* NULL: memory is short */
void sim_apart_free(sim_apart *p);
void sim_apart_forget(sim_apart *p); /* another block begins */
bool sim_apart_full(const sim_apart *p);
/* Returns the copy of the bytes at `host`, device address `at`. They do not cross a line of 128
 * bytes; the whole line exists on the host. */
void *sim_apart_place(sim_apart *p, uint64_t at, void *host);
/* The same for reading, while other threads do not write there. Returns `host` itself if there is
 * no copy. */
void *sim_apart_look(const sim_apart *p, uint64_t at, void *host);
/* Returns how many words of the copies differ from the host's present contents, and the address of
 * one of them. *rounded counts instead the numbers of single or double precision that are almost
 * equal, because assemblers may join a product and a sum. */
uint64_t sim_apart_unlike(const sim_apart *p, uint64_t *rounded, uint64_t *at);

#endif
