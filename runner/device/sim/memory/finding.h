/* Findings: what went wrong at a site. A site is reported once, with a count, and put into words in
 * one place (finding.c).
 *
 *   any worker: sim_finding_report(event) --merge by (kind, site)--> sim_findings
 *                                         --sim_findings_take()----> sim_result.findings
 *
 * The number of workers does not change which hit of a site is reported, nor the count: the hit in
 * the lowest block is reported, and the count covers all blocks up to the one that ended the
 * launch. */
#ifndef WARPLAB_SIM_FINDING_H
#define WARPLAB_SIM_FINDING_H

#include "runner/device/sim/sim.h"
#include "runner/device/sim/memory/memory.h"

typedef struct sim_findings sim_findings;
struct ptx_module;

typedef struct {
    const char *kernel;              /* pretty name; must outlive the findings */
    unsigned grid[3], block[3];      /* at least 1 each */
    const struct ptx_module *module; /* passed to `source` */
    /* ptx_source_near() of ptx.h */
    void (*source)(const struct ptx_module *m, uint32_t loc, uint32_t ptx_line, const char **file,
                   unsigned *line);
    /* ptx_source_inner() of ptx.h; may be NULL */
    void (*inner)(const struct ptx_module *m, uint32_t loc, const char **file, unsigned *line);
    const sim_memory *memory; /* gives the names of allocations; may be NULL */
} sim_findings_config;
sim_findings *sim_findings_new(const sim_findings_config *c);
void sim_findings_free(sim_findings *f);

/* An event. Fields that do not apply stay 0. */
typedef struct {
    sim_finding_kind kind;
    uint32_t loc, ptx_line; /* the site */
    uint64_t block;         /* linear */
    uint32_t thread;        /* linear index in the block */
    const char *space;      /* "global", ... */
    bool write, atomic;
    unsigned bytes; /* per lane */
    unsigned align; /* MISALIGNED: the required alignment */
    /* as the program would print it; for shared and local memory, the offset in that memory */
    sim_addr address;
    uint64_t space_size; /* OOB in shared, local, const or param memory: the size of that memory */
    /* Shared memory of another block of the cluster: its rank + 1, and the number of blocks in the
     * cluster. USE_AFTER_FREE: that block has ended. */
    uint32_t remote, remote_of;
    uint64_t count; /* 0 counts as 1 */
    /* races: the other side; barriers: a thread that waits elsewhere */
    bool has_other;
    uint32_t other_loc, other_ptx_line, other_thread;
    uint64_t other_block;
    bool other_write, other_atomic;
    /* RACE: what would order the accesses, if it is not a barrier; needed if there is no other
     * side. ASSERT, TRAP, BARRIER, DEADLOCK, BUDGET, STACK, UNSUPPORTED: what the thread does.
     * Valid until the event is reported. */
    const lib_words *detail;
} sim_event;
void sim_finding_report(sim_findings *f, const sim_event *e); /* any thread */
size_t sim_findings_count(const sim_findings *f);
/* Returns the findings of blocks up to `last` (linear numbers; UINT64_MAX: all) in the order of
 * (block, order of report), as a malloc'ed array; NULL and 0 if there are none. Drops the others.
 * Strings belong to the module, to the kernel, or (alloc_name) to the array itself: one free()
 * frees all. */
sim_finding *sim_findings_take(sim_findings *f, uint64_t last, size_t *n);

#endif
