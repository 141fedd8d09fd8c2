/* Warp-wide memory accesses: checks, counts, feeds the cache models and moves the bytes.
 *
 *   decode: sim_site per memory instruction, sim_site_bind()
 *   launch: sim_access_launch (sites' number, kernel, options; L1s, L2)                 one a launch
 *   worker: sim_access (counts and inline caches per site)                              one a worker thread
 *   block:  sim_block_mem (shared and local memory, their shadows, stream of L2 sectors) one a resident block
 *
 *   per warp access:  s->load(a, s, addr, mask, dst) -> lanes that went through
 *                     check -> count -> L1 -> (misses, stores) -> the block's stream
 *   in block order:   sim_block_commit(): stream -> L2 -> DRAM
 *
 * Addresses: uint64_t[32] for GENERIC, GLOBAL and CONST sites, uint32_t[32] for SHARED and LOCAL
 * ones. Lanes that are not in the mask may hold anything. An access with an empty mask does
 * nothing.
 *
 * In a launch with clusters an address in shared memory is one of the cluster's window (PTX ISA 5.1.7):
 *
 *   bits 0 .. 23    offset in the shared memory of the block that has it
 *   bits 24 .. 31   that block's rank in the cluster
 *
 * which is how machine code of compute capability 9.0 makes them: an offset, and SR_CgaCtaId shifted by 24. A
 * block's own addresses have its own rank, so that they mean the same in every block of the cluster; a
 * generic address is SIM_SHARED_WINDOW and those 32 bits. Without clusters each rank is 0. */
#ifndef WARPLAB_SIM_ACCESS_H
#define WARPLAB_SIM_ACCESS_H

#include "runner/device/sim/memory/finding.h"
#include "runner/device/sim/isa.h"
#include "runner/device/sim/memory/memory.h"
#include "runner/device/sim/sim.h"

/* The same order as ptx_space. */
typedef enum {
    SIM_SPACE_GENERIC,
    SIM_SPACE_GLOBAL,
    SIM_SPACE_SHARED,
    SIM_SPACE_LOCAL,
    SIM_SPACE_CONST,
    SIM_SPACE_PARAM,
    SIM_SPACE_REMOTE /* of an access's cost only: shared memory of another block of the cluster */
} sim_space;

typedef enum {
    SIM_ACCESS_LOAD,
    SIM_ACCESS_STORE,
    SIM_ACCESS_ATOM, /* atom and red: read and written at once */
    SIM_ACCESS_TEX   /* texture and surface reads: counted as such */
} sim_access_kind;

enum {
    SIM_SITE_SEXT = 1,      /* sign-extend what is loaded to the register's width */
    SIM_SITE_BYPASS_L1 = 2, /* .cg .cv .volatile .relaxed .acquire: loads go to L2 */
    /* .relaxed .acquire .release: does not race with atomics (volatile is not strong) */
    SIM_SITE_STRONG = 4,
    SIM_SITE_ACQUIRE = 8,    /* acquire semantics, or atom.cas / atom.exch: may take a lock */
    SIM_SITE_RELEASE = 16,   /* release semantics, or atom.exch: may give a lock back */
    SIM_SITE_NO_UNINIT = 32, /* never report this site's reads as uninitialised (prefetch, an
                                exchange whose old value is not used) */
    SIM_SITE_VOLATILE = 64, /* PTX ISA 8.4: as .relaxed.sys; race.c says where that is not enough */
    SIM_SITE_CLUSTER = 128, /* .shared::cluster: may ask other blocks of the cluster */
    SIM_SITE_BULK = 256,    /* the copy engine's, for sim_bulk_global() and sim_bulk_shared() */
    /* what it reads may go unused, or on to local memory as part of a larger object: no reads of
     * local memory are reported as uninitialised */
    SIM_SITE_MOVES = 512,
    SIM_SITE_FOLLOWED = 1024, /* a plain load: sim_access_follow() */
    SIM_SITE_CONSTANT = 2048  /* ld.global.nc: of what nobody writes in the launch */
};

/* All caches of a device (cache.h tells how they behave); persistent between launches. NULL when
 * memory is short. */
typedef struct sim_caches sim_caches;
sim_caches *sim_caches_new(const sim_profile *p, sim_isa isa);
/* Its L2 has from now on what that of `from` has, which was made of the same profile. */
void sim_caches_take(sim_caches *c, const sim_caches *from);
void sim_caches_free(sim_caches *c);
bool sim_caches_l2(const sim_caches *c); /* global memory has one */
void sim_caches_flush(sim_caches *c);    /* forgets every line; nothing is written back */
/* api/memory_api.c reaches them through this, which api/device.c provides. */
sim_caches *sim_device_caches(const sim_device *d);
enum { SIM_LINE_BYTES = 128 };

typedef struct sim_access sim_access;
typedef struct sim_access_launch sim_access_launch;
typedef struct sim_block_mem sim_block_mem;
typedef struct sim_site sim_site;

/* ---- clusters: the window of their shared memory ---- */
enum { SIM_RANK_SHIFT = 24, SIM_CLUSTER_MAX = 16 };
static inline unsigned sim_shared_rank(uint32_t address) {
    return address >> SIM_RANK_SHIFT;
}
static inline uint32_t sim_shared_offset(uint32_t address) {
    return address & ((1u << SIM_RANK_SHIFT) - 1);
}
typedef struct {
    unsigned size;
    sim_block_mem *block[SIM_CLUSTER_MAX]; /* by rank; NULL: it has ended */
} sim_cluster_mem;
/* Before sim_block_begin(): the block is one of the cluster, or (NULL) of none. */
void sim_block_join(sim_block_mem *b, sim_cluster_mem *c, unsigned rank);
/* The block of that rank in b's cluster; without clusters b itself is 0. NULL: there is none, or it has
 * ended. */
sim_block_mem *sim_block_peer(sim_block_mem *b, unsigned rank);
/* Where the bytes lie that b means by an address of its cluster's window; NULL: nowhere. */
uint8_t *sim_shared_at(sim_block_mem *b, uint32_t address, uint32_t bytes);
/* What is not done by a site: these bytes of the block's shared memory are written, by nobody who could
 * race; was none of them ever? */
void sim_shared_written(sim_block_mem *b, uint32_t offset, uint32_t bytes);
void sim_shared_unwritten(sim_block_mem *b, uint32_t offset,
                          uint32_t bytes); /* they count as never */
bool sim_shared_blank(const sim_block_mem *b, uint32_t offset, uint32_t bytes);

/* Loads: dst[k] is the register of element k, 32 lanes of `reg` bytes (4 or 8), NULL for a sink;
 * lanes outside the mask keep what they hold. Elements narrower than the register are zero- or
 * sign-extended to it. Stores: the low `elem` bytes of src[k]'s lanes. `ptr`: checks, counts and
 * feeds the caches like an access of the site's kind, moves nothing, and gives each lane's host
 * pointer (atomics, textures, matrix loads: the caller does the rest; a store through `ptr` counts
 * as written in full). All return the lanes that went through: the mask, less those at fault; then
 * sim_access_fault() is not SIM_OK and the launch must end. Lanes at fault are neither read nor
 * written. */
typedef uint32_t sim_load_fn(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                             void *const dst[]);
typedef uint32_t sim_store_fn(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                              const void *const src[]);
typedef uint32_t sim_ptr_fn(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                            void *ptr[32]);

/* The load of a whole warp from addr[lane] + offset, one element a lane, for sites that have one and
 * warps that are not traced: sim_access_last() is not told. False: nothing was done, the load goes
 * through `load`. */
typedef bool sim_quick_fn(sim_access *a, const sim_site *s, const uint64_t *addr, uint64_t offset,
                          void *dst);

/* What is fixed about a memory instruction. decode fills the first part; sim_site_bind() the
 * second. Read-only in a launch. */
struct sim_site {
    uint32_t loc;      /* as ptx_insn.loc */
    uint32_t ptx_line; /* as ptx_insn.ptx_line */
    uint32_t id;       /* set by sim_site_bind: index of the first state of this site */
    uint8_t space;     /* sim_space */
    uint8_t kind;      /* sim_access_kind */
    /* bytes of an element: 1, 2, 4, 8. A .b128 is two elements of 8; a 16-byte row of a
     * matrix load 16 (ptr only) */
    uint8_t elem;
    uint8_t vec;    /* elements: 1, 2, 4, 8 */
    uint8_t reg;    /* bytes a lane takes in each dst[k] or src[k]: 4 or 8 */
    uint8_t align;  /* 0: elem * vec */
    uint16_t flags; /* SIM_SITE_* */
    uint8_t
        states; /* set by sim_site_bind: 1, or 3 for GENERIC (global, shared, local); with `near` 1 more */
    /* in launches with clusters: the same site for what is not another block's; else NULL */
    const sim_site *near;
    sim_load_fn *load;   /* set by sim_site_bind, for LOAD */
    sim_quick_fn *quick; /* the same; NULL: it has none */
    sim_store_fn *store; /* for STORE */
    sim_ptr_fn *ptr;     /* for all */
};
/* Gives the site its ids (from *next_id, which it raises) and its functions for the host's
 * instruction set. False if the combination makes no sense. */
bool sim_site_bind(sim_site *s, sim_isa isa, uint32_t *next_id);
/* The same of a SHARED or GENERIC site in launches with clusters, over *near, which lives as long. */
bool sim_site_bind_cluster(sim_site *s, sim_site *near, sim_isa isa, uint32_t *next_id);

/* ---- launch ---- */
typedef struct {
    const sim_profile *profile;
    const sim_options *options;
    sim_memory *memory;
    sim_caches *caches;     /* the device's */
    sim_findings *findings; /* where faults are reported; also tells names and lines (finding.h) */
    uint32_t site_states;   /* next_id after the last sim_site_bind */
    unsigned block[3];      /* threads */
    uint64_t grid_blocks;
    uint32_t shared_bytes; /* static + dynamic, per block */
    uint32_t local_bytes;  /* per thread: the most that can be addressed */
    bool byte_shadow; /* some site of the kernel may touch shared memory in less than 4 bytes */
    bool early;       /* as sim_launch */
    bool cooperative; /* blocks interleave: no L1 is handed from block to block */
    /* What a block writes to global memory it alone sees: lines of it are copied when it first
     * touches them. Blocks begin in no order, and each finds in its L1 what the one before left.
     * Nothing is marked as written. Not with bulk copies. */
    bool apart;
    /* With `apart`: the one such memory of all blocks, the caller's, for one worker while nobody
     * else writes. They begin in order and are committed to `caches`. NULL: each has its own. */
    struct sim_apart *together;
    /* With options->check_race_global: which volatile and relaxed stores other warps see late is
     * drawn from this (late.h); 0: none. */
    uint64_t late;
    unsigned cluster; /* blocks that are begun together; 0: none are */
    /* what generic addresses in the param window point at (cvta.param); may be NULL */
    const void *params;
    uint32_t param_bytes;
    unsigned resident_blocks; /* per multiprocessor, from occupancy */
    uint64_t carveout;        /* bytes of shared memory that it prefers; 0: what its blocks need */
    void (*touch)(void *user, sim_addr line, unsigned sectors, bool write); /* as sim_launch */
    void *touch_user;
} sim_access_config;
sim_access_launch *sim_access_launch_new(const sim_access_config *c);
/* Adds L2 and DRAM counters of the committed blocks. Sites' counters come from sim_access_count. */
void sim_access_launch_count(const sim_access_launch *l, sim_counters *to);
/* How many L2 slices global atomics are spread over; 512 bytes that lie together share a slice. */
enum { SIM_L2_SLICES = 96 };
/* Sectors that atomics of the committed blocks touched, by slice. Returns how many of them one slice had to take after
 * another: of each group of blocks, twice as many as run at once (config.resident_blocks on every multiprocessor), those of
 * the slice that had most, summed. */
uint64_t sim_access_launch_slices(const sim_access_launch *l, uint64_t ops[SIM_L2_SLICES]);
/* Block `linear` failed: none above it waits for its turn at L1 or L2 any more. Any thread. */
void sim_access_launch_abort(sim_access_launch *l, uint64_t linear);
/* As sim_launch.words, once all blocks have ended, with the position of an access instead of its file;
 * false: it was not looked at. */
typedef void sim_access_run(void *user, sim_addr from, uint64_t bytes, unsigned how, uint32_t loc);
bool sim_access_launch_words(const sim_access_launch *l, sim_access_run *fn, void *user);
/* Once all blocks have ended: bytes of device or managed memory, and the instruction that stored there
 * last (atomics beside stores); false: it was not looked at. */
typedef void sim_access_stored(void *user, sim_addr from, uint64_t bytes, const sim_site *by);
bool sim_access_launch_stored(const sim_access_launch *l, sim_access_stored *fn, void *user);
/* A texture read these bytes, for what is told of words. */
bool sim_access_watches_texels(const sim_access *a); /* else the next one does nothing */
void sim_access_texel(sim_access *a, const sim_site *s, sim_addr at, unsigned bytes);
void sim_access_launch_free(sim_access_launch *l); /* after its workers and blocks */

/* ---- worker ---- */
sim_access *sim_access_new(sim_access_launch *l);
void sim_access_free(sim_access *a); /* passes on what it still holds: before sim_findings_take() */
/* Lanes read shared or local memory that nobody has written. With sim_access_follow() those of a site
 * that is SIM_SITE_FOLLOWED are given to fn before their bytes are moved, and reported if it does not
 * take them; who takes them says of which something becomes known: sim_access_blank(). */
typedef bool sim_access_blank_fn(void *user, const sim_site *s, sim_space space, uint32_t lanes,
                                 const uint32_t addr[SIM_WARP_LANES]);
void sim_access_follow(sim_access *a, sim_access_blank_fn *fn, void *user);
void sim_access_blank(sim_access *a, const sim_site *s, sim_space space, uint32_t lanes,
                      const uint32_t addr[SIM_WARP_LANES]);
/* Hands over the findings that this worker has collected. Once its last block has ended, before
 * sim_findings_take(). */
void sim_access_flush(sim_access *a);
/* Adds what this worker counted at the site (all its states) to *to: requests, sectors, bytes,
 * conflicts, L1 ... */
void sim_access_count(const sim_access *a, const sim_site *s, sim_counters *to);
sim_status sim_access_fault(
    const sim_access *a); /* SIM_OK, ILLEGAL_ADDRESS, MISALIGNED: the first fault of this worker */

/* Since the last call a load saw what lay there before a store that is late: a loop that waits for
 * it goes on later, though nobody stores. */
bool sim_access_saw_older(sim_access *a);

/* The block and warp that the next accesses belong to. */
void sim_access_enter(sim_access *a, sim_block_mem *b, unsigned warp);

/* What the last access of this worker cost: for the trace (trace.h). Each access sets all of it. */
typedef struct {
    /* sim_space, generic ones resolved (the last one when lanes pointed at several) */
    uint8_t space;
    uint8_t lanes; /* active lanes */
    /* shared: wavefronts. const: distinct words. atomics: the most lanes on one address. Else 1 */
    uint16_t passes;
    /* global, local: 128-byte lines touched; without caches: transactions. const: of 64 bytes, told
     * only where more than 16 words are read */
    uint16_t lines;
    uint16_t sectors;  /* global, local, remote: distinct 32-byte sectors */
    uint16_t l1_hits;  /* of those, found in L1 */
    uint16_t distinct; /* atomics: distinct addresses */
    /* this access's entries in the block's stream: sim_block_stream(). const: stream_n is 0 and
     * stream_at the 64-byte line of the first lane */
    uint32_t stream_at, stream_n;
} sim_access_cost;
/* How many of those entries' sectors were found in L2, how many took DRAM traffic, and how many were
 * stores of less than the whole sector (of entries still in the stream): valid after
 * sim_block_commit() and before the next sim_block_begin(). */
typedef struct {
    unsigned l2_hits, dram, parts;
} sim_stream_cost;
sim_stream_cost sim_block_stream_cost(const sim_block_mem *b, uint32_t at, uint32_t n);
/* A texture or surface read of the lanes: `addr` are texels that must be there, and were they
 * written; `sector` are the n sectors (address / 32) that it looks up, quad of lanes by quad. Returns
 * the lanes that went through. */
uint32_t sim_access_texture(sim_access *a, const sim_site *s, const uint64_t addr[32],
                            uint32_t lanes, const uint64_t *sector, unsigned n);
const sim_access_cost *sim_access_last(const sim_access *a);

/* ---- block ---- */
sim_block_mem *sim_block_mem_new(sim_access_launch *l); /* reusable for block after block */
void sim_block_mem_free(sim_block_mem *b);
/* Starts block number `order` (shared memory forgotten, L1 of multiprocessor order % sms). Waits
 * for the block that held this L1 before, unless the launch is cooperative: a thread begins its
 * blocks in the order of their numbers, and runs them. Reports name it by that number. */
void sim_block_begin(sim_block_mem *b, uint64_t order);
/* They name it by this one, its place in the grid. */
void sim_block_name(sim_block_mem *b, uint64_t linear);
/* The block stops for a while without having ended (it waits for another block): it gives its L1 up
 * and goes on with an empty one. */
void sim_block_suspend(sim_block_mem *b);
/* Nobody will ask for the block's single accesses (stream_at and stream_n of their cost,
 * sim_block_stream(), sim_block_stream_cost()): its stream may be in brief. After
 * sim_block_begin(). */
void sim_block_brief(sim_block_mem *b);
/* After the commit, where sim_access_launch_counts() was called: loads of lines that L1 had not, and of lines
 * that L2 had not either. */
typedef struct {
    uint64_t l2, dram;
} sim_block_waits;
sim_block_waits sim_block_waited(const sim_block_mem *b);
void sim_access_launch_counts(sim_access_launch *l); /* before the first block */
/* The block's last instruction ran: its L1 passes on. Its stream waits for the commit. */
void sim_block_end(sim_block_mem *b);
/* Feeds the block's stream to L2. Blocks must be committed in order of their numbers, one at a time
 * (any thread). */
void sim_block_commit(sim_block_mem *b);

/* A block's stream is one entry for each line of an access; or, in brief, two for columns: stores of
 * a whole warp to 32 lines at equal distances, each of the same words, of one sector, of the lines:
 *
 *   .op = SIM_STREAM_COLUMN, .line, .words   the first line; the words that any of the stores wrote
 *   .op = SIM_STREAM_STEP, .line, .words     bytes from each line to the next; how many stores */
typedef enum {
    SIM_STREAM_LOAD,
    SIM_STREAM_STORE,
    SIM_STREAM_ATOM,
    SIM_STREAM_STEP,
    SIM_STREAM_COLUMN = 4 /* a bit that no other has */
} sim_stream_op;
typedef struct {
    uint64_t line;   /* address / 128 */
    uint32_t words;  /* STORE: mask of the line's 32 words that are written */
    uint8_t sectors; /* mask of the 4 sectors; not of a column */
    uint8_t op;      /* sim_stream_op */
    uint8_t missed;  /* after the commit: sectors that took DRAM traffic; not of a column */
    uint8_t unused;
} sim_stream_entry;
const sim_stream_entry *sim_block_stream(const sim_block_mem *b, size_t *n);

/* ---- blocks of which each has its own global memory (sim_access_config.apart) ---- */
/* Instead of the commit: `real`, which was committed, did the same to the device's memory. What L2
 * had not for that is what it would not have had for `b`. False: one of them had more accesses than
 * are kept, or memory is short. */
bool sim_block_commit_as(sim_block_mem *b, const sim_block_mem *real);
/* Words that it left otherwise than the device's memory has them now: as sim_apart_unlike(). */
uint64_t sim_block_unlike(const sim_block_mem *b, uint64_t *rounded, uint64_t *at);
/* It touched more than is kept: what it did since is not what it would have done. */
bool sim_block_overflowed(const sim_block_mem *b);

/* Raw shared memory of the block, for the executor's own uses (debug prints, mbarrier objects). */
void *sim_block_shared(sim_block_mem *b);
/* Local memory lies interleaved (32 lanes' words side by side). Copies n bytes at `offset` of a
 * lane in or out, unchecked beyond bounds: false if they do not fit. For printf arguments, call
 * frames and parameters passed in memory. */
bool sim_local_read(sim_block_mem *b, unsigned warp, unsigned lane, uint32_t offset, void *to,
                    uint32_t n);
bool sim_local_write(sim_block_mem *b, unsigned warp, unsigned lane, uint32_t offset,
                     const void *from, uint32_t n);

/* The bytes [from, from + n) of local memory hold nothing any more: a function's variables when it is
 * called. */
void sim_local_fresh(sim_block_mem *b, unsigned warp, uint32_t lanes, uint32_t from, uint32_t n);

/* ---- order between threads: what the race checks need to know (no cost when they are off) ---- */
/* A block barrier has opened. `lanes`: threads that took part, a mask per warp; NULL: all of the
 * block. */
void sim_block_barrier(sim_block_mem *b, const uint32_t *lanes);
/* The cluster's barrier has opened. */
void sim_cluster_met(sim_cluster_mem *c);
/* bar.warp.sync and the other .sync operations among lanes of a warp. */
void sim_warp_sync(sim_access *a, uint32_t lanes);
/* membar, fence: orders what the lanes did before with what they do after. */
void sim_fence(sim_access *a, uint32_t lanes);
/* griddepcontrol.wait: what the block accesses from here on comes after the grids before it. */
void sim_grid_wait(sim_access *a);
/* Copy of bytes global -> shared by cp.async: `n` of `bytes` are read, the rest zero-filled. `gs`
 * and `ss` are two sites of the one instruction: a GLOBAL load and a SHARED store of elem * vec ==
 * bytes. Completed at once. */
uint32_t sim_copy_async(sim_access *a, const sim_site *gs, const sim_site *ss, const uint64_t *from,
                        const uint32_t *to, uint32_t mask, const uint32_t *n);

/* ---- bulk copies: ranges that the copy engine moves for a lane, which the caller does (bulk.c, race_bulk.c) ---- */

/* What an instruction's copies cost in all: begin, each range adds its lines, end (then
 * sim_access_last() tells it). */
sim_access_cost sim_bulk_begin(const sim_access *a, unsigned lanes);
void sim_bulk_end(sim_access *a, const sim_access_cost *cost);
/* n >= 1 bytes of global memory that the lane's copy reads (a LOAD site), writes (STORE) or reduces
 * (ATOM), at a multiple of `align`: checked, marked, sent to L2. Where they lie; NULL: a fault, as
 * sim_access_fault() says. */
uint8_t *sim_bulk_global(sim_access *a, const sim_site *s, unsigned lane, sim_addr at, uint64_t n,
                         unsigned align, sim_access_cost *cost);
/* The same of shared memory, which is sent nowhere: the block's, or with SIM_SITE_CLUSTER that of
 * another of its cluster. */
uint8_t *sim_bulk_shared(sim_access *a, const sim_site *s, unsigned lane, uint32_t at, uint64_t n,
                         unsigned align);
bool sim_bulk_own(const sim_block_mem *b, uint32_t at); /* an address of the block's own memory */
/* n bytes at a generic address of parameters, global or constant memory that the copy engine looks
 * at: only bounds are checked. */
const uint8_t *sim_bulk_object(sim_access *a, const sim_site *s, unsigned lane, sim_addr at,
                               unsigned n, unsigned align);
/* For the race checks. The copy that sim_bulk_shared() was just asked for is under way: until a wait has
 * found the phase of that parity of the mbarrier at `bar` over (it writes the bytes) ... */
void sim_bulk_flight(sim_access *a, const sim_site *s, unsigned lane, uint32_t at, uint32_t n,
                     uint32_t bar, bool parity);
/* ... or until its thread has waited for its bulk group (it reads them). */
void sim_bulk_group_flight(sim_access *a, const sim_site *s, unsigned lane, uint32_t at,
                           uint32_t n);
void sim_bulk_commit(sim_access *a, uint32_t lanes);
void sim_bulk_wait(sim_access *a, uint32_t lanes,
                   uint32_t left); /* all groups but the last `left` */
void sim_bulk_seen(sim_access *a, uint32_t lanes, uint32_t bar, bool parity);
/* The same for cp.async, whose groups are others; and: the phase of that parity of the mbarrier at
 * `bar` will not be over before the lane's copies so far are. */
void sim_copy_commit(sim_access *a, uint32_t lanes);
void sim_copy_wait(sim_access *a, uint32_t lanes, uint32_t left);
void sim_copy_track(sim_access *a, unsigned lane, uint32_t bar, bool parity);
bool sim_bulk_any_flight(const sim_access *a);
/* wgmma reads n bytes at each of the lanes' addresses, which are the block's own, through the async proxy: what
 * threads have written there needs a fence.proxy.async. */
void sim_race_async_read(sim_access *a, const sim_site *s, uint32_t lanes, const uint32_t at[],
                         uint32_t n);
void sim_proxy_fence(sim_access *a); /* fence.proxy.async */

#endif
