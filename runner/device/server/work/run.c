/* Executes work: launches, copies, fills, frees. Results are made here. timeline.c computes when
 * they would have been ready, and the log keeps both. children.c does what kernels ask for,
 * complete.c pays for it all. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/code.h"
#include "runner/device/server/core/lineage.h"
#include "runner/device/server/work/children.h"
#include "runner/device/server/work/condition.h"
#include "runner/device/server/work/move.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/stream.h"
#include "runner/device/sim/memory/memory.h"
#include "runner/device/sim/profile.h"
#include "runner/base/clock.h"
#include "words/server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- copies and memsets: their places found */

static cudaError_t run_copy(dev_client *c, dev_stream *s, const dev_work *w, double after,
                            double *end) {
    const wire_copy *p = &w->copy;
    dev_moving m = {.to_as = &p->to,
                    .from_as = &p->from,
                    .extent = {p->width, p->height, p->depth},
                    .async = p->async,
                    .caller = p->caller};
    if (!dev_place_find(c, w->device, &p->to, p->width, p->height, p->depth, &m.to) ||
        !dev_place_find(c, w->device, &p->from, p->width, p->height, p->depth, &m.from) ||
        m.to.pageable || m.from.pageable)
        return cudaErrorInvalidValue;
    m.misdirected = dev_copy_misdirected(c, w->device, p);
    return dev_error(dev_move_copy(c, s, w->device, &m, after, end));
}

static cudaError_t run_fill(dev_client *c, dev_stream *s, const dev_work *w, double after,
                            double *end) {
    const wire_fill *f = &w->fill;
    dev_moving m = {.to_as = &f->to,
                    .extent = {f->width, f->height, f->depth},
                    .value = f->value,
                    .element = f->element};
    if (!dev_place_find(c, w->device, &f->to, f->width, f->height, f->depth, &m.to) ||
        m.to.pageable)
        return cudaErrorInvalidValue;
    return dev_error(dev_move_fill(c, s, w->device, &m, after, end));
}

/* ---- managed memory */

/* Adds the cost of managed memory to a launch: data that stay on the host cross the link while the
 * kernel runs; at faults the kernel waits. */
static void run_managed(const sim_profile *p, const dev_moved *m, sim_result *r) {
    if (!(r->time_us > 0)) return;
    r->time_us = fmax(r->time_us, dev_moved_far_us(p, m)) + dev_moved_us(p, m);
    r->link_bytes += (double)(m->far_read + m->far_written);
}

/* ---- launches */

/* What a launch did with memory that the program's own code can reach, and with the lab's. */
typedef struct {
    uint64_t stored; /* bytes of the ranges into which it stored */
    bool loaded;
    /* some of these are managed variables: the program can use them without a request */
    bool tells;
    bool gives; /* it stored into a buffer of dev_alloc() */
} host_use;

/* A GPU does not report this: it may have stored into all of it. */
static host_use host_used(dev_client *c, unsigned device) {
    const dev_device *d = dev_hw(c, device);
    sim_memory *memory = d->backend->memory ? HW(d, memory) : NULL;
    host_use all = {0};
    for (size_t i = 0; i < c->memory.count; i++) {
        dev_mem *m = &c->memory.ranges[i];
        if (!m->on_host) {
            all.gives |= m->kind == DEV_MEM_GRANTED &&
                         (!memory || sim_memory_launch_stored(memory, m->base));
            continue;
        }
        bool stored = !memory || sim_memory_launch_stored(memory, m->base),
             reached = m->kind != DEV_MEM_MANAGED || m->given;
        m->ever_stored |= stored;
        if (stored) dev_side_after(c, m->base, m->bytes, false);
        if (stored && reached) {
            all.stored += m->bytes;
            all.tells |= m->kind == DEV_MEM_VARIABLE;
            dev_words_left(c, m->base, m->bytes, false);
        }
        all.loaded |= reached && memory && sim_memory_launch_loaded(memory, m->base);
    }
    return all;
}

/* Cost in instructions of a run of bytes that a launch accessed: telling, sorting, comparing. */
enum { RUN_WORD = 256 };

static void run_uses(void *client, sim_addr base, uint64_t bytes) {
    dev_move_uses(client, base, bytes);
}

/* Runs the launch. The host's memory that it is about to use is checked first. */
static sim_status run_kernel(dev_client *c, unsigned device, void *kernel, const sim_launch *l,
                             sim_result *r, lib_message *msg) {
    const dev_device *d = dev_hw(c, device);
    sim_memory *memory = d->backend->memory && dev_side_kept(c) ? HW(d, memory) : NULL;
    if (memory) sim_memory_on_use(memory, run_uses, c);
    sim_status e = HW(d, run, kernel, l, r, msg);
    if (memory) sim_memory_on_use(memory, NULL, NULL);
    return e;
}

/* sim_launch.words */
typedef struct {
    dev_runs runs,
        early; /* early: those that it accessed before it waited for the grid before it */
    uint64_t told;
} run_words;
static void run_word(void *user, const sim_word_run *run) {
    run_words *w = user;
    sim_word_run plain = *run;
    plain.how &= ~(unsigned)SIM_WORD_EARLY;
    dev_runs_add(run->how & SIM_WORD_EARLY ? &w->early : &w->runs, &plain);
    w->told++;
}

/* What a launch takes of the device while it runs: multiprocessors that its blocks fill, memory,
 * units. A node of a graph starts sooner (`saved` us), and does the same work in the time that is
 * left. */
static dev_demand run_demand(const sim_profile *p, const wire_launch *at, const sim_result *r,
                             double saved) {
    uint64_t blocks = (uint64_t)at->grid[0] * at->grid[1] * at->grid[2],
             room = (uint64_t)r->occupancy.blocks * p->sms;
    double share = room && blocks < room ? (double)blocks / (double)room : 1;
    dev_demand demand = {.us = r->time_us - saved, .share = share};
    if (demand.us > 0) {
        const sim_counters *n = &r->counters;
        double dram = 1e3 * p->dram_gbs * p->dram_efficiency * demand.us,
               l2 = 1e3 * p->l2_gbs * demand.us, link = 1e3 * p->h2d_pinned_gbs * demand.us;
        if (dram > 0)
            demand.used[DEV_DRAM] = fmin(1, (double)(n->dram_read + n->dram_write) / dram);
        if (l2 > 0) demand.used[DEV_L2] = fmin(1, (double)n->l2_sectors * 32 / l2);
        if (link > 0) demand.used[DEV_LINK] = fmin(1, r->link_bytes / link);
        for (unsigned k = 0; k < SIM_UNIT_COUNT; k++)
            demand.used[DEV_UNITS + k] = fmin(1, r->busy[k] * r->time_us / demand.us);
    }
    return demand;
}

/* Returns how much one grid may ask for: the limit that the program set. */
static unsigned run_most_children(const dev_client *c, unsigned device) {
    enum { MOST = 1 << 16 };
    uint64_t n = c->context[device].limit[cudaLimitDevRuntimePendingLaunchCount];
    return n < MOST ? (unsigned)n : MOST;
}

/* %globaltimer does not distinguish a replay from the call. */
static uint64_t run_start_ns(const dev_log_state *g) {
    return g->replaying ? g->work_ns + (lib_now_ns() - g->replay_ns) : 0;
}

static cudaError_t run_launch(dev_client *c, dev_stream *s, const dev_work *w, double after,
                              double *end, dev_asked *asked) {
    const dev_kernel *k = w->launch.kernel;
    const sim_profile *p = c->s->device[w->device].profile;
    const wire_launch *at = &w->launch.at;
    dev_setter setter = {.c = c, .device = w->device};
    sim_launch l = {.grid = {at->grid[0], at->grid[1], at->grid[2]},
                    .block = {at->block[0], at->block[1], at->block[2]},
                    .dynamic_shared = at->shared,
                    .params = w->params,
                    .param_bytes = at->param_bytes,
                    .cooperative = at->cooperative,
                    .stack = w->launch.stack
                                 ? w->launch.stack
                                 : (uint32_t)c->context[w->device].limit[cudaLimitStackSize],
                    .has_carveout = w->launch.carveout >= 0,
                    .carveout = w->launch.carveout < 0 ? 0 : (unsigned)w->launch.carveout,
                    .print = dev_log_print,
                    .print_user = c,
                    .condition = dev_condition_set,
                    .condition_user = &setter,
                    .inst_limit = c->limits.work_limit,
                    .inst_taken = c->limits.work,
                    .start_ns = run_start_ns(&c->log),
                    .number = ++c->log.grids,
                    .peers = c->context[w->device].peers | c->context[w->device].pool_peers,
                    .most_children = run_most_children(c, w->device),
                    .cancel = &c->limits.stop};
    dev_launch_cluster(k, at->cluster, l.cluster);
    sim_result *r = calloc(1, sizeof *r);
    lib_message msg = {0};
    dev_touching touching;
    double start;
    if (!r) return cudaErrorMemoryAllocation;
    dev_pages_begin(c, w->device, &touching);
    run_words words = {.runs.of = c};
    l.words = run_word, l.words_user = &words;
    dev_stored stored = {0};
    if (dev_lineage_on(c)) l.stored = dev_stored_add, l.stored_user = &stored;
    l.early = at->early && dev_concurrent_behind(s);
    if (dev_pages_any(c) && !c->log.replaying) l.touch = dev_pages_touch, l.touch_user = &touching;
    dev_flow_gave(c, DEV_OP_LAUNCH, 0, k->info->pretty);
    if (!c->log.replaying) dev_words_passed(c, w->params, at->param_bytes);
    sim_status e = run_kernel(c, w->device, k->kernel, &l, r, &msg);
    host_use host = host_used(c, w->device);
    dev_flow_saw(c, DEV_OP_LAUNCH, host.stored, k->info->pretty);
    /* The host may have answered while it ran. */
    if (host.stored && host.loaded) dev_flow_within(c, k->info->pretty);
    if (e && !r->status) r->status = e;
    c->limits.work += r->executed + RUN_WORD * words.told;
    *asked = (dev_asked){r->children, r->child_count, k->module};
    r->children = NULL, r->child_count = 0;
    double alone = r->time_us;
    run_managed(p, &touching.moved, r);
    if (l.early) dev_concurrent_early(c, s, k->info->pretty, r, &words.early, &words.runs);
    dev_runs_free(&words.early);
    dev_lineage_spoil(c, w->device, k->info->pretty, &stored);
    dev_lineage_launch(c, w->device, &words.runs, &stored, r, setter.set);
    dev_concurrent_note(c, s, DEV_OP_LAUNCH, k->info->pretty, &words.runs);
    /* A host that polls may act on what the launch stored there. */
    if (host.stored && (host.tells || !dev_concurrent_guards(c, s))) {
        dev_held_forget(c, 0, UINT64_MAX);
        dev_concurrent_host(c, w->device, s);
    }
    bool node = c->log.follows;
    dev_demand demand =
        run_demand(p, at, r, node ? (1 - DEV_GRAPH_START) * fmin(p->kernel_us, r->time_us) : 0);
    dev_place_kernel(c, w->device, node ? after : after + p->launch_gap_us, &demand, &start, end);
    dev_record *record = dev_log(c, DEV_OP_LAUNCH, w->device, s, start, *end, 0, e);
    if (record) record->alone_us = alone;
    dev_move_paged(record, &touching.moved);
    dev_log_launch(c, record, w, r, host.gives);
    if (!e) return cudaSuccess;
    /* Blocks for which its own carve-out leaves no room: an H200 notices when it starts them. */
    if (e == SIM_TOO_MANY_RESOURCES && at->cooperative && at->has_carveout) e = SIM_TRAP;
    if (e == SIM_BAD_LAUNCH || e == SIM_TOO_MANY_RESOURCES || e == SIM_BAD_ARGUMENT ||
        e == SIM_BAD_CLUSTER)
        return dev_error(e);
    if (e == SIM_UNSUPPORTED) {
        if (!lib_message_any(&msg)) lib_message_set(&msg, w_server_gpu_said(sim_status_message(e)));
        dev_unsupported(c, w_server_kernel_unsupported(k->info->pretty, &msg));
    }
    /* The context is broken; the program learns it when it next waits. */
    if (!c->context[w->device].fault) c->context[w->device].fault = dev_error(e);
    return cudaSuccess;
}

/* ---- memory of graphs and pools */

/* Each launch of a graph allocates and frees like the calls from which these nodes were made. */
static void run_log_memory(dev_client *c, const dev_stream *s, const dev_mem *m, dev_op op,
                           double at) {
    dev_record *r = dev_log(c, op, m->device, s, at, at, m->bytes, SIM_OK);
    if (!r) return;
    r->call = op == DEV_OP_MALLOC ? "cudaMallocAsync" : "cudaFreeAsync";
    r->memory = m->base;
    r->pooled = true;
}

/* Memory of a graph keeps its address; each launch finds it new. */
static cudaError_t run_alloc(dev_client *c, const dev_stream *s, const dev_work *w, double at) {
    const dev_mem *m = dev_mem_find(c, w->alloc.address);
    if (!m) return cudaErrorInvalidValue;
    run_log_memory(c, s, m, DEV_OP_MALLOC, at);
    uint64_t *now = &c->memory.device[m->device].graph_bytes,
             *high = &c->memory.device[m->device].graph_high;
    HW(dev_hw(c, m->device), poison, m->base, m->bytes);
    *now += m->bytes;
    if (*now > *high) *high = *now;
    return cudaSuccess;
}

static cudaError_t run_free(dev_client *c, const dev_stream *s, const dev_work *w, double at) {
    dev_mem *m = dev_mem_find(c, w->alloc.address);
    if (!m || m->base != w->alloc.address) return cudaSuccess;
    if (m->kind != DEV_MEM_GRAPH) return dev_error(dev_mem_release(c, m));
    run_log_memory(c, s, m, DEV_OP_FREE, at);
    uint64_t *now = &c->memory.device[m->device].graph_bytes;
    *now -= m->bytes < *now ? m->bytes : *now;
    return cudaSuccess;
}

/* ---- all kinds */

cudaError_t dev_work_do(dev_client *c, dev_stream *s, const dev_work *w, double after, double *end,
                        dev_asked *asked) {
    *end = after;
    switch (w->kind) {
    case DEV_WORK_LAUNCH: return run_launch(c, s, w, after, end, asked);
    case DEV_WORK_COPY: return run_copy(c, s, w, after, end);
    case DEV_WORK_FILL: return run_fill(c, s, w, after, end);
    case DEV_WORK_ALLOC: return run_alloc(c, s, w, after);
    case DEV_WORK_FREE:
        dev_concurrent_freed(c, s, w->alloc.address, w->alloc.bytes);
        return run_free(c, s, w, after);
    default: return cudaSuccess;
    }
}
