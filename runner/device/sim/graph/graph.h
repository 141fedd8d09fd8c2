/* Graphs of basic blocks: where the paths out of a block meet again. PTX's and machine code's
 * blocks are both such a graph. */
#ifndef WARPLAB_SIM_GRAPH_H
#define WARPLAB_SIM_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t n;
    uint32_t *first, *to; /* edges of v: to[first[v] .. first[v + 1]); malloc'ed */
} sim_graph;
/* Room for the edges of `n` vertices; false: no memory. first[0] is 0. */
bool sim_graph_new(sim_graph *g, uint32_t n, uint32_t edges);
void sim_graph_free(sim_graph *g);

/* ipdom[v] := the immediate post-dominator of v, or -1 where that is the exit. leaves[v]: some
 * path ends at v (changed: one vertex of each part that nothing leads out of is taken to end too).
 * False: no memory. */
bool sim_post_dominators(const sim_graph *g, uint8_t *leaves, int32_t *ipdom);

#endif
