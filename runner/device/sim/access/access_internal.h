/* Shared by the files of the access layer.
 *
 *   access.c         launches and workers: making them, counts
 *   access_block.c   blocks: shared and local memory, the turn at an L1, the stream to L2
 *   access_site.c    which paths a site takes; asynchronous copies
 *   access_cluster.c shared memory of the other blocks of a cluster
 *   access_slow.c    look-ups that miss the inline cache; faults; compute capability 1.x
 *   access_path.inc  the paths of every access, compiled three times: access_base.c, access_avx2.c,
 *                    access_avx512.c. It includes a file for each space (access_global.inc,
 *                    access_shared.inc, access_local.inc), access_quick.inc for loads that repeat
 *                    themselves, and cache_l2.inc: L2 and a block's stream
 *   race.c           order between threads of a block, the slow half of the race check
 *   race_shadow.c    the cells and the log that it reads, for a block
 *   race_global.c    the same for global memory, between all threads of a launch
 *   bulk.c           ranges that the copy engine moves; race_bulk.c: those that may be in flight */
#ifndef WARPLAB_SIM_ACCESS_INTERNAL_H
#define WARPLAB_SIM_ACCESS_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include "runner/device/sim/access/access.h"
#include "runner/device/sim/access/cache.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/memory/apart.h"
#include "runner/device/sim/memory/chain.h"
#include "runner/device/sim/memory/late.h"
#include "runner/device/sim/memory/shadow.h"

enum { MERGE = 16, STREAM_MAX = 1 << 19, STREAM_MAX_APART = 1 << 12, FED_KEPT = 1 << 21 };

/* A worker's state of a site: the place of its last access, and its counts. Two cache lines. */
typedef struct {
    /* the allocation of the last access: [lo, lo + size), whose place is `host`; size 0: none */
    sim_addr lo;
    uint64_t size;
    uint8_t *host;
    sim_alloc *alloc;
    uint64_t *init; /* its bitmap of written bytes, or NULL */
    /* passes: of writes to global memory, the different places that the lanes of each request
     * gave */
    uint64_t requests, lanes, sectors, passes, conflicts, serial, l1_sectors, l1_hits;
    /* The line of the last run of which L1 had nothing or, if all lanes had lines of their own, the
     * first lane's address: that of the last access; that of the next one, if its data have been
     * requested. */
    uint64_t last, expected;
    /* half64() of the last access, if the next one like it can be quick (access_quick.inc);
     * otherwise 0 */
    uint8_t halves;
} site_state;

/* Stores of part of a sector that later ones of the same warp may still join on the way to L2: one
 * slot a line. */
typedef struct {
    uint64_t line[MERGE];
    /* number of the store; index of the stream's entry */
    uint32_t warp[MERGE], store[MERGE], at[MERGE];
    /* of the present store: with how many stores (including itself) it may merge */
    uint32_t window;
} __attribute__((aligned(64))) merge_slots;

/* ---- races: see race.c ---- */

/* A shadow cell: serial of the access << 10 | thread. Serials count the warp accesses to shared
 * memory. Cells of older blocks are recognised by their serial, so a block can start without
 * clearing anything. */
enum {
    RACE_TID_BITS = 10,
    RACE_LOG_LEAST = 1 << 9,
    RACE_LOG = 1 << 14,
    RACE_SERIALS = (1 << (32 - RACE_TID_BITS)) - 3 /* then serials start again */
};
typedef struct {
    const sim_site *site;
    uint32_t serial, mask;
} race_log;
/* A bulk copy that may still be in flight: race_bulk.c. */
typedef struct {
    uint32_t from, to; /* bytes of shared memory [from, to) */
    uint32_t bar;      /* the mbarrier on which it completes; NO_BARRIER: its thread's group */
    uint32_t group, serial;
    uint16_t thread;
    bool parity, reads, told; /* told: it has been reported */
    const sim_site *site;
} race_flight;
/* A cp.async of a warp for which some lanes have not waited: race_bulk.c. */
typedef struct {
    const sim_site *site;
    uint32_t serial, bytes;
    uint32_t lanes;        /* those lanes */
    uint32_t tracked, bar; /* those of them that arrive at this mbarrier */
    uint32_t at[SIM_WARP_LANES], group[SIM_WARP_LANES];
    uint16_t warp;
    bool parity;
} race_copy;
/* A copy that writes to global memory and for which its thread has not waited: race_bulk.c. */
typedef struct {
    uint64_t at, bytes;
    uint32_t group;
    uint16_t thread;
} race_sent;
typedef struct {
    /* for each unit of memory: last writer; last reader; last reader of another warp */
    uint32_t *w, *r0, *r1;
    uint32_t units,
        shift;       /* a unit is 1 << shift bytes: 4, or 1 in kernels with narrower accesses */
    uint32_t serial; /* of the last access */
    /* from this serial on, sim_race_alarm() checks an access first: RACE_SERIALS, or 0 while copies
     * are in flight */
    uint32_t alarm;
    uint32_t block_start; /* cells with a smaller serial were not touched in this block */
    uint32_t epoch_start; /* ... nor since the last barrier of the whole block */
    uint32_t met_start;   /* ... nor since the last of its cluster; behind block_start */
    /* block_start, or 0 when reads of what was never written are no finding */
    uint32_t blank_below;
    uint32_t *a;            /* last atomic */
    uint32_t last_atomic;   /* its serial */
    bool uninit;            /* reads of memory that was never written are findings */
    bool races;             /* false: only w is kept, to know what was never written */
    uint32_t warp_sync[32]; /* serial of the last synchronisation of all lanes of each warp */
    /* ring of log_mask + 1 entries; grows up to RACE_LOG with the accesses between two barriers */
    race_log *log;
    uint32_t log_mask;
    /* made on first need: */
    uint32_t (*lane_sync)[32][32]; /* [warp][lane][lane]: serial at which the two lanes last met */
    /* [a][b]: accesses of warp a before this serial come before the present ones of warp b */
    uint32_t (*order)[32];
    uint32_t *acquired; /* by thread: it has seen everything released before this serial */
    uint32_t released;
    race_flight *flights;
    uint32_t flight_n, flight_cap,
        proxy_fence; /* the copy engine may read writes from before that serial */
    race_sent *sent;
    uint32_t sent_n, sent_cap;
    bool sends;       /* the copy that is being made is the last of them */
    uint32_t *groups; /* bulk groups that each thread has committed */
    race_copy *copies;
    uint32_t copy_n, copy_cap;
    uint16_t *copying;     /* by unit: 1 + the thread whose cp.async is in flight there */
    uint32_t *copy_groups; /* groups of cp.async that each thread has committed */
} race_state;

typedef struct race_global race_global;
typedef struct race_early race_early;

/* A few lines of the last stream that went to L2. */
enum { STREAM_SEEN = 8 };
typedef struct {
    uint64_t line[STREAM_SEEN];
    uint32_t n; /* entries of the stream */
} stream_seen;

/* Recent columns, which later stores to the same lines may join: sim_stream_entry. A store that
 * joins is looked up at the place of the first one. The result is the same unless L2 has lost one
 * of the lines in between, which is unlikely within COLUMNS_KEPT entries of the stream. */
enum { COLUMNS = 4, COLUMNS_KEPT = 128 };
typedef struct {
    uint64_t line[COLUMNS], step[COLUMNS];
    uint32_t at[COLUMNS]; /* index of the stream's entry */
    uint32_t n, next;
    /* lines low .. low + span contain all of theirs; none: lines that do not exist */
    uint64_t low, span;
} stream_columns;

enum { TURN_WARPS = 32 };
/* Who stored a word last from another block of the cluster, with a plain store. */
typedef struct {
    const sim_block_mem *by; /* NULL: nobody */
    uint64_t linear;         /* by's, at that time */
    uint32_t serial;         /* in by's race_state */
    uint16_t thread;
    uint16_t meets; /* of the cluster, at that time */
} race_far;
struct sim_block_mem {
    sim_access_launch *launch;
    uint64_t linear, order;   /* linear: for reports; order: among the blocks that have begun */
    sim_cluster_mem *cluster; /* NULL: none */
    unsigned rank, sm;
    sim_l1 *l1, *own_l1; /* own_l1: made when the block was suspended */
    bool holds_turn;
    uint8_t *shared, *local;
    /* The written bytes of local memory: four masks of lanes for each word of a warp, one for each
     * byte; NULL: not checked. Rows from local_used on have none yet. */
    uint32_t *local_written, local_used;
    uint64_t local_line; /* number of the line at which its local memory would begin */
    bool shadowed;
    race_state race;
    race_far *far; /* by word of shared memory; made on first need */
    sim_stream_entry *stream;
    uint32_t stream_n, stream_cap;
    /* entries fed to L2 before the commit, because there were too many; their results: */
    uint32_t stream_base;
    uint8_t *fed; /* hit << 4 | miss, for the first FED_KEPT */
    merge_slots merge;
    uint32_t barriers;                   /* so far */
    uint16_t warp_syncs[SIM_WARP_LANES]; /* __syncwarp()s of each warp so far */
    uint32_t stores;                     /* global store instructions so far */
    bool atomics;                        /* the stream has had some */
    sim_l2_count direct;                 /* DRAM traffic of a device without caches */
    sim_block_waits waits;
    stream_seen seen;
    bool brief;
    stream_columns columns;
    const uint64_t *clock;
    uint32_t clock_base, turn;   /* what the clock showed when warp `turn` had issued nothing */
    uint32_t issued[TURN_WARPS]; /* by the other warps */
    uint64_t missed;
    sim_chain_place chain; /* sim_access_launch.chain */
    sim_apart *apart;      /* NULL: global memory is that of the device */
    bool stream_lost;      /* apart: its stream was too long to keep */
};

enum { PENDING = 64, PENDING_AT = 256, TOLD = 64 };

struct sim_access {
    sim_access_launch *launch;
    sim_block_mem *block;
    uint8_t *shared, *local; /* shared: of the block; local: of the warp */
    uint32_t *local_written; /* of the warp, or NULL */
    sim_l1 *l1;
    race_state *race; /* NULL: not checked */
    uint32_t shared_bytes, local_bytes, warp;
    uint64_t local_line; /* of the warp */
    bool race_global;    /* the launch checks global memory too */
    bool watched;        /* race_global, or the block has its own global memory */
    bool strict;         /* coalescing of compute capability 1.0 */
    bool older;          /* sim_access_saw_older() */
    bool merges;         /* neighbouring parts of the warp may go together (sim_access_merged()) */
    uint64_t generation;
    const _Atomic uint64_t *generation_now;
    sim_status fault;
    sim_access_cost cost;
    site_state *state;
    uint32_t states;
    sim_access_blank_fn *follow; /* or NULL */
    void *follow_user;
    unsigned pending_n;
    /* bulk copies where the block has its own memory: the range at `at`, gathered; `writes`: it is
     * still to be put back */
    struct {
        uint8_t *bytes, *host;
        uint64_t room, at, n;
        bool writes;
    } bulk;
    uint8_t told[TOLD];             /* races by their two places: values as in pending_at */
    sim_event pending[PENDING];     /* reports that are not passed on yet */
    sim_event *latest;              /* the one that was reported or counted last */
    uint8_t pending_at[PENDING_AT]; /* by place: 1 + the index; 0: none */
};

struct sim_access_launch {
    sim_access_config c;
    unsigned warps;
    uint32_t local_rows; /* words per lane */
    uint64_t l1_bytes;
    _Atomic bool suspended;    /* some block was suspended before */
    _Atomic uint64_t last;     /* blocks above this one do not matter, because it failed */
    race_global *global_races; /* NULL: not checked */
    race_early *early;         /* NULL: nobody asks */
    sim_late *late;            /* NULL: all stores are seen at once */
    sim_chain *chain;          /* NULL: not followed */
    /* From here on written with each block: not on a line with what accesses read. */
    _Alignas(128) _Atomic uint64_t committed; /* blocks below are in L2 */
    pthread_mutex_t l2_lock;
    sim_l2_count l2;
    uint64_t slice_ops[SIM_L2_SLICES];
    bool counts_waits;
    _Atomic uint64_t received[SIM_CLUSTER_MAX];      /* lanes of other blocks' atomics, by rank */
    uint64_t group_ops[SIM_L2_SLICES], group_blocks; /* of the group of blocks being counted */
    uint64_t in_turn; /* of earlier groups: sum over their busiest slices */
};

/* Returns the number of the busiest slice. */
uint64_t sim_access_busiest(const uint64_t ops[SIM_L2_SLICES]);

/* Looks every lane up separately: lanes may point into different allocations, or nowhere. Fills p
 * for the lanes that it returns, reports the others, checks and sets the written marks itself, and
 * leaves the state's inline cache at a live allocation. */
uint32_t sim_access_resolve(sim_access *a, const sim_site *s, site_state *st,
                            const uint64_t addr[SIM_WARP_LANES], uint32_t mask, unsigned size,
                            uint64_t host[SIM_WARP_LANES]);
/* Points the inline cache at the live allocation that holds addr. Returns false if there is none of
 * the site's kind. */
bool sim_access_cache(sim_access *a, const sim_site *s, site_state *st, uint64_t addr);
/* Reports the lanes of mask that read bytes that were never written; the access goes on. off: from
 * the start of the allocation. */
void sim_access_uninit(sim_access *a, const sim_site *s, site_state *st,
                       const uint64_t off[SIM_WARP_LANES], uint32_t mask, unsigned size);
/* Shared, local: reports lanes that are out of bounds or misaligned, and leaves them out. */
uint32_t sim_access_bounds(sim_access *a, const sim_site *s, const uint32_t addr[SIM_WARP_LANES],
                           uint32_t mask, unsigned size, sim_space space);
void sim_access_report(sim_access *a, const sim_event *e);
/* If a race of these two sites (of two warps, or not) is among the pending reports, it is only
 * counted. Returns false if it must be reported. */
bool sim_access_told(sim_access *a, const sim_site *s, const sim_site *other, bool write,
                     bool other_write, bool other_atomic, bool across);
/* Local memory is written, or (not `writes`) read: reports lanes that read bytes of which they have
 * written none. */
void sim_access_local(sim_access *a, const sim_site *s, const uint32_t addr[SIM_WARP_LANES],
                      uint32_t mask, unsigned size, bool writes);
/* Adds the counts of other blocks' shared memory at a site that has `near`. */
void sim_access_count_far(const sim_access *a, const sim_site *s, sim_counters *to);
/* Returns an event with the site and the thread filled in. */
sim_event sim_access_event(const sim_access *a, const sim_site *s, sim_finding_kind kind,
                           sim_space space, unsigned lane, unsigned size, sim_addr address);
/* Splits a generic access by window if not all of its lanes point at global memory. */
void sim_access_split(const uint64_t addr[SIM_WARP_LANES], uint32_t mask, uint32_t by_space[6],
                      uint32_t offset[SIM_WARP_LANES]);

/* Empties every inline cache, because memory was freed. */
void sim_access_forget(sim_access *a);
/* Returns the bank passes of compute capability 1.x: 16 banks, half a warp at a time, one broadcast
 * word a pass. */
unsigned sim_access_banks_16(const uint32_t addr[SIM_WARP_LANES], uint32_t mask, unsigned size,
                             unsigned *least);
/* Returns the passes of a load of 8 or 16 bytes a lane. Its parts, halves or quarters of the warp,
 * are served in pairs if each lane of both has the address of its neighbour, or each that of the
 * next but one, as on an H200 (tests/truth/pipes.cu). */
unsigned sim_access_merged(const uint32_t addr[SIM_WARP_LANES], uint32_t mask, unsigned size);
/* An atomic on local memory: a fault. Returns 0. */
uint32_t sim_access_no_pointer(sim_access *a, const sim_site *s, uint32_t mask);

void sim_stream_grow(sim_block_mem *b); /* makes room for one entry */
static inline void sim_columns_end(sim_block_mem *b) {
    b->columns.n = b->columns.next = 0;
    b->columns.low = UINT64_MAX;
    b->columns.span = 0;
}
/* These lines are about to be read, so no later store may join an earlier one there. */
static inline void sim_columns_read(sim_block_mem *b, uint64_t first, uint64_t last) {
    if (__builtin_expect(first <= b->columns.low + b->columns.span && last >= b->columns.low, 0))
        sim_columns_end(b);
}
/* What a load's entry keeps as words. */
static inline uint32_t stream_now(const sim_block_mem *b) {
    return b->clock ? (uint32_t)*b->clock - b->clock_base : 0;
}
/* Adds one entry. words: only for STORE, and stream_now(). */
void sim_stream_add(sim_block_mem *b, uint64_t line, unsigned sectors, sim_stream_op op,
                    uint32_t words);
/* Reports a fault, which ends the launch. */
void sim_access_fail(sim_access *a, const sim_event *e, sim_status status);
/* Returns in one piece what a lane is about to store; false if unknown (src NULL). */
bool sim_site_stored(const sim_site *s, const void *const src[], unsigned lane, uint8_t value[64]);
/* Half-warps by the rules of compute capability 1.0: counts, DRAM traffic. */
void sim_access_strict(sim_access *a, const sim_site *s, site_state *st,
                       const uint64_t addr[SIM_WARP_LANES], uint32_t mask, unsigned size);

/* ---- access_slow.c: volatile, .relaxed and atomic accesses of a launch that has late stores.
 * addr: of the site's space, uint32_t of SHARED and else uint64_t ---- */
void sim_access_late_store(sim_access *a, const sim_site *s, const void *addr, uint32_t mask);
/* The lanes have loaded: an older value is put in the place of the newest. */
void sim_access_late_load(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                          void *const dst[]);
void sim_access_late_update(sim_access *a, const sim_site *s, const void *addr, uint32_t mask);
/* The same accesses, of a launch whose chains of flags are followed. */
void sim_access_chain(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                      bool store);

/* ---- race_shadow.c ---- */
bool sim_race_new(race_state *r, uint32_t bytes, bool narrow, bool races, bool uninit);
void sim_race_free(race_state *r);
void sim_race_block(race_state *r);
/* Starts an access and returns its serial; 0 if the shadow had to be renewed first. */
void sim_race_overflow(race_state *r);
void sim_race_log_grow(race_state *r);
/* Returns the serial of a new access, which the log keeps. */
uint32_t sim_race_next(race_state *r, const sim_site *s, uint32_t lanes);

/* ---- race_bulk.c ---- */
/* An access begins: checks whether the serials last, and whether it meets a copy in flight. */
void sim_race_alarm(sim_access *a, const sim_site *s, unsigned how, const uint32_t *off,
                    uint32_t mask, unsigned size);
/* The lanes' cp.async has just written `bytes` at each `to`. */
void sim_race_copy(sim_access *a, const sim_site *s, uint32_t lanes, const uint32_t *to,
                   unsigned bytes);
/* A copy for the lane reads or writes n bytes from `at` on, as the site says. */
void sim_race_bulk(sim_access *a, const sim_site *s, unsigned lane, uint32_t at, uint32_t n);

/* ---- race.c ---- */
enum { RACE_READ = 1, RACE_WRITE = 2, RACE_ATOMIC = 4 };
/* A lane met `cell`, which another thread left since the last barrier. Decides whether that is a
 * race, and reports it. src: what the instruction is about to store, NULL if unknown; unit: of the
 * shadow; addr: where the lane's access begins. */
void sim_race_conflict(sim_access *a, const sim_site *s, unsigned lane, uint32_t unit,
                       uint32_t cell, bool cell_writes, unsigned how, const void *const src[],
                       uint32_t addr);
/* Two lanes of one store wrote the unit: a race if the values differ. */
void sim_race_same_store(sim_access *a, const sim_site *s, unsigned lane, unsigned other,
                         uint32_t unit, const void *const src[],
                         const uint32_t addr[SIM_WARP_LANES]);
/* The lanes have read bytes that were never written: follows or reports them. */
void sim_access_unwritten(sim_access *a, const sim_site *s, sim_space space, uint32_t lanes,
                          const uint32_t addr[SIM_WARP_LANES]);
/* The site has acquire or release semantics. */
void sim_race_order(sim_access *a, const sim_site *s, uint32_t lanes);
/* The lanes read shared memory that the block has not written. */
void sim_race_blank(sim_access *a, const sim_site *s, uint32_t lanes,
                    const uint32_t addr[SIM_WARP_LANES]);

/* ---- race_global.c ---- */
/* Returns NULL if memory is short. */
race_global *sim_race_global_new(const sim_memory *m, uint64_t blocks, unsigned warps);
void sim_race_global_free(race_global *g);
/* How many bytes its cells may take, if not 4 GiB; whether they would take more. */
void sim_race_global_room(race_global *g, uint64_t bytes);
bool sim_race_global_full(const race_global *g);
/* From now on, keeps everything word by word: slower, with the same findings. For tests. */
void sim_race_global_by_word(race_global *g);
/* As for sim_access_launch_words(). */
void sim_race_global_words(race_global *g, sim_access_run *fn, void *user);
/* As for sim_access_launch_stored(). */
void sim_race_global_stored(const race_global *g, sim_access_stored *fn, void *user);
/* Each of the lanes, at least one, read the bytes of a texel at its address. */
void sim_race_global_texels(sim_access *a, const sim_site *s, const uint64_t addr[SIM_WARP_LANES],
                            uint32_t lanes, unsigned bytes);
/* The lanes' access, before it happens. src: for a store; otherwise NULL. */
void sim_race_global(sim_access *a, const sim_site *s, unsigned kind,
                     const uint64_t addr[SIM_WARP_LANES], uint32_t mask, const void *const src[]);
/* Notes the block's reads that are gathered: before the block synchronises. */
void sim_race_global_settle(race_global *g, uint64_t block);
void sim_race_global_order(sim_access *a, bool acquire, bool release, bool cta);
void sim_race_global_fence(sim_access *a, bool cta);
/* The block stores what others may wait for: they may rely on its fences so far. */
void sim_race_global_publish(sim_access *a);
/* The copy engine may read what threads of the block have written. */
void sim_race_global_proxy(sim_access *a);
/* The copy that this warp has asked for has written these bytes, of which nobody could know
 * before. */
void sim_race_global_lands(sim_access *a, uint64_t at, uint64_t n);
/* Reports an access of shared memory of another block, at an address of the cluster's window, that
 * may not have begun yet. */
void sim_far_early(sim_access *a, const sim_site *s, unsigned lane, uint32_t address,
                   unsigned size);
/* The copy of the lane is about to write these bytes of global memory. */
void sim_bulk_sends(sim_access *a, unsigned lane, uint64_t at, uint64_t n);
/* All that these blocks have done comes before all that they will do. */
void sim_race_global_meet(race_global *g, const uint64_t block[], unsigned n);

/* Accesses before griddepcontrol.wait. */
race_early *sim_race_early_new(uint64_t blocks); /* NULL when memory is short */
void sim_race_early_free(race_early *e);
/* The lanes of mask access `size` bytes at their addresses; how: SIM_WORD_*. */
void sim_race_early(sim_access *a, const sim_site *s, unsigned how, const uint64_t *addr,
                    uint32_t mask, unsigned size);
/* Tells them with SIM_WORD_EARLY, in no order. Returns false if no block waited. */
bool sim_race_early_tell(const race_early *e, sim_access_run *fn, void *user);
/* sim_access_launch_waited() */
void sim_race_early_waited(const race_early *e, bool *waited, bool *held);

/* ---- access_path.inc, three times ---- */
typedef struct {
    const char *name;
    void (*bind)(sim_site *s);
    sim_l2_feed_fn *l2_feed; /* cache_l2.inc */
} sim_access_isa;
extern const sim_access_isa sim_access_base;
#if defined(__x86_64__)
extern const sim_access_isa sim_access_avx2, sim_access_avx512;
#endif
const sim_access_isa *sim_access_of(sim_isa isa);

#endif
