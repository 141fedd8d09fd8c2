/* Races between streams: kernels, copies and memsets that access the same bytes, one of them to
 * write, and nothing orders them: no stream, event, wait of the host or legacy default stream.
 *
 *   in    order as it is made (begin, event, wait, host), and what each piece of work accessed
 *   out   findings, as races within a kernel are
 *
 * Nodes of one launch of a graph are ordered by its edges alone. Never an alarm where there is an
 * order: what is not known to the byte is left out (a launch that was not watched for races). What was too
 * much to keep is kept as ranges: where nothing orders two works whose ranges meet, that is told. Where a
 * graph has more than DEV_NODES_ORDERED nodes, or bodies in bodies DEV_BODIES_DEEP deep, or more of its
 * works wait than are kept, the log tells that something was not looked at: nobody judges such a call. */
#ifndef WARPLAB_DEVICE_CONCURRENT_H
#define WARPLAB_DEVICE_CONCURRENT_H

#include "runner/device/server/core/stream.h"

typedef struct {
    uint64_t from, to;
    unsigned how; /* SIM_WORD_* */
    unsigned line;
    const char *file; /* of a kernel's source, with its line; "" and 0: nobody knows */
} dev_run;
typedef struct {
    dev_run *at; /* by address */
    size_t count, room;
    dev_client
        *of; /* whose allocations these are: no run reaches from one into the next; NULL: unknown */
    bool coarse; /* there were too many: neighbours are one, with what lies between them */
    bool lost;   /* no memory: nothing is said of them */
} dev_runs;
void dev_runs_add(dev_runs *r, const sim_word_run *run);
void dev_runs_free(dev_runs *r);

/* What comes before each node of a graph, or of a conditional node's body: rows of `words` words, a bit a
 * node. Bodies may lie in bodies, so deep as is told apart. */
enum { DEV_NODES_ORDERED = 16384, DEV_BODIES_DEEP = 8 };
typedef struct {
    uint64_t *before;
    size_t words;
    /* What a kernel launches, instead: a node is a line of grids that run one after another, lines are in
     * no order, and DEV_BEHIND_ALL is behind all. */
    bool lines;
} dev_node_order;
#define DEV_BEHIND_ALL SIZE_MAX
/* The work that follows is of node `node` of this launch of a graph (depth 0), or of this run of a body at
 * that depth in the node named last; its nodes are ordered so, its number is dev_concurrent_launch()'s.
 * order NULL: what follows is of no list at that depth. */
void dev_concurrent_node(dev_client *c, unsigned depth, uint64_t launch, size_t node,
                         const dev_node_order *order);
uint64_t dev_concurrent_launch(dev_client *c);
unsigned dev_concurrent_depth(const dev_client *c); /* levels that are named now */

/* Work of s begins: behind what came before it in s, what the host has waited for, and as the legacy
 * default stream orders. */
void dev_concurrent_begin(dev_client *c, dev_stream *s);
/* It accessed these, which are taken over. kernel: "" if it is none. */
void dev_concurrent_note(dev_client *c, dev_stream *s, dev_op op, const char *kernel,
                         dev_runs *runs);
/* Does the work of s that is under way come right behind a kernel of its stream? */
bool dev_concurrent_behind(const dev_stream *s);
/* A kernel that came so and was launched programmatically accessed these before it waited for the one before
 * it, beside which they ran. Before dev_concurrent_note(); the runs stay the caller's. */
void dev_concurrent_early(dev_client *c, const dev_stream *s, const char *kernel, dev_runs *runs);
/* Bytes of a copy or (from NULL) a memset, row by row. */
void dev_concurrent_copy(dev_client *c, dev_stream *s, dev_op op, const wire_place *to,
                         const wire_place *from, const uint64_t extent[3]);
/* n bytes at base are given back in the order of s (cudaFreeAsync): work of another stream that
 * nothing orders before that may still use them. */
void dev_concurrent_freed(dev_client *c, const dev_stream *s, uint64_t base, uint64_t n);
/* The program's own code is about to use managed memory at `at`: kernels that it has not waited for may still store
 * there, or load where it writes. */
void dev_concurrent_touched(dev_client *c, uint64_t at, bool write);
/* The kernel of s that was noted last is one that such a use is compared with. */
bool dev_concurrent_guards(const dev_client *c, const dev_stream *s);
bool dev_concurrent_in_use(
    const dev_client *c); /* there are such kernels that use managed memory */
void dev_concurrent_record(dev_client *c, dev_stream *s, dev_mark *e);
void dev_concurrent_wait(dev_client *c, dev_stream *s, const dev_mark *e);
/* The host has waited: for the stream (NULL: for all of the device), for the event. */
void dev_concurrent_host(dev_client *c, unsigned device, const dev_stream *s);
void dev_concurrent_host_event(dev_client *c, const dev_mark *e);
/* The program asks whether work up to `clocks` is over. True: the answer is yes, and the host has waited. As long
 * as it has not, the answer may always be no, so it is no at first: how often is drawn where the sampled
 * blocks are (sim_options.sample), else once. No answer depends on the time that the work takes. */
bool dev_concurrent_answers(dev_client *c, const dev_clocks *clocks);
void dev_concurrent_gone(dev_client *c, const dev_stream *s); /* the stream is destroyed */
void dev_concurrent_free(dev_client *c);

/* ---- page-locked memory that an asynchronous copy of s uses, which the program's own code must leave alone
 * until it has waited: what lies there then is compared with what the copy left or found. Of copies that
 * are too long together, pieces at equal distances are. Nothing is said where the device has used the memory since, or the host
 * may know otherwise that the copy is over. */

/* The copy of `rows` rows of `width` bytes, each `pitch` behind the one before it, is done; none is 0. caller:
 * wire_copy's. */
void dev_held_copy(dev_client *c, const dev_stream *s, dev_op op, uint64_t at, uint64_t width,
                   uint64_t pitch, uint64_t rows, uint64_t caller);
void dev_held_used(dev_client *c, uint64_t at, uint64_t n); /* the device is about to write there */
/* Copies that meet [at, at + n): what lies there may be anybody's by now. */
void dev_held_forget(dev_client *c, uint64_t at, uint64_t n);
void dev_held_host(dev_client *c, const dev_clocks *host); /* what the host has waited for by now */
void dev_held_free(dev_client *c);

#endif
