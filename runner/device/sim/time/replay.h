/* One multiprocessor in the middle of its replay, shared by the three files that do it:
 *
 *   time_replay.c    warps, their streams, issue, pipes, barriers, blocks
 *   replay_memory.c  an access --> when it starts and when its result arrives, through the servers
 *                    LSU, L1, L2, DRAM, constants and atomics
 *   time_turns.c     turns that threads take one after another: locks and tickets
 *
 * A server is only the time at which it is free again. Warps come in the order of time, so this is
 * a queue. The units behind the multiprocessor (L2, DRAM, the dispatcher) are given as the share of
 * one among equal multiprocessors (time_share). All times are in cycles of the multiprocessor. */
#ifndef WARPLAB_REPLAY_H
#define WARPLAB_REPLAY_H

#include "runner/device/sim/time/time_internal.h"
#include "runner/device/sim/time/time_stall.h"

/* Copies and loads of a warp: groups that are tracked separately. */
enum { GROUPS = 8 };
typedef struct {
    double t; /* time at which it can go on */
    double copies, stored, group[GROUPS];
    double fetched;       /* arrival of what its loads requested from L2 */
    double back;          /* its registers can take the next pass of that */
    uint32_t group_count; /* groups committed so far */
    const sim_trace_warp *stream;
    uint32_t run, at, event;    /* place in the stream */
    uint32_t text, step, count; /* of the region being executed: its instructions, from `text` on */
    uint32_t *slot;             /* by ordinal in the region: index of the event + 1, or 0 */
    double *ready;              /* by scoreboard */
    time_owner *owner;          /* by scoreboard: the instruction that sets it */
    time_wait wait;
    double start;
    uint16_t block, scheduler;
    uint32_t waits_at; /* instruction that waits for its pipe */
    uint8_t waits_as;  /* sim_stall */
    unsigned number;   /* of the block, in the order of their starts */
    bool entered, alive;
    uint8_t barrier; /* the barrier's number + 1, if it waits at one; 0: it does not */
    double asked,
        /* time of its last poll, and of the first try for a lock since it last gave one back; 0:
         * none */
        took;
    double awaited;  /* time of its last poll of another block's word; 0: none */
    bool turns;      /* it has had a turn */
    bool looked;     /* it has looked at a word that is raised */
    bool again;      /* its swap came too late (time_op.spins): the region is repeated */
    double read;     /* time of its last read from shared memory */
    uint16_t awaits; /* the word for which it waits without going round; 0: none */
    bool excused;    /* the write for which it waits is not replayed */
} replay_warp;

/* A word by which a block's warps wait for one another (meets.h). */
typedef struct {
    uint16_t writes; /* so far, the lowest bits */
    double last;     /* time of the last one */
} replay_word;

/* Words of shared memory that are tracked separately where threads swap them. */
enum { REPLAY_WORDS = 32 };
/* mbarriers that are tracked separately: one bit each of sim_trace_event.distinct. */
enum { REPLAY_MBARRIERS = 16 };

typedef struct {
    const sim_trace_block *source;
    double arrived[17]; /* latest arrival, by barrier; the last entry is the cluster's */
    double landed[REPLAY_MBARRIERS]; /* arrival of the copies issued so far, by mbarrier */
    double swapped[REPLAY_WORDS];    /* time of the last swap that succeeded */
    replay_word *words;              /* by number, from 1 on */
    double begun;
    uint16_t waiting[17];
    unsigned live, first_warp;
    double ended;
    sim_block_span *span; /* receives its start and end, or NULL */
} replay_block;

/* A sector that a sampled block reads (sim_trace_event.ends), and what was sent to L2 for it. The
 * executor runs a block's warps one after another, so the first of them fetches what all of them
 * read. On the device, the warp that comes first does. So the replay decides anew: the first to ask
 * sends the request, and a warp that asks before the line has arrived waits, too. */
typedef struct {
    bool seen;
    uint16_t late;               /* as in sim_trace_event, the largest */
    uint32_t first;              /* the same */
    uint32_t load;               /* the load that reads it first */
    float sent, misses, entries; /* what that load sent */
    float part; /* of the blocks that run at the same time: the part that sends a request for it */
    float missing;    /* of these requests: the part that waits for DRAM */
    float again, all; /* sectors that were sent although they had arrived before; all sectors */
} replay_line;
/* The same for the block in a slot. */
typedef struct {
    unsigned block; /* number + 1 of the block that has asked for it */
    double t;       /* time of its arrival */
} replay_asked;

/* A warp that can go on: at time t, or before others in `order`. Times are never negative, so their
 * bits have the same order as the numbers, and the host compares bits faster. */
typedef struct {
    union {
        double t;
        uint64_t order;
    };
    uint32_t warp;
} replay_next;
typedef struct {
    replay_next *of;
    unsigned count;
} replay_heap;

/* A scheduler's warps. It takes the oldest of those that can go on: blocks in the order of their
 * start; within a block, in the order of the times at which the warps could go on. */
typedef struct {
    replay_heap later;                 /* by the time at which they can go on */
    replay_heap ready;                 /* can go on now, by age */
    replay_heap pipe[TIME_PIPE_COUNT]; /* wait for the pipe, by age */
    unsigned waiting;                  /* number of warps that wait for pipes */
    double at;                         /* time of its last action */
} replay_scheduler;
enum { REPLAY_SCHEDULERS = 8, REPLAY_QUEUE = 8 };

typedef struct {
    const time_code *code;
    const sim_profile *p;
    /* by sampled block and line; NULL: too many lines, and each event keeps its own */
    replay_line *lines;
    replay_asked *asked; /* by slot and line */
    size_t line_count;   /* the largest number of lines of a block */
    const sim_trace *trace;
    const time_share *share;
    replay_warp *warps;
    replay_block *blocks;
    unsigned warp_count, slots, warps_per_block;
    replay_scheduler queue[REPLAY_SCHEDULERS];
    unsigned schedulers;
    double others; /* time of the next action of another scheduler */
    unsigned turn; /* the scheduler that goes first if several act at the same time */
    double scheduler[REPLAY_SCHEDULERS], pipe[REPLAY_SCHEDULERS][TIME_PIPE_COUNT];
    double bank[REPLAY_SCHEDULERS][2]; /* end of the present reads of each register bank */
    /* when each place of its queue of accesses is free again; the place that is next */
    double queued[REPLAY_SCHEDULERS][REPLAY_QUEUE];
    unsigned queue_next[REPLAY_SCHEDULERS], queue_places;
    uint32_t issued[REPLAY_SCHEDULERS]; /* the warp that issued last, + 1 */
    /* recent state of DRAM: busy, 0 to 1; writes, 1: half and more */
    double window_start, window_read, window_write, load, mixed;
    /* when each scheduler's registers can take the next pass of what its loads brought */
    double back[REPLAY_SCHEDULERS];
    double lsu, l2, dram, constant, barrier, fence, atomic, dispatcher;
    double translated;    /* when the address of its first access to DRAM is known; 0: none yet */
    unsigned raise_lanes; /* lanes of a warp that raise one word by a maximum; 0: none do */
    /* size of the constant memory that is read; cycles of a uniform load */
    double const_kb, const_uniform;
    double busy_issue[REPLAY_SCHEDULERS], busy_pipe[REPLAY_SCHEDULERS][TIME_PIPE_COUNT];
    uint64_t replayed, spun; /* spun: instructions of rounds in which a warp waited */
    unsigned words;          /* the most of a sampled block */
    unsigned started, finished;
    double *ends; /* end of each block that ran */
    double last;
    time_usage *u;
    time_places *places; /* or NULL */
} replay_machine;

static inline double replay_larger(double a, double b) {
    return a > b ? a : b;
}

static inline double replay_smaller(double a, double b) {
    return a < b ? a : b;
}

/* Occupies the server for `cycles`, from `at` or from when it is free. Returns the start. Adds to
 * *busy. */
static inline double replay_serve(double *server, double *busy, double at, double cycles) {
    double start = at > *server ? at : *server;
    *server = start + cycles;
    *busy += cycles;
    return start;
}

/* Replays a load, store, atomic, fetch or copy `e` of the operation `o`, issued at `at`. Returns
 * when it starts (the warp waits for this if a queue is full); *result: when its data arrive. */
double replay_access(replay_machine *m, replay_warp *w, const time_op *o, const sim_trace_event *e,
                     double at, double *result);
/* The same for constant memory. `e` may be NULL: one word for the whole warp. */
double replay_constant(replay_machine *m, const time_op *o, const sim_trace_event *e, double at,
                       double *result);
/* time_turns.c: called when an operation with a role is issued at `at`. */
void replay_turn(replay_machine *m, replay_warp *w, const time_op *o, const sim_trace_event *e,
                 double at);
/* Called before the first block: finds out which warp sends requests for lines that warps share,
 * and how much constant memory the sampled warps read. */
void replay_memory_begin(replay_machine *m);

#endif
