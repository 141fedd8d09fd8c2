/* Memory accesses of a whole warp: checks and counts them, feeds the cache models and moves the
 * bytes.
 *
 *   decode: sim_site for each memory instruction, sim_site_bind()
 *   launch: sim_access_launch (number of sites, kernel, options; L1s, L2)   one a launch
 *   worker: sim_access (counts and inline caches of sites)                  one a worker thread
 *   block:  sim_block_mem (shared and local memory, their shadows,          one a resident block
 *           stream of L2 sectors)
 *
 *   per warp access:  s->load(a, s, addr, mask, dst) -> lanes that succeeded
 *                     check -> count -> L1 -> (misses, stores) -> the block's stream
 *   in block order:   sim_block_commit(): stream -> L2 -> DRAM
 *
 * Addresses: uint64_t[32] for GENERIC, GLOBAL and CONST sites, uint32_t[32] for SHARED and LOCAL
 * ones. Lanes that are not in the mask may hold anything. An access with an empty mask does
 * nothing.
 *
 * In a launch with clusters, an address in shared memory is one of the cluster's window (PTX ISA
 * 5.1.7):
 *
 *   bits 0 .. 23    offset in the shared memory of the owning block
 *   bits 24 .. 31   that block's rank in the cluster
 *
 * Machine code of compute capability 9.0 makes addresses in this way: an offset, and SR_CgaCtaId
 * shifted by 24. A block's own addresses contain its own rank, so they mean the same in every block
 * of the cluster. A generic address is SIM_SHARED_WINDOW plus those 32 bits. Without clusters, each
 * rank is 0. */
#ifndef WARPLAB_SIM_ACCESS_H
#define WARPLAB_SIM_ACCESS_H

#include "runner/device/sim/memory/chain.h"
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
    /* only in the cost of an access: shared memory of another block of the cluster */
    SIM_SPACE_REMOTE
} sim_space;

typedef enum {
    SIM_ACCESS_LOAD,
    SIM_ACCESS_STORE,
    SIM_ACCESS_ATOM, /* atom and red: read and write in one step */
    SIM_ACCESS_TEX   /* texture and surface reads, which have counters of their own */
} sim_access_kind;

enum {
    SIM_SITE_SEXT = 1,      /* sign-extend loaded values to the register's width */
    SIM_SITE_BYPASS_L1 = 2, /* .cg .cv .volatile .relaxed .acquire: loads go to L2 */
    /* .relaxed .acquire .release: does not race with atomics (volatile does not count as strong) */
    SIM_SITE_STRONG = 4,
    SIM_SITE_ACQUIRE = 8,  /* acquire semantics, or atom.cas / atom.exch: may take a lock */
    SIM_SITE_RELEASE = 16, /* release semantics, or atom.exch: may give a lock back */
    /* never report this site's reads as uninitialised (prefetch, an exchange whose old value is not
     * used) */
    SIM_SITE_NO_UNINIT = 32,
    /* PTX ISA 8.4: like .relaxed.sys; race.c says where that is not enough */
    SIM_SITE_VOLATILE = 64,
    SIM_SITE_CLUSTER = 128, /* .shared::cluster: may access other blocks of the cluster */
    SIM_SITE_BULK = 256,    /* of the copy engine, for sim_bulk_global() and sim_bulk_shared() */
    /* its value may stay unused, or be copied to local memory as part of a larger object: reads of
     * local memory are never reported as uninitialised */
    SIM_SITE_MOVES = 512,
    SIM_SITE_FOLLOWED = 1024, /* a plain load: sim_access_follow() */
    SIM_SITE_CONSTANT = 2048, /* ld.global.nc: of memory that is not written in the launch */
    SIM_SITE_MBARRIER = 4096, /* of an mbarrier: what it does is counted there, not as an atomic */
    SIM_SITE_CTA = 8192,      /* .cta: it orders and is atomic for threads of the block alone */
    SIM_SITE_AT_ONCE = 16384, /* with BULK: the thread itself writes, and waits for nothing */
    /* its order releases nothing, not even that of an atom.exch: others may see late what it
     * stores */
    SIM_SITE_LATE = 32768
};

/* All caches of a device (cache.h describes their behaviour). They persist between launches. NULL:
 * memory is short. */
typedef struct sim_caches sim_caches;
sim_caches *sim_caches_new(const sim_profile *p, sim_isa isa);
/* Gives its L2 the contents of that of `from`, which has the same profile. */
void sim_caches_take(sim_caches *c, const sim_caches *from);
void sim_caches_free(sim_caches *c);
bool sim_caches_l2(const sim_caches *c); /* returns whether global memory has one */
void sim_caches_flush(sim_caches *c);    /* drops every line; nothing is written back */
/* api/memory_api.c reaches the caches through this function of api/device.c. */
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
    bool met;       /* its barrier has opened: all of its blocks have begun */
    uint16_t meets; /* how often it has */
    sim_block_mem *block[SIM_CLUSTER_MAX]; /* by rank; NULL: the block has ended */
} sim_cluster_mem;
/* Call it before sim_block_begin(): puts the block into a cluster, or (NULL) into none. */
void sim_block_join(sim_block_mem *b, sim_cluster_mem *c, unsigned rank);
/* Returns the block of that rank in b's cluster; without clusters, rank 0 is b itself. NULL: there
 * is none, or it has ended. */
sim_block_mem *sim_block_peer(sim_block_mem *b, unsigned rank);
/* Returns the place of the bytes that b means by an address of its cluster's window; NULL: none. */
uint8_t *sim_shared_at(sim_block_mem *b, uint32_t address, uint32_t bytes);
/* For writes without a site. These bytes of the block's shared memory are written, and cannot race.
 * Returns whether none of them had been written. */
void sim_shared_written(sim_block_mem *b, uint32_t offset, uint32_t bytes);
/* makes them count as never written */
void sim_shared_unwritten(sim_block_mem *b, uint32_t offset, uint32_t bytes);
bool sim_shared_blank(const sim_block_mem *b, uint32_t offset, uint32_t bytes);

/* Loads: dst[k] is the register of element k, 32 lanes of `reg` bytes (4 or 8), NULL for a sink;
 * lanes outside the mask keep their values. Elements narrower than the register are zero- or
 * sign-extended to it. Stores: the low `elem` bytes of src[k]'s lanes. `ptr`: checks, counts and
 * feeds the caches like an access of the site's kind, moves nothing, and returns each lane's host
 * pointer (atomics, textures, matrix loads: the caller does the rest; a store through `ptr` counts
 * as completely written). All return the lanes that succeeded: the mask, minus the faulting ones;
 * if any faulted, sim_access_fault() is not SIM_OK and the launch must end. Faulting lanes are
 * neither read nor written. */
typedef uint32_t sim_load_fn(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                             void *const dst[]);
typedef uint32_t sim_store_fn(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                              const void *const src[]);
typedef uint32_t sim_ptr_fn(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                            void *ptr[32]);

/* Loads one element a lane for a whole warp from addr[lane] + offset, for sites that have this
 * function and warps that are not traced: sim_access_last() is not set. Returns false if it did
 * nothing; then the load goes through `load`. */
typedef bool sim_quick_fn(sim_access *a, const sim_site *s, const uint64_t *addr, uint64_t offset,
                          void *dst);

/* The fixed facts of a memory instruction. decode fills the first part, sim_site_bind() the second.
 * Read-only in a launch. */
struct sim_site {
    uint32_t loc;      /* as in ptx_insn.loc */
    uint32_t ptx_line; /* as in ptx_insn.ptx_line */
    uint32_t id;       /* set by sim_site_bind: index of the first state of this site */
    uint8_t space;     /* sim_space */
    uint8_t kind;      /* sim_access_kind */
    /* bytes of an element: 1, 2, 4, 8. A .b128 is two elements of 8; a 16-byte row of a matrix load
     * is one of 16 (only `ptr`) */
    uint8_t elem;
    uint8_t vec;      /* elements: 1, 2, 4, 8 */
    uint8_t reg;      /* bytes of a lane in each dst[k] or src[k]: 4 or 8 */
    uint8_t align;    /* 0: elem * vec */
    uint16_t flags;   /* SIM_SITE_* */
    uint16_t changes; /* of ATOM: SIM_ATOM_*; 0: it changes nothing, or this is unknown */
    /* set by sim_site_bind: 1, or 3 for GENERIC (global, shared, local); 1 more with `near` */
    uint8_t states;
    /* in launches with clusters: the same site for everything except other blocks' memory;
     * otherwise NULL */
    const sim_site *near;
    sim_load_fn *load;   /* set by sim_site_bind, for LOAD */
    sim_quick_fn *quick; /* the same; NULL: it has none */
    sim_store_fn *store; /* for STORE */
    sim_ptr_fn *ptr;     /* for all */
};
/* Gives the site its ids (from *next_id, which it increments) and its functions for the host's
 * instruction set. Returns false if the combination makes no sense. */
bool sim_site_bind(sim_site *s, sim_isa isa, uint32_t *next_id);
/* The same for a SHARED or GENERIC site in launches with clusters, using *near, which must live as
 * long. */
bool sim_site_bind_cluster(sim_site *s, sim_site *near, sim_isa isa, uint32_t *next_id);

/* ---- launch ---- */
typedef struct {
    const sim_profile *profile;
    const sim_options *options;
    sim_memory *memory;
    sim_caches *caches;     /* the device's */
    sim_findings *findings; /* receives faults; also knows names and lines (finding.h) */
    uint32_t site_states;   /* next_id after the last sim_site_bind */
    unsigned block[3];      /* threads */
    uint64_t grid_blocks;
    uint32_t shared_bytes; /* static + dynamic, per block */
    /* part of shared_bytes, at the end: the system reserves it, and it is 0 when a block begins */
    uint32_t shared_reserved;
    uint32_t local_bytes; /* per thread: the most that can be addressed */
    bool byte_shadow; /* some site of the kernel may access less than 4 bytes of shared memory */
    bool early;       /* as in sim_launch */
    bool cooperative; /* blocks interleave: L1s are not handed from block to block */
    /* Each block sees only its own writes to global memory: lines are copied when it first touches
     * them. Blocks begin in any order, and each finds in its L1 what the previous one left. Nothing
     * is marked as written. Not with bulk copies. */
    bool apart;
    /* With `apart`: one such memory for all blocks. It belongs to the caller and is for one worker,
     * while no other thread writes. Blocks begin in order and are committed to `caches`. NULL: each
     * block has its own. */
    struct sim_apart *together;
    /* With options->check_race_global: which volatile and relaxed stores and atomics other warps
     * see late is drawn from this (late.h); 0: none. */
    uint64_t late;
    bool awaits; /* some loop goes round until another thread has stored something */
    bool chain;  /* one worker runs all blocks: flags from block to block are followed (chain.h) */
    unsigned cluster; /* blocks that are begun together; 0: none are */
    /* what generic addresses in the param window point at (cvta.param); may be NULL */
    const void *params;
    uint32_t param_bytes;
    unsigned resident_blocks; /* per multiprocessor, from occupancy */
    uint64_t carveout; /* bytes of shared memory that the launch prefers; 0: what its blocks need */
    void (*touch)(void *user, sim_addr line, unsigned sectors, bool write); /* as in sim_launch */
    void *touch_user;
} sim_access_config;
sim_access_launch *sim_access_launch_new(const sim_access_config *c);
/* Adds L2 and DRAM counters of the committed blocks. sim_access_count has those of sites. */
void sim_access_launch_count(const sim_access_launch *l, sim_counters *to);
/* Number of L2 slices over which global atomics are distributed; 512 neighbouring bytes share a
 * slice. */
enum { SIM_L2_SLICES = 96 };
/* Counts the sectors that atomics of the committed blocks touched, by slice. Returns how many of
 * them one slice had to take one after another: for each group of blocks (twice as many as run at
 * the same time: config.resident_blocks on every multiprocessor), those of its busiest slice,
 * summed over the groups. */
uint64_t sim_access_launch_slices(const sim_access_launch *l, uint64_t ops[SIM_L2_SLICES]);
/* Returns how many lanes of atomics of its cluster's other blocks a block takes on average, of
 * those with the rank that takes most. */
double sim_access_launch_received(const sim_access_launch *l);
/* Returns how many steps the longest chain of flags has; zeros without config.chain. */
sim_chain_place sim_access_launch_chain(const sim_access_launch *l);
/* Block `linear` failed: the blocks above it stop waiting for their turns at L1 or L2. Any
 * thread. */
void sim_access_launch_abort(sim_access_launch *l, uint64_t linear);
/* Like sim_launch.words, after all blocks have ended, but with the position of an access instead of
 * its file. Returns false if words were not recorded. */
typedef void sim_access_run(void *user, sim_addr from, uint64_t bytes, unsigned how, uint32_t loc);
/* After the launch: some block has waited for the grids before it, and some has done so before it
 * let the next grid begin (sim_result). */
void sim_access_launch_waited(const sim_access_launch *l, bool *waited, bool *held);
/* The search for races needed more memory than it may take, and did not see everything. */
bool sim_access_launch_full(const sim_access_launch *l);
bool sim_access_launch_words(const sim_access_launch *l, sim_access_run *fn, void *user);
/* Called after all blocks have ended: bytes of device or managed memory, and the instruction that
 * stored there last (stores and atomics). Returns false if this was not recorded. */
typedef void sim_access_stored(void *user, sim_addr from, uint64_t bytes, const sim_site *by);
bool sim_access_launch_stored(const sim_access_launch *l, sim_access_stored *fn, void *user);
/* Each lane of `lanes` read the bytes of a texel at its address: for races, and for the report of
 * words. */
bool sim_access_watches_texels(const sim_access *a); /* false: the next function does nothing */
void sim_access_texels(sim_access *a, const sim_site *s, const sim_addr at[SIM_WARP_LANES],
                       uint32_t lanes, unsigned bytes);
void sim_access_launch_free(sim_access_launch *l); /* after those of its workers and blocks */

/* ---- worker ---- */
sim_access *sim_access_new(sim_access_launch *l);
/* reports the findings that it still holds: call it before sim_findings_take() */
void sim_access_free(sim_access *a);
/* Lanes read shared or local memory that was never written. With sim_access_follow(), fn gets such
 * reads of SIM_SITE_FOLLOWED sites before their bytes are moved; reads that it does not take are
 * reported. A function that takes them later says which have an effect: sim_access_blank(). */
typedef bool sim_access_blank_fn(void *user, const sim_site *s, sim_space space, uint32_t lanes,
                                 const uint32_t addr[SIM_WARP_LANES]);
void sim_access_follow(sim_access *a, sim_access_blank_fn *fn, void *user);
void sim_access_blank(sim_access *a, const sim_site *s, sim_space space, uint32_t lanes,
                      const uint32_t addr[SIM_WARP_LANES]);
/* Passes on the findings that this worker has collected. Call it after its last block has ended,
 * before sim_findings_take(). */
void sim_access_flush(sim_access *a);
/* Adds this worker's counts at the site (all its states) to *to: requests, sectors, bytes,
 * conflicts, L1 ... */
void sim_access_count(const sim_access *a, const sim_site *s, sim_counters *to);
/* SIM_OK, ILLEGAL_ADDRESS, MISALIGNED: the first fault of this worker */
sim_status sim_access_fault(const sim_access *a);

/* Since the last call a load saw what lay there before a store that is late: a loop that waits for
 * it goes on later, though nobody stores. */
bool sim_access_saw_older(sim_access *a);

/* The block and warp that the next accesses belong to. */
void sim_access_enter(sim_access *a, sim_block_mem *b, unsigned warp);

/* The cost of this worker's last access, for the trace (trace.h). Each access sets all fields. */
typedef struct {
    /* sim_space, with generic ones resolved (the last one if lanes point at several) */
    uint8_t space;
    uint8_t lanes; /* active lanes */
    /* shared: wavefronts. const: distinct words. atomics: the most lanes on one address. Others:
     * 1 */
    uint16_t passes;
    /* global, local: 128-byte lines touched; without caches: transactions. const: lines of 64
     * bytes, only if more than 16 words are read */
    uint16_t lines;
    uint16_t sectors;  /* global, local, remote: distinct 32-byte sectors */
    uint16_t l1_hits;  /* of those, found in L1 */
    uint16_t distinct; /* atomics: distinct addresses */
    /* this access's entries in the block's stream: sim_block_stream(). const: stream_n is 0 and
     * stream_at the 64-byte line of the first lane */
    uint32_t stream_at, stream_n;
} sim_access_cost;
/* How many of those entries' sectors were found in L2, how many took DRAM traffic, and how many
 * were partial stores (of entries still in the stream). Valid after sim_block_commit() and before
 * the next sim_block_begin(). */
typedef struct {
    unsigned l2_hits, dram, parts;
} sim_stream_cost;
sim_stream_cost sim_block_stream_cost(const sim_block_mem *b, uint32_t at, uint32_t n);
/* The lanes read a texture or surface. addr: texels that must exist and must have been written.
 * sector: the n sectors (address / 32) that are looked up, quad of lanes by quad. Returns the lanes
 * that succeeded. */
uint32_t sim_access_texture(sim_access *a, const sim_site *s, const uint64_t addr[32],
                            uint32_t lanes, const uint64_t *sector, unsigned n);
const sim_access_cost *sim_access_last(const sim_access *a);

/* ---- block ---- */
sim_block_mem *sim_block_mem_new(sim_access_launch *l); /* reusable for block after block */
void sim_block_mem_free(sim_block_mem *b);
/* Starts block number `order`: shared memory is forgotten, and the block gets the L1 of
 * multiprocessor order % sms. Waits for the previous block on this L1, unless the launch is
 * cooperative; so a thread must begin its blocks in the order of their numbers, and run them.
 * Reports name the block by this number. */
void sim_block_begin(sim_block_mem *b, uint64_t order);
/* Reports name the block by this number, its place in the grid. */
void sim_block_name(sim_block_mem *b, uint64_t linear);
/* The block pauses without having ended (it waits for another block): it gives its L1 up and
 * continues with an empty one. */
void sim_block_suspend(sim_block_mem *b);
/* The block's single accesses will not be needed (stream_at and stream_n of their cost,
 * sim_block_stream(), sim_block_stream_cost()), so its stream may be brief. Call it after
 * sim_block_begin(). */
void sim_block_brief(sim_block_mem *b);
/* After the commit, if sim_access_launch_counts() was called: loads of lines that L1 did not have,
 * and of lines that L2 did not have either; sectors of these loads; loads from another block's
 * shared memory; passes over the banks of its own beyond those without conflicts, and turns of
 * atomics' lanes on one word of it. */
typedef struct {
    uint64_t l2, dram, sectors, remote, passes;
} sim_block_waits;
sim_block_waits sim_block_waited(const sim_block_mem *b);
/* The access just done by an atomic polled in vain: how often that happens is no property of the
 * program, so its passes do not count there. */
void sim_block_polled(sim_block_mem *b, const sim_access_cost *c);
void sim_access_launch_counts(sim_access_launch *l); /* before the first block */
/* The block has executed its last instruction and gives its L1 up. Its stream waits for the
 * commit. */
void sim_block_end(sim_block_mem *b);
/* Feeds the block's stream to L2. Blocks must be committed in the order of their numbers, one at a
 * time (any thread). */
void sim_block_commit(sim_block_mem *b);

/* A block's stream has one entry for each line of an access. A brief stream has two entries for a
 * column: stores of a whole warp to 32 lines at equal distances, each to the same words, all in one
 * sector, of its line:
 *
 *   .op = SIM_STREAM_COLUMN, .line, .words   the first line; the words that any of the stores wrote
 *   .op = SIM_STREAM_STEP, .line, .words     bytes from each line to the next; number of stores */
typedef enum {
    SIM_STREAM_LOAD,
    SIM_STREAM_STORE,
    SIM_STREAM_ATOM,
    SIM_STREAM_STEP,
    SIM_STREAM_COLUMN = 4 /* a bit that no other op has */
} sim_stream_op;
typedef struct {
    uint64_t line; /* address / 128 */
    /* STORE: mask of the words written, of the line's 32. LOAD: how many instructions its warp
     * had issued (sim_block_turn()) */
    uint32_t words;
    uint8_t sectors; /* mask of the 4 sectors; not for a column */
    uint8_t op;      /* sim_stream_op */
    uint8_t missed;  /* after the commit: sectors that took DRAM traffic; not for a column */
    uint8_t unused;
} sim_stream_entry;
const sim_stream_entry *sim_block_stream(const sim_block_mem *b, size_t *n);
/* Returns how many bytes DRAM had to deliver for what was committed. */
uint64_t sim_block_missed(const sim_block_mem *b);
/* Where the stream finds the warp instructions that the block has issued so far; it lives as long
 * as b. */
void sim_block_clock(sim_block_mem *b, const uint64_t *clock);
/* From here on the warp runs, until the next call. */
void sim_block_turn(sim_block_mem *b, unsigned warp);

/* ---- blocks that have their own global memory (sim_access_config.apart) ---- */
/* Replaces the commit: `real`, which was committed, did the same to the device's memory. What L2
 * did not have for `real`, it would not have had for `b`. Returns false if one of them had more
 * accesses than are kept, or if memory is short. */
bool sim_block_commit_as(sim_block_mem *b, const sim_block_mem *real);
/* Returns how many words the block left different from the device's present memory: see
 * sim_apart_unlike(). */
uint64_t sim_block_unlike(const sim_block_mem *b, uint64_t *rounded, uint64_t *at);
/* Returns whether it touched more than is kept: from then on it did not run as it would have. */
bool sim_block_overflowed(const sim_block_mem *b);

/* Returns the block's shared memory, for the executor's own uses (debug prints, mbarrier
 * objects). */
void *sim_block_shared(sim_block_mem *b);
/* Local memory is interleaved (32 lanes' words are adjacent). Copies n bytes at `offset` of a lane
 * in or out. Returns false if they are out of bounds; nothing else is checked. For printf
 * arguments, call frames and parameters passed in memory. */
bool sim_local_read(sim_block_mem *b, unsigned warp, unsigned lane, uint32_t offset, void *to,
                    uint32_t n);
bool sim_local_write(sim_block_mem *b, unsigned warp, unsigned lane, uint32_t offset,
                     const void *from, uint32_t n);

/* The bytes [from, from + n) of local memory lose their contents: a function's variables when it is
 * called. */
void sim_local_fresh(sim_block_mem *b, unsigned warp, uint32_t lanes, uint32_t from, uint32_t n);

/* ---- order between threads, for the race checks (costs nothing when they are off) ---- */
/* A block barrier has opened. lanes: the threads that took part, a mask for each warp; NULL: the
 * whole block. */
void sim_block_barrier(sim_block_mem *b, const uint32_t *lanes);
/* The cluster's barrier has opened. */
void sim_cluster_met(sim_cluster_mem *c);
/* For bar.warp.sync and the other .sync operations among lanes of a warp. */
void sim_warp_sync(sim_access *a, uint32_t lanes);
/* For membar and fence: orders what the lanes did before with what they do after, for other blocks
 * too, unless `cta`. */
void sim_fence(sim_access *a, uint32_t lanes, bool cta);
/* For griddepcontrol.wait: the block's accesses from here on come after the grids before it. */
void sim_grid_wait(sim_access *a);
/* For griddepcontrol.launch_dependents: as far as this block is concerned, the next grid may
 * begin. */
void sim_grid_lets(sim_access *a);
/* Copies bytes from global to shared memory, for cp.async: reads `n` of `bytes` and fills the rest
 * with zeros. `gs` and `ss` are two sites of the same instruction: a GLOBAL load and a SHARED store
 * with elem * vec == bytes. Completes at once. */
uint32_t sim_copy_async(sim_access *a, const sim_site *gs, const sim_site *ss, const uint64_t *from,
                        const uint32_t *to, uint32_t mask, const uint32_t *n);

/* ---- bulk copies: ranges that the copy engine moves for a lane; the caller moves them (bulk.c,
 * race_bulk.c) ---- */

/* The cost of all copies of an instruction: begin it, each range adds its lines, end it (then
 * sim_access_last() returns it). */
sim_access_cost sim_bulk_begin(sim_access *a, unsigned lanes);
void sim_bulk_end(sim_access *a, const sim_access_cost *cost);
/* n >= 1 bytes of global memory that the lane's copy reads (a LOAD site), writes (STORE) or reduces
 * (ATOM), at a multiple of `align`: checks and marks them, and sends them to L2. Returns their
 * place, valid until the next range or the end; NULL: a fault, see sim_access_fault(). */
uint8_t *sim_bulk_global(sim_access *a, const sim_site *s, unsigned lane, sim_addr at, uint64_t n,
                         unsigned align, sim_access_cost *cost);
/* The same for shared memory, which sends nothing: the block's own or, with SIM_SITE_CLUSTER, that
 * of another block of its cluster. */
uint8_t *sim_bulk_shared(sim_access *a, const sim_site *s, unsigned lane, uint32_t at, uint64_t n,
                         unsigned align);
/* returns whether the address is in the block's own memory */
bool sim_bulk_own(const sim_block_mem *b, uint32_t at);
/* n bytes at a generic address of parameters, global or constant memory that the copy engine reads:
 * only bounds are checked. */
const uint8_t *sim_bulk_object(sim_access *a, const sim_site *s, unsigned lane, sim_addr at,
                               unsigned n, unsigned align);
/* For the race checks. The copy for which sim_bulk_shared() was just called is in flight: until a
 * wait has found that the phase with that parity of the mbarrier at `bar` is over (the copy writes
 * the bytes) ... */
void sim_bulk_flight(sim_access *a, const sim_site *s, unsigned lane, uint32_t at, uint32_t n,
                     uint32_t bar, bool parity);
/* ... or until its thread has waited for its bulk group (the copy reads them). */
void sim_bulk_group_flight(sim_access *a, const sim_site *s, unsigned lane, uint32_t at,
                           uint32_t n);
void sim_bulk_commit(sim_access *a, uint32_t lanes);
/* Waits for all groups except the last `left`. reads: only until they have read their sources. */
void sim_bulk_wait(sim_access *a, uint32_t lanes, uint32_t left, bool reads);
/* The block has ended: reports copies that are still in flight in its shared memory. */
void sim_bulk_left(sim_access *a);
void sim_bulk_seen(sim_access *a, uint32_t lanes, uint32_t bar, bool parity);
/* The same for cp.async, which has groups of its own. The third: the phase with that parity of the
 * mbarrier at `bar` will not end before the lane's copies so far. */
void sim_copy_commit(sim_access *a, uint32_t lanes);
void sim_copy_wait(sim_access *a, uint32_t lanes, uint32_t left);
void sim_copy_track(sim_access *a, unsigned lane, uint32_t bar, bool parity);
bool sim_bulk_any_flight(const sim_access *a);
/* wgmma reads n bytes at each of the lanes' addresses, which are the block's own, through the async
 * proxy: bytes that threads have written there need a fence.proxy.async. */
void sim_race_async_read(sim_access *a, const sim_site *s, uint32_t lanes, const uint32_t at[],
                         uint32_t n);
/* fence.proxy.async, for accesses of shared memory, of global memory, or both */
void sim_proxy_fence(sim_access *a, bool shared, bool global);

#endif
