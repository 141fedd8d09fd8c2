/* Graphs of basic blocks: where the paths out of a block meet again. Blocks of PTX and of machine
 * code both form such a graph. */
#ifndef WARPLAB_SIM_GRAPH_H
#define WARPLAB_SIM_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t n;
    uint32_t *first, *to; /* edges of v: to[first[v] .. first[v + 1]); malloc'ed */
} sim_graph;
/* Makes room for the edges of `n` vertices. Returns false if memory is out. first[0] is 0. */
bool sim_graph_new(sim_graph *g, uint32_t n, uint32_t edges);
void sim_graph_free(sim_graph *g);

/* Sets ipdom[v] to the immediate post-dominator of v, or to -1 if that is the exit. leaves[v]: some
 * path ends at v. The function changes it: in each part from which no path leads out, one vertex
 * counts as an end, too. Returns false if memory is out. */
bool sim_post_dominators(const sim_graph *g, uint8_t *leaves, int32_t *ipdom);

#endif
