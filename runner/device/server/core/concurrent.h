/* Races between streams: kernels, copies and memsets access the same bytes, at least one writes,
 * and nothing orders them: no stream, event, wait of the host or legacy default stream.
 *
 *   in    the order as it arises (begin, event, wait, host), and the accesses of each piece of work
 *   out   findings, like those of races within a kernel
 *
 * Only its edges order the nodes of one launch of a graph. Ordered work is never reported: accesses
 * that are not known exactly are left out (a launch that was not watched for races). If there are
 * too many accesses, they are kept as ranges; unordered works whose ranges overlap are reported. If
 * a graph has more than DEV_NODES_ORDERED nodes, or bodies nested DEV_BODIES_DEEP deep, or if more
 * of its works wait than are kept, the log says that something was not checked; such a call is not
 * judged. */
#ifndef WARPLAB_DEVICE_CONCURRENT_H
#define WARPLAB_DEVICE_CONCURRENT_H

#include "runner/device/server/core/stream.h"

typedef struct {
    uint64_t from, to;
    unsigned how; /* SIM_WORD_* */
    unsigned line;
    const char *file; /* of a kernel's source, with its line; "" and 0: unknown */
} dev_run;
typedef struct {
    dev_run *at; /* by address */
    size_t count, room;
    /* start of the allocation of each: a run never crosses from one into the next; NULL: unknown */
    dev_client *of;
    bool coarse; /* there were too many: neighbours were merged, with the bytes between them */
    bool lost;   /* memory is out: nothing is reported about them */
} dev_runs;
void dev_runs_add(dev_runs *r, const sim_word_run *run);
void dev_runs_free(dev_runs *r);

/* The predecessors of each node of a graph, or of a conditional node's body: rows of `words` words,
 * one bit a node. Bodies may be nested; DEV_BODIES_DEEP levels are kept apart. */
enum { DEV_NODES_ORDERED = 16384, DEV_BODIES_DEEP = 8 };
typedef struct {
    uint64_t *before;
    size_t words;
    /* Instead of nodes, launches of a kernel: each line has grids that run one after another, lines
     * are unordered, and DEV_BEHIND_ALL comes after all. */
    bool lines;
} dev_node_order;
#define DEV_BEHIND_ALL SIZE_MAX
/* The following work belongs to node `node` of this launch of a graph (depth 0), or of this run of
 * a body at that depth in the last named node. `order` orders its nodes; dev_concurrent_launch()
 * gave its number. order NULL: the following work belongs to no list at that depth. */
void dev_concurrent_node(dev_client *c, unsigned depth, uint64_t launch, size_t node,
                         const dev_node_order *order);
uint64_t dev_concurrent_launch(dev_client *c);
unsigned dev_concurrent_depth(const dev_client *c); /* number of levels named now */

/* Work of s begins: after the earlier work of s, after what the host has waited for, and in the
 * order of the legacy default stream. */
void dev_concurrent_begin(dev_client *c, dev_stream *s);
/* The work accessed these runs, which are taken over. kernel: "" if it is not a kernel. */
void dev_concurrent_note(dev_client *c, dev_stream *s, dev_op op, const char *kernel,
                         dev_runs *runs);
/* Returns whether the present work of s directly follows a kernel of its stream. */
bool dev_concurrent_behind(const dev_stream *s);
/* A kernel that directly follows another and was launched programmatically accessed the runs of
 * `early` before it waited for the previous one, at the same time as that one. `all`: all its runs;
 * they race with what the previous one itself has not waited for. Call it before
 * dev_concurrent_note(); the runs stay the caller's. */
void dev_concurrent_early(dev_client *c, dev_stream *s, const char *kernel, const sim_result *r,
                          const dev_runs *early, const dev_runs *all);
/* Bytes of a copy or (from NULL) a memset, row by row. */
void dev_concurrent_copy(dev_client *c, dev_stream *s, dev_op op, const wire_place *to,
                         const wire_place *from, const uint64_t extent[3]);
/* n bytes at base are freed in the order of s (cudaFreeAsync). Unordered work of another stream may
 * still use them. */
void dev_concurrent_freed(dev_client *c, const dev_stream *s, uint64_t base, uint64_t n);
/* The program's own code is about to use memory of the host at `at`. Kernels for which it has not
 * waited may still store there, or load where it writes. */
void dev_concurrent_touched(dev_client *c, uint64_t at, bool write);
/* Returns whether such a use is compared with the last noted kernel of s. */
bool dev_concurrent_guards(const dev_client *c, const dev_stream *s);
/* returns whether there are such kernels that use managed memory */
bool dev_concurrent_in_use(const dev_client *c);
/* The same for page-locked memory: adds the pages of such kernels to n others in `to`, and returns
 * how many there are now. changed: whether there are other kernels than when this was last asked.
 * locks: whether there are such that use m. */
size_t dev_concurrent_pages(dev_client *c, size_t n, wire_range to[WIRE_HELD]);
bool dev_concurrent_changed(const dev_client *c);
bool dev_concurrent_locks(dev_client *c, const dev_mem *m);
/* From now on the host may know that such kernels are over. */
void dev_concurrent_open(dev_client *c);
void dev_concurrent_record(dev_client *c, dev_stream *s, dev_mark *e);
void dev_concurrent_wait(dev_client *c, dev_stream *s, const dev_mark *e);
/* The host has waited: for the stream (NULL: for the whole device), for the event. */
void dev_concurrent_host(dev_client *c, unsigned device, const dev_stream *s);
void dev_concurrent_host_event(dev_client *c, const dev_mark *e);
/* The program asks whether work up to `clocks` is over. True: the answer is yes, and the host has
 * waited. As long as it has not, the answer may always be no, so it is no at first: how often is
 * drawn where the sampled blocks are (sim_options.sample), else once. No answer depends on the time
 * that the work takes. */
bool dev_concurrent_answers(dev_client *c, const dev_clocks *clocks);
void dev_concurrent_gone(dev_client *c, const dev_stream *s); /* the stream is destroyed */
void dev_concurrent_free(dev_client *c);

/* ---- page-locked memory that an asynchronous copy of s uses, which the program's own code must
 * leave alone until it has waited: what lies there then is compared with what the copy left or
 * found. Of copies that are too long together, pieces at equal distances are. Nothing is said where
 * the device has used the memory since, or the host may know otherwise that the copy is over. */

/* The copy of `rows` rows of `width` bytes, each `pitch` behind the one before it, is done; none is
 * 0. caller: wire_copy's. */
void dev_held_copy(dev_client *c, const dev_stream *s, dev_op op, uint64_t at, uint64_t width,
                   uint64_t pitch, uint64_t rows, uint64_t caller);
void dev_held_used(dev_client *c, uint64_t at, uint64_t n); /* the device is about to write there */
/* Forgets copies that overlap [at, at + n): anything may have written there by now. */
void dev_held_forget(dev_client *c, uint64_t at, uint64_t n);
void dev_held_host(dev_client *c, const dev_clocks *host); /* what the host has waited for so far */
void dev_held_free(dev_client *c);
/* In a lab's call, the pages of memory that such copies fill: the program's own code may not even
 * read them before it has waited. Returns how many runs of pages there are; changed: whether there
 * are others than when they were last asked for. */
size_t dev_held_pages(dev_client *c, wire_range to[WIRE_HELD]);
bool dev_held_changed(const dev_client *c);
/* The pages of m that [from, to) touches; of registered memory, only those that hold nothing else
 * of the program. */
wire_range dev_held_range(const dev_mem *m, uint64_t from, uint64_t to);
/* The program's own code is about to use m at `at`: a finding if a copy still fills it. *open: what
 * no copy fills around `at`; nothing if rows of a copy lie on both sides. */
void dev_held_wanted(dev_client *c, const dev_mem *m, uint64_t at, bool write, wire_range *open);

#endif
