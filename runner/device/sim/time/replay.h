/* One multiprocessor in the middle of its replay, shared by the three files that do it:
 *
 *   time_replay.c    warps, their streams, issue, pipes, barriers, blocks
 *   replay_memory.c  an access --> when it starts and when its result is there, through the servers
 *                    LSU, L1, L2, DRAM, constants and atomics
 *   time_turns.c     what one thread after another does while the others wait: locks and tickets
 *
 * A server is nothing but the time at which it is free again; warps come in the order of time, so
 * that is a queue. What lies behind the multiprocessor (L2, DRAM, the dispatcher) is given as the
 * share of one among equals (time_share). All times are in cycles of the multiprocessor. */
#ifndef WARPLAB_REPLAY_H
#define WARPLAB_REPLAY_H

#include "runner/device/sim/time/time_internal.h"
#include "runner/device/sim/time/time_stall.h"

/* Copies and loads of a warp: groups that can be told apart. */
enum { GROUPS = 8 };
typedef struct {
    double t; /* can go on */
    double copies, stored, group[GROUPS];
    double fetched;       /* when what its loads asked L2 for is there */
    uint32_t group_count; /* groups committed so far */
    const sim_trace_warp *stream;
    uint32_t run, at, event; /* place in the stream */
    const uint32_t *order;   /* of what is being executed; NULL: the text from `text` on */
    uint32_t text, step, count;
    uint32_t *slot;    /* by ordinal in the region: index of the event + 1, or 0 */
    double *ready;     /* by register */
    time_owner *owner; /* by register: who made it */
    time_wait wait;
    double start;
    uint16_t block, scheduler;
    uint32_t waits_at; /* the instruction that waits for its pipe */
    uint8_t waits_as;  /* sim_stall */
    unsigned number;   /* of the block, in the order of their starts */
    uint32_t func;
    double called; /* until when its last call or return waits; for whom */
    time_owner called_by;
    bool entered, alive;
    double spilled[2]; /* loads and stores of spills that it owes */
    uint8_t barrier;   /* where it waits: the barrier's number + 1; 0: at none */
    double asked,
        took;    /* when it last polled, and first tried a lock since it gave one back; 0: not */
    bool turns;  /* it has had one */
    bool looked; /* at a word that is raised */
    bool again;  /* its swap came too late (time_op.spins): the region once more */
    double read; /* when it last read shared memory */
    const time_op *slow; /* whose slow path is next, or NULL; why, as its event tells */
    unsigned why;
    double later[TIME_SEES]; /* until when those wait that were put behind; for whom */
    time_owner later_by[TIME_SEES];
} replay_warp;

/* Words of shared memory that are told apart where threads swap them. */
enum { REPLAY_WORDS = 32 };
/* mbarriers that are told apart: a bit each of sim_trace_event.distinct. */
enum { REPLAY_MBARRIERS = 16 };

typedef struct {
    const sim_trace_block *source;
    double arrived[17];              /* latest arrival, by barrier; the last one is the cluster's */
    double landed[REPLAY_MBARRIERS]; /* when the copies issued so far are there, by mbarrier */
    double swapped[REPLAY_WORDS];    /* when a swap last had its way */
    uint16_t waiting[17];
    unsigned live, first_warp;
    double ended;
    sim_block_span *span; /* where its stay is written down, or NULL */
} replay_block;

/* A sector that a sampled block reads (sim_trace_event.ends): what was sent to L2 for it. The
 * executor runs a block's warps one after another, so the first of them fetches what all of them
 * read; on the device whoever comes first does. So it is in the replay: who asks first sends, and
 * who comes before the line is there waits, too. */
typedef struct {
    bool seen;
    uint16_t late;               /* as sim_trace_event, the largest */
    uint32_t load;               /* the load that met it first */
    float sent, misses, entries; /* by that */
    float part;                  /* of the blocks that run side by side, who send for it */
    float again, all;            /* sectors that were sent when it had been there; in all */
} replay_line;
/* The same of the block in a slot. */
typedef struct {
    unsigned block; /* whose number + 1 has asked for it */
    double t;       /* when it is there */
} replay_asked;

/* A warp that can go on: at t, or before others in `order`. No time is negative, so their bits come
 * in the same order, which the host tells faster. */
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

/* A scheduler's warps. Of those that can go on it takes the oldest: blocks in the order of their
 * start, a block's warps in that in which they could go on. */
typedef struct {
    replay_heap later;                 /* that can go on at some time, by that */
    replay_heap ready;                 /* that can go on, by age */
    replay_heap pipe[TIME_PIPE_COUNT]; /* that wait for the pipe, by age */
    unsigned waiting;                  /* for the pipes, in all */
    double at;                         /* it was here before */
} replay_scheduler;
enum { REPLAY_SCHEDULERS = 8 };

typedef struct {
    const time_code *code;
    const sim_profile *p;
    replay_line *lines;  /* by sampled block and line; NULL: too many, each event keeps its own */
    replay_asked *asked; /* by slot and line */
    size_t line_count;   /* of a block, the most */
    const sim_trace *trace;
    const time_share *share;
    replay_warp *warps;
    replay_block *blocks;
    unsigned warp_count, slots, warps_per_block;
    replay_scheduler queue[REPLAY_SCHEDULERS];
    unsigned schedulers;
    double others; /* when the next scheduler but this one has something to do */
    unsigned turn; /* the scheduler that goes first of several at one time */
    double scheduler[REPLAY_SCHEDULERS], pipe[REPLAY_SCHEDULERS][TIME_PIPE_COUNT];
    double bank[REPLAY_SCHEDULERS][2];  /* of registers: until when it is read */
    uint32_t issued[REPLAY_SCHEDULERS]; /* which warp issued last, + 1 */
    /* DRAM of late: busy, 0 to 1; writes, 1: half and more */
    double window_start, window_read, window_write, load, mixed;
    double lsu, l2, dram, constant, barrier, fence, atomic, dispatcher;
    unsigned raise_lanes; /* of a warp that go for one word by a maximum; 0: there is none */
    double const_kb, const_uniform; /* read of constant memory; cycles of a uniform load */
    double busy_issue[REPLAY_SCHEDULERS], busy_pipe[REPLAY_SCHEDULERS][TIME_PIPE_COUNT];
    uint64_t replayed;
    unsigned started, finished;
    double *ends; /* when each block that ran ended */
    double last;
    time_usage *u;
    time_places *places; /* or NULL */
} replay_machine;

static inline double replay_larger(double a, double b) {
    return a > b ? a : b;
}

/* The server is busy for `cycles` from `at` or from when it is free: the start. Adds to *busy. */
static inline double replay_serve(double *server, double *busy, double at, double cycles) {
    double start = at > *server ? at : *server;
    *server = start + cycles;
    *busy += cycles;
    return start;
}

/* A load, store, atomic, fetch or copy `e` of the operation `o`, issued at `at`: when it starts
 * (what the warp waits for when a queue is full) and, in *result, when what it asked for is
 * there. */
double replay_access(replay_machine *m, replay_warp *w, const time_op *o, const sim_trace_event *e,
                     double at, double *result);
/* The same for constant memory; `e` may be NULL: one word for the whole warp. */
double replay_constant(replay_machine *m, const time_op *o, const sim_trace_event *e, double at,
                       double *result);
/* time_turns.c: an operation with a role is issued at `at`. */
void replay_turn(replay_machine *m, replay_warp *w, const time_op *o, const sim_trace_event *e,
                 double at);
/* Before the first block: who sends what of the lines that warps share, and how much of constant
 * memory the sampled warps read. */
void replay_memory_begin(replay_machine *m);

#endif
