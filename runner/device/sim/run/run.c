/* Takes a launch from its configuration to its result.
 *
 *   sim_run: check --> image, findings, access, trace
 *     --> workers: block after block in order of their numbers (work.c)
 *     --> commit in that same order (caches, trace)
 *     --> counts of segments and memory sites (count.c) --> counters, lines, findings, time
 *
 * The result is the same for any number of workers. Blocks see each other only through atomics.
 * Kernels whose results can depend on the order of atomics run their blocks one after another. All
 * counts are sums. */
#include "runner/base/clock.h"
#include "runner/base/message.h"
#include "runner/device/sim/debug/hook.h"
#include "runner/device/sim/decode/decode.h"
#include "runner/device/sim/exec/stray.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/module/module.h"
#include "runner/device/sim/native/native.h"
#include "runner/device/sim/slice/slice.h"
#include "runner/device/sim/run/block.h"
#include "runner/device/sim/run/call.h"
#include "runner/device/sim/run/launch.h"
#include "runner/device/sim/run/pool.h"
#include "runner/device/sim/run/twins.h"
#include "runner/device/sim/tap/tap.h"
#include "runner/device/sim/special/devlib.h"
#include "words/device.h"
#include "words/run.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sim_result_free(sim_result *r) {
    if (!r) return;
    free(r->lines);
    free(r->findings);
    free(r->what_if);
    free(r->spans);
    free(r->ptx);
    free(r->machine);
    free(r->slices);
    r->slices = NULL;
    r->slice_count = 0;
    sim_children_free(r->children, r->child_count);
    r->children = NULL;
    r->child_count = 0;
    r->ptx = NULL;
    r->ptx_count = 0;
    r->machine = NULL;
    r->machine_count = 0;
    r->what_if = NULL;
    r->spans = NULL;
    r->span_count = 0;
    r->lines = NULL;
    r->findings = NULL;
    r->line_count = r->finding_count = 0;
}

/* ---- checks ---- */

static sim_status launch_refuse(sim_status s, lib_message *msg, lib_words why) {
    lib_message_set(msg, why);
    return s;
}

static sim_status launch_check(const sim_device *d, const sim_launch *l, lib_message *msg) {
    static const uint64_t grid_max[3] = {0x7fffffff, 65535, 65535}, block_max[3] = {1024, 1024, 64};
    const sim_profile *p = d->profile;
    const sim_kernel *k = l->kernel;
    uint64_t threads = 1, blocks = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!l->grid[i] || l->grid[i] > grid_max[i])
            return launch_refuse(SIM_BAD_LAUNCH, msg,
                                 w_device_grid_out_of_range((char[]){(char)('x' + i), 0},
                                                            l->grid[i], (long long)grid_max[i]));
        if (!l->block[i] || l->block[i] > block_max[i])
            return launch_refuse(SIM_BAD_LAUNCH, msg,
                                 w_device_block_out_of_range((char[]){(char)('x' + i), 0},
                                                             l->block[i], (long long)block_max[i]));
        threads *= l->block[i];
        blocks *= l->grid[i];
    }
    unsigned max =
        k->info.max_threads < p->max_threads_block ? k->info.max_threads : p->max_threads_block;
    if (threads > p->max_threads_block || threads > max)
        return launch_refuse(
            threads > p->max_threads_block ? SIM_BAD_LAUNCH : SIM_TOO_MANY_RESOURCES, msg,
            w_device_too_many_threads(
                (long long)threads, threads > p->max_threads_block ? p->marketing : k->info.pretty,
                max));
    for (unsigned i = 0; i < 3; i++)
        if (k->info.required_block[0] &&
            l->block[i] != (k->info.required_block[i] ? k->info.required_block[i] : 1))
            return launch_refuse(SIM_BAD_LAUNCH, msg,
                                 w_device_required_block(k->info.pretty, k->info.required_block[0],
                                                         k->info.required_block[1],
                                                         k->info.required_block[2]));
    if (l->param_bytes < k->info.param_bytes)
        return launch_refuse(SIM_BAD_ARGUMENT, msg,
                             w_device_too_few_parameters(k->info.pretty, k->info.param_bytes,
                                                         (long long)l->param_bytes));
    if (l->dynamic_shared > k->info.max_dynamic_shared)
        return launch_refuse(SIM_BAD_ARGUMENT, msg,
                             w_device_dynamic_shared((long long)l->dynamic_shared, k->info.pretty,
                                                     k->info.max_dynamic_shared));
    if (k->info.static_shared + l->dynamic_shared > p->shared_block_optin)
        return launch_refuse(
            SIM_BAD_ARGUMENT, msg,
            w_device_shared_of_block((long long)(k->info.static_shared + l->dynamic_shared),
                                     p->marketing, (long long)p->shared_block_optin));
    return SIM_OK;
}

/* Finds the clusters for which the launch asks, or which the kernel requires. */
static sim_status launch_clusters(sim_run_state *r, lib_message *msg) {
    const sim_profile *p = r->device->profile;
    const sim_launch *l = r->launch;
    const sim_kernel_info *info = &l->kernel->info;
    const unsigned *size = l->cluster[0] ? l->cluster : info->required_cluster;
    if (l->kernel->func->blocks_are_clusters)
        return launch_refuse(SIM_UNSUPPORTED, msg, w_device_blocks_are_clusters(info->pretty));
    if (!size[0] && !info->needs_cluster) return SIM_OK;
    if (!p->clusters && size[0] == 1 && size[1] == 1 && size[2] == 1) return SIM_OK;
    if (!p->clusters)
        return launch_refuse(SIM_UNSUPPORTED, msg,
                             w_device_no_clusters(p->marketing, p->cc_major, p->cc_minor));
    if (!size[0]) return launch_refuse(SIM_BAD_CLUSTER, msg, w_device_cluster_wanted(info->pretty));
    uint64_t blocks = (uint64_t)size[0] * size[1] * size[2];
    unsigned most = info->max_cluster && info->max_cluster < SIM_CLUSTER_MAX ? info->max_cluster
                                                                             : SIM_CLUSTER_MAX;
    if (!blocks || size[0] > most || size[1] > most || blocks > most)
        return launch_refuse(SIM_BAD_CLUSTER, msg,
                             w_device_cluster_size(size[0], size[1], size[2], info->pretty, most));
    for (unsigned i = 0; i < 3; i++) {
        if (info->required_cluster[0] && size[i] != info->required_cluster[i])
            return launch_refuse(SIM_BAD_CLUSTER, msg,
                                 w_device_required_cluster(info->pretty, info->required_cluster[0],
                                                           info->required_cluster[1],
                                                           info->required_cluster[2]));
        if (l->grid[i] % size[i])
            return launch_refuse(
                SIM_BAD_CLUSTER, msg,
                w_device_grid_no_multiple((char[]){(char)('x' + i), 0}, l->grid[i], size[i]));
        r->cluster[i] = size[i];
    }
    r->cluster_size = (unsigned)blocks;
    r->cluster_explicit = true;
    return SIM_OK;
}

/* Returns the kernel as this launch executes it. NULL: *s says why not. */
static sim_image *launch_image(sim_run_state *r, sim_status *s, lib_message *msg) {
    sim_kernel *k = r->kernel;
    if ((*s = launch_clusters(r, msg)) != SIM_OK) return NULL;
    sim_image *im = r->cluster_size ? NULL : sim_kernel_image(k, msg);
    if (im && im->cluster_barrier) { /* each block is its own cluster */
        r->cluster[0] = r->cluster[1] = r->cluster[2] = r->cluster_size = 1;
        im = NULL;
    }
    if (r->cluster_size) im = sim_kernel_cluster_image(k, msg);
    if (!im) *s = sim_module_stopped(k->module) ? SIM_CANCELLED : SIM_UNSUPPORTED;
    return im;
}

/* Returns the bytes of shared memory that the launch wants a multiprocessor to have; 0: no
 * preference. Without shared memory of its own, a launch's preference limits no blocks: an H200 ran
 * 32 where cudaOccupancyMaxActiveBlocksPerMultiprocessor() said 8. */
static uint64_t launch_carveout(const sim_run_state *r) {
    const sim_launch *l = r->launch;
    uint64_t shared = l->kernel->info.static_shared + l->dynamic_shared;
    return l->has_carveout ? sim_profile_launch_carveout(r->device->profile, l->carveout, shared)
                           : 0;
}

/* Computes the occupancy of the launch, and whether it can be resident at all. */
static sim_status launch_occupancy(const sim_run_state *r, sim_result *res, lib_message *msg) {
    const sim_profile *p = r->device->profile;
    const sim_launch *l = r->launch;
    const sim_kernel_info *info = &l->kernel->info;
    unsigned registers = sim_resources_registers(p, info->registers, r->threads);
    uint64_t shared = info->static_shared + l->dynamic_shared;
    sim_status status = sim_occupancy_get(p, r->threads, registers, shared,
                                          shared ? launch_carveout(r) : 0, &res->occupancy);
    if (status != SIM_OK) return status;
    if (!res->occupancy.blocks)
        return launch_refuse(
            SIM_TOO_MANY_RESOURCES, msg,
            w_device_block_too_dear(info->pretty,
                                    lib_words_named("device.limiter", res->occupancy.limiter)));
    if (l->cooperative && r->grid_blocks > (uint64_t)res->occupancy.blocks * p->sms)
        return launch_refuse(SIM_TOO_MANY_RESOURCES, msg,
                             w_device_cooperative_too_large((long long)r->grid_blocks,
                                                            res->occupancy.blocks, p->sms));
    return SIM_OK;
}

/* ---- setting up ---- */

static void launch_describe(sim_run_state *r, const sim_image *im) {
    const sim_launch *l = r->launch;
    const sim_options *options = &r->device->options;
    r->image = im;
    r->params = l->params;
    r->threads = l->block[0] * l->block[1] * l->block[2];
    r->warps = (r->threads + SIM_WARP_LANES - 1) / SIM_WARP_LANES;
    r->grid_blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    r->dynamic_shared = (uint32_t)l->dynamic_shared;
    r->shared_bytes = im->static_shared + r->dynamic_shared;
    r->shared_room = sim_shared_room(r->device->profile, im, r->shared_bytes);
    r->local_bytes = sim_local_limit(im, l->stack ? l->stack : SIM_STACK_BYTES);
    r->budget = options->inst_budget ? options->inst_budget : 1ull << 38;
    if (l->inst_limit) {
        uint64_t left = l->inst_limit > l->inst_taken ? l->inst_limit - l->inst_taken : 0;
        if (left < r->budget) r->budget = left;
    }
    atomic_init(&r->stop_after, UINT64_MAX);
    r->serial = (options->deterministic && im->serial) || l->cooperative;
}

/* Writes the device memory that the launch itself needs: a grid barrier, parameters read by
 * address. */
static void launch_write_memory(const sim_run_state *r) {
    const sim_device *d = r->device;
    const sim_launch *l = r->launch;
    uint32_t bytes = l->kernel->info.param_bytes;
    if (l->cooperative) sim_memory_fill(d->memory, d->workspace, 0, 4, 64);
    if (d->param_block && bytes) sim_memory_write(d->memory, d->param_block, l->params, bytes);
}

/* Returns a new random number for each launch, so that a program that times its launches learns
 * nothing about the next one. 0: nothing is drawn. */
static uint64_t launch_draw(const sim_device *d) {
    return d->options.sample
               ? sim_trace_draw(d->options.sample, (unsigned)d->launches, UINT64_MAX) + 1
               : 0;
}

/* Makes findings, memory accesses and trace. r->access NULL: memory is out. */
static void launch_open(sim_run_state *r, unsigned resident_blocks) {
    sim_device *d = r->device;
    const sim_launch *l = r->launch;
    const sim_image *im = r->image;
    sim_findings_config fc = {.kernel = l->kernel->info.pretty,
                              .grid = {l->grid[0], l->grid[1], l->grid[2]},
                              .block = {l->block[0], l->block[1], l->block[2]},
                              .module = im->module,
                              .source = ptx_source_near,
                              .inner = ptx_source_inner,
                              .memory = d->memory};
    r->resident_blocks = resident_blocks;
    r->shares = im->takes && !im->awaits && !r->cluster_size && !r->debug && r->grid_blocks > 1 &&
                r->grid_blocks <= (uint64_t)resident_blocks * d->profile->sms;
    r->carveout = launch_carveout(r);
    sim_access_config ac = {
        .profile = d->profile,
        .options = &d->options,
        .memory = d->memory,
        .caches = d->caches,
        .site_states = im->site_states,
        .block = {l->block[0], l->block[1], l->block[2]},
        .grid_blocks = r->grid_blocks,
        .shared_bytes = r->shared_room,
        .shared_reserved = im->reserved_smem ? (uint32_t)r->device->profile->shared_reserved : 0,
        .local_bytes = r->local_bytes,
        .byte_shadow = im->byte_shadow,
        .early = l->early,
        .cooperative = l->cooperative,
        .cluster = r->cluster_size,
        .resident_blocks = resident_blocks,
        .carveout = r->carveout,
        .touch = l->touch,
        .touch_user = l->touch_user};
    ac.findings = r->findings = sim_findings_new(&fc);
    /* Such loads are not races, and one order of the warps can be right by luck. The log compares
     * block after block. */
    if (d->options.check_uninit)
        r->unset = sim_trace_draw(d->options.sample, (unsigned)d->launches, UINT64_MAX) + 1;
    bool drawn = (im->by_turns || im->counted_barriers) && d->options.check_race_global &&
                 !d->options.machine_log;
    r->turns = drawn ? launch_draw(d) : 0;
    ac.late = im->stores_late || (im->atomics_late && im->loads_strong) ? r->turns : 0;
    ac.awaits = im->awaits;
    ac.chain = im->awaits && r->serial && d->options.model_time;
    if (im->launches) r->asked = sim_asked_new(d, l->most_children);
    if (r->findings && (r->asked || !im->launches)) r->access = sim_access_launch_new(&ac);
    if (r->access && d->options.model_time) {
        uint64_t draw = launch_draw(d);
        sim_spread_begin(&r->spread, d->profile->sms, resident_blocks);
        sim_spread_begin(&r->own, d->profile->sms, resident_blocks);
        /* The block that begins a chain of flags waits for nobody, unlike the others. */
        int lead = draw & 1 ? sim_sample_busiest(r) : ac.chain ? 1 : -1;
        r->trace = sim_trace_of(d->profile, r->grid_blocks, r->warps, resident_blocks, draw, lead);
        if (r->trace) r->spread.first = r->own.first = r->trace->sm;
        if (r->trace) sim_sample_begin(r, draw != 0);
    }
    if (r->trace) {
        r->trace->memory = d->memory;
        if (!r->kernel->kept) r->kernel->kept = time_kept_new();
        if (r->kernel->kept) r->trace->seed = time_kept_seed(r->kernel->kept);
    }
    pthread_mutexattr_t attr; /* held only briefly: a waiting thread should spin, not sleep */
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(&r->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_cond_init(&r->fewer, NULL);
}

/* Zeroed memory for one worker (sim_worker). */
static void *launch_own(size_t bytes) {
    size_t n = (bytes + SIM_OWN_LINES - 1) / SIM_OWN_LINES * SIM_OWN_LINES;
    void *p = aligned_alloc(SIM_OWN_LINES, n);
    return p ? memset(p, 0, n) : NULL;
}

static bool launch_workers(sim_run_state *r, unsigned n) {
    const sim_image *im = r->image;
    r->workers = launch_own(n * sizeof *r->workers);
    if (!r->workers) return false;
    for (r->worker_count = 0; r->worker_count < n; r->worker_count++) {
        sim_worker *k = &r->workers[r->worker_count];
        k->run = r;
        k->index = r->worker_count;
        k->fuel = 1 << 14;
        k->segs = launch_own((im->seg_count + 1) * sizeof *k->segs);
        k->guards = launch_own((im->guard_count + 1) * sizeof *k->guards);
        k->access = sim_access_new(r->access);
        if (r->launch->stored) k->crews = sim_crews_new();
        if (!k->segs || !k->guards || !k->access) {
            r->worker_count++;
            return false;
        }
        sim_access_follow(k->access, sim_stray_blank, k);
    }
    return true;
}

/* Prints the output of the failing block and of those before it. */
static void launch_print_failed(sim_run_state *r) {
    for (;;) {
        sim_block *lowest = NULL;
        for (sim_block *b = r->ended; b; b = b->next)
            if (b->print_len && (!lowest || b->order < lowest->order)) lowest = b;
        for (sim_block *b = r->dead; b; b = b->next)
            if (b->print_len && (!lowest || b->order < lowest->order)) lowest = b;
        if (!lowest || lowest->order > atomic_load(&r->stop_after)) return;
        if (r->launch->print && !atomic_load(&r->print_full) &&
            !r->launch->print(r->launch->print_user, lowest->print_text, lowest->print_len))
            atomic_store(&r->print_full, true);
        lowest->print_len = 0;
    }
}

static void launch_close(sim_run_state *r) {
    sim_blocks_free(r->ended);
    sim_blocks_free(r->dead);
    for (unsigned k = 0; k < r->worker_count; k++) {
        sim_blocks_free(r->workers[k].idle);
        sim_access_free(r->workers[k].access);
        free(r->workers[k].segs);
        free(r->workers[k].guards);
        free(r->workers[k].products);
        free(r->workers[k].crews);
        sim_swaps_free(&r->workers[k].swaps);
        sim_frames_free(&r->workers[k]);
    }
    free(r->workers);
    sim_twins_end(r);
    if (r->access) sim_access_launch_free(r->access);
    sim_trace_free(r->trace);
    sim_findings_free(r->findings);
    sim_asked_free(r->asked);
    pthread_mutex_destroy(&r->lock);
    pthread_cond_destroy(&r->fewer);
}

/* ---- running ---- */

/* The counters of a launch do not tell where its lines are in DRAM: strides of 8, 16 and 32 floats
 * have the same counters. A launch that takes much longer or shorter counts as a different one,
 * whatever its counters. */
static bool launch_takes(double us, double asked_us) {
    return asked_us <= 0 || (us < 1.2 * asked_us && asked_us < 1.2 * us);
}

/* Returns the place of this launch's what-if answer; -1: no answer is needed. What-if is answered
 * once for each kernel, geometry and amount of work (other arguments), because it takes a dozen
 * replays. */
static int launch_asks(const sim_run_state *r, const sim_counters *c, double time_us) {
    const sim_launch *l = r->launch;
    sim_kernel *k = r->kernel;
    if (!r->device->options.what_if) return -1;
    const uint64_t parts[] = {l->grid[0],
                              l->grid[1],
                              l->grid[2],
                              l->block[0],
                              l->block[1],
                              l->block[2],
                              l->dynamic_shared,
                              l->has_carveout ? l->carveout : UINT64_MAX,
                              c->warp_inst,
                              c->thread_inst,
                              c->gld_sectors,
                              c->gst_sectors,
                              c->shared_ld_conflicts,
                              c->shared_st_conflicts,
                              c->atom_global_serialised,
                              c->atom_shared_serialised};
    uint64_t hash = 1469598103934665603u;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        hash = (hash ^ parts[i]) * 1099511628211u;
    for (unsigned i = 0; i < k->asked_count; i++)
        if (k->asked[i].launch == hash && launch_takes(time_us, k->asked[i].time_us)) return (int)i;
    if (k->asked_count == sizeof k->asked / sizeof *k->asked) return -1;
    k->asked[k->asked_count].launch = hash;
    return (int)k->asked_count++;
}

static sim_what_if *launch_same(const sim_what_if *from) {
    sim_what_if *to = malloc(SIM_COST_COUNT * sizeof *to);
    if (to) memcpy(to, from, SIM_COST_COUNT * sizeof *to);
    return to;
}

/* Returns the answer of an earlier launch like this one. */
static sim_what_if *launch_same_answer(const sim_kernel *k, int at, const sim_result *res) {
    if (!k->asked[at].answer || k->asked[at].line_count != res->line_count ||
        k->asked[at].time_us <= 0)
        return NULL;
    sim_what_if *all = launch_same(k->asked[at].answer);
    for (unsigned c = 0; all && c < SIM_COST_COUNT; c++)
        all[c].time_us *= res->time_us / k->asked[at].time_us;
    return all;
}

static void launch_share(void *user, void (*fn)(void *work, unsigned worker), void *work) {
    sim_pool *pool = user;
    sim_pool_run(pool, sim_pool_start(pool, sim_pool_size(pool)), fn, work);
}

static sim_what_if *launch_what_if(const sim_run_state *r, const sim_timed *by,
                                   const time_launch *tl, const time_places *places, double time_us,
                                   const sim_result *res) {
    float *lanes = calloc(places->count + 1, sizeof *lanes);
    if (lanes) sim_twins_lanes(r, lanes);
    time_question q = {.profile = r->device->profile,
                       .code = by->code,
                       .text = by->text,
                       .trace = by->trace,
                       .launch = tl,
                       .counters = &res->counters,
                       .occupancy = &res->occupancy,
                       .lanes = lanes,
                       .places = places,
                       .time_us = time_us,
                       .lines = res->lines,
                       .line_count = res->line_count,
                       .share = launch_share,
                       .share_user = r->device->pool};
    sim_what_if *all = time_what_if(&q);
    free(lanes);
    return all;
}

/* modelled_us: the launch's time before anything was waited for outside of the replay. */
static void launch_answer(const sim_run_state *r, const sim_timed *by, const time_launch *tl,
                          time_places *places, double modelled_us, sim_result *res) {
    sim_kernel *k = r->kernel;
    int at = launch_asks(r, &res->counters, res->time_us);
    if (at < 0 || (res->what_if = launch_same_answer(k, at, res))) return;
    res->what_if = launch_what_if(r, by, tl, places, modelled_us, res);
    for (unsigned c = 0; res->what_if && modelled_us > 0 && c < SIM_COST_COUNT; c++)
        res->what_if[c].time_us *= res->time_us / modelled_us;
    res->spans = places->spans, res->span_count = places->span_count;
    places->spans = NULL;
    if (!res->what_if || k->asked[at].answer) return;
    k->asked[at].time_us = res->time_us;
    k->asked[at].line_count = res->line_count;
    k->asked[at].answer = launch_same(res->what_if);
}

/* Decides whether the launch is timed by its machine code: if all sampled blocks were executed as
 * that. If it is wanted and there is none, says why. */
static bool launch_by_machine(const sim_run_state *r, unsigned longest, sim_result *res,
                              sim_timed *by) {
    bool there = sim_twins_timed(r, by);
    if (there) sim_trace_lead(by->trace, longest);
    if (there && r->trace && res->status == SIM_OK) {
        memcpy(by->trace->slice_ops, r->trace->slice_ops, sizeof by->trace->slice_ops);
        by->trace->slice_in_turn = r->trace->slice_in_turn;
        return res->by_machine_code = true;
    }
    if (sim_twins_wanted(r))
        res->machine_refusal =
            r->kernel->twin_refusal ? r->kernel->twin_refusal : sim_twins_missed(r, res->status);
    return false;
}

/* Returns cycles of a multiprocessor's time: its blocks wait at the same time, one set after
 * another. */
static double launch_skipped(const sim_run_state *r, double at_once) {
    if (!r->skipped) return 0;
    double lots = at_once > 0 ? ceil((double)r->grid_blocks / at_once) : 1;
    return (double)r->skipped / (double)r->grid_blocks * lots;
}
/* The same of what its blocks slept; the replay has it otherwise. */
static double launch_slept(const sim_run_state *r, double at_once) {
    double lots = at_once > 0 ? ceil((double)r->grid_blocks / at_once) : 1;
    return (double)r->slept / (double)r->grid_blocks * lots;
}

/* Returns the passes of the sampled blocks' atomics in global memory. is_atom: by the low bits of
 * the pc. */
static double launch_sampled_passes(const sim_trace *t, const bool *is_atom) {
    double passes = 0;
    for (unsigned k = 0; k < t->block_count; k++)
        for (unsigned w = 0; w < t->blocks[k].warp_count; w++)
            for (uint32_t n = 0; n < t->blocks[k].warps[w].at.event_count; n++) {
                const sim_trace_event *e = &t->blocks[k].warps[w].events[n];
                if (is_atom[e->pc_low] && e->space == SIM_SPACE_GLOBAL && e->lanes)
                    passes += e->sectors + e->passes - 1.0;
            }
    return passes;
}

static double launch_counted_passes(const sim_counters *c) {
    return (double)(c->atom_global_sectors + c->atom_global_serialised - c->atom_global_requests);
}

/* Returns time_launch.atom_passes: those of the PTX, which are counted, as the sampled blocks had
 * more or fewer of them as machine code. ptxas adds up lanes first where all are on one word. */
static double launch_atom_passes(const sim_run_state *r, const sim_timed *by,
                                 const sim_counters *c) {
    if (!c->atom_global_requests) return 0;
    double passes =
        (double)(c->atom_global_sectors + c->atom_global_serialised - c->atom_global_requests);
    bool *is_atom = calloc(UINT16_MAX + 1, sizeof *is_atom);
    if (!is_atom) return passes;
    for (size_t f = 0; f < r->image->func_count; f++)
        for (uint32_t i = 0; i < r->image->funcs[f].ptx->insn_count; i++)
            if (r->image->funcs[f].ptx->insns[i].klass == PTX_CLASS_ATOM)
                is_atom[(r->image->funcs[f].pc_base + i) & UINT16_MAX] = true;
    double ptx = launch_sampled_passes(r->trace, is_atom);
    memset(is_atom, 0, (UINT16_MAX + 1) * sizeof *is_atom);
    for (uint32_t n = 0; n < by->text.func->insn_count && n <= UINT16_MAX; n++) {
        unsigned klass = sass_row_of((sass_op)by->text.func->insns[n].op)->klass;
        is_atom[n] = klass == SASS_ATOMIC || klass == SASS_REDUCTION;
    }
    double machine = launch_sampled_passes(by->trace, is_atom);
    free(is_atom);
    return ptx > 0 && machine > 0 ? passes * machine / ptx : passes;
}

static void launch_model_time(sim_run_state *r, sim_result *res) {
    sim_device *d = r->device;
    double at_once = (double)res->occupancy.blocks * r->device->profile->sms;
    double resident = at_once * (double)r->threads;
    unsigned longest = r->trace ? sim_trace_longest(r->trace) : 0;
    if (longest) {
        sim_trace_lead(r->trace, longest);
        r->spread.first = r->own.first = r->trace->sm;
    }
    time_launch tl = {.grid_blocks = r->grid_blocks,
                      .threads = r->threads,
                      .cluster = r->cluster_size,
                      .cooperative = r->launch->cooperative,
                      .swaps = r->workers[0].swaps.most,
                      .swappers = r->workers[0].swaps.threads,
                      .holders = r->workers[0].swaps.holders,
                      .attempts = sim_swaps_attempts(&r->workers[0].swaps, resident),
                      .changes = sim_swaps_changes(&r->workers[0].swaps),
                      .chain = sim_access_launch_chain(r->access),
                      .received = sim_access_launch_received(r->access),
                      .skipped = launch_skipped(r, at_once),
                      .changed = (double)d->changed,
                      .l1_bytes = (double)sim_profile_l1(r->device->profile, r->shared_bytes,
                                                         r->resident_blocks, r->carveout),
                      .worst = sim_spread_worst(&r->spread),
                      .worst_own = sim_spread_worst(&r->own),
                      .kept = r->kernel->kept};
    d->changed -= d->changed < res->counters.dram_read ? d->changed : res->counters.dram_read;
    time_result tr;
    if (r->trace)
        r->trace->slice_in_turn = sim_access_launch_slices(r->access, r->trace->slice_ops);
    sim_timed by;
    if (launch_by_machine(r, longest, res, &by)) {
        sim_trace_settle(by.trace);
        tl.counted = r->trace;
        tl.atom_passes = launch_atom_passes(r, &by, &res->counters);
    } else {
        by = (sim_timed){.trace = r->trace};
        tl.atom_passes = launch_counted_passes(&res->counters);
        tl.skipped += launch_slept(r, at_once);
    }
    bool counts = res->by_machine_code && d->options.count_machine;
    time_places *places = by.code && (res->line_count || counts) ? time_places_new(by.code) : NULL;
    time_model(r->device->profile, by.code, by.trace, &tl, &res->counters, &res->occupancy, places,
               &tr);
    double modelled_us = tr.time_us;
    if (counts && places) sim_twins_count(r, places, res);
    /* However the others fared, no launch ends before the block that waited longest. */
    uint64_t longest_wait = r->skipped_most > r->slept_most ? r->skipped_most : r->slept_most;
    double waited = longest_wait ? r->device->profile->kernel_us +
                                       (double)longest_wait / (r->device->profile->clock_ghz * 1e3)
                                 : 0;
    double chain =
        r->device->profile->kernel_us +
        sim_sample_longest(r, tr.block_cycles, tr.blocks) / (r->device->profile->clock_ghz * 1e3);
    if (chain > waited) waited = chain;
    if (waited > tr.time_us) tr.time_us = waited, tr.limiter = "latency";
    res->time_us = tr.time_us;
    res->time_floor_us = tr.time_floor_us;
    res->link_bytes = tr.link_bytes;
    res->dram_floor_us = tr.dram_floor_us;
    res->fp32_floor_us = tr.fp32_floor_us;
    res->limiter = tr.limiter ? tr.limiter : "launch";
    res->achieved_occupancy_pct = tr.achieved_occupancy_pct;
    memcpy(res->busy, tr.busy, sizeof res->busy);
    res->stalls = tr.stalls;
    res->unlike = sim_sample_unlike(r, &res->counters, modelled_us);
    if (places && by.trace && res->status == SIM_OK)
        launch_answer(r, &by, &tl, places, modelled_us, res);
    if (places) time_lines(&by.text, places, res->time_us, res->lines, res->line_count);
    time_places_free(places);
}

/* For sim_access_launch_words(): adds the file and line of the position. */
static void launch_word(void *user, sim_addr from, uint64_t bytes, unsigned how, uint32_t loc) {
    const sim_run_state *r = user;
    /* not memory of the program */
    if (from - r->device->child_area < r->device->child_bytes) return;
    sim_word_run run = {.from = from, .bytes = bytes, .how = how};
    ptx_source(r->image->module, loc, &run.file, &run.line);
    r->launch->words(r->launch->words_user, &run);
}

/* Runs all blocks on n workers, and collects their results. */
static void launch_execute(sim_run_state *r, unsigned n, sim_result *res) {
    sim_device *d = r->device;
    r->start_ns = r->launch->start_ns ? r->launch->start_ns : lib_now_ns();
    if (r->debug) r->start_ns = 0; /* each run of a launch must do the same */
    sim_memory_wrote_begin(d->memory);
    uint64_t heap = sim_memory_heap_used(d->memory);
    sim_pool_run(d->pool, n, sim_work, r);
    res->status = (sim_status)atomic_load(&r->status);
    if (r->debug) sim_debug_run_ended(r->debug, r, res->status);
    res->executed = atomic_load(&r->executed);
    if (r->asked && res->status == SIM_OK)
        res->children = sim_asked_take(r->asked, &res->child_count);
    res->host_bytes = sim_memory_wrote_bytes(d->memory);
    res->heap_grown = (int64_t)(sim_memory_heap_used(d->memory) - heap);
    res->reads_by_turns = r->image->by_turns;
    sim_access_launch_waited(r->access, &res->waited, &res->held);
    sim_native_note(r->image->native, &r->workers[0], res->executed / SIM_WARP_LANES, true);
    launch_print_failed(r);
    if (r->launch->words && res->status == SIM_OK)
        sim_access_launch_words(r->access, launch_word, r);
    r->slicing = r->launch->stored && res->status == SIM_OK ? sim_slicing_new(r) : NULL;
    if (!sim_collect(r, res)) res->status = SIM_NOMEM;
    sim_slicing_free(r->slicing);
    for (unsigned k = 0; k < r->worker_count; k++) sim_access_flush(r->workers[k].access);
    /* the order of clusters is not that of blocks, so all blocks count */
    uint64_t last = r->cluster_size ? UINT64_MAX : atomic_load(&r->stop_after);
    res->findings = sim_findings_take(r->findings, last, &res->finding_count);
    sim_memory_settle(d->memory);
    if (d->options.model_time) launch_model_time(r, res);
}

static unsigned launch_worker_count(const sim_run_state *r) {
    unsigned n = sim_pool_size(r->device->pool);
    if (r->debug || r->device->options.machine_log || sim_tap_wanted()) n = 1;
    if (r->serial || r->grid_blocks == 1) n = 1;
    uint64_t pieces = r->cluster_size ? r->grid_blocks / r->cluster_size : r->grid_blocks;
    if (n > pieces) n = (unsigned)pieces;
    /* A multiprocessor's blocks run one after another, so further workers would only wait. */
    if (n > r->device->profile->sms) n = r->device->profile->sms;
    return sim_pool_start(r->device->pool, n);
}

static sim_status launch_run(sim_device *d, const sim_launch *l, sim_result *res,
                             lib_message *msg) {
    uint64_t started = lib_now_ns();
    lib_message scratch;
    if (!msg) msg = &scratch;
    memset(res, 0, sizeof *res);
    *msg = (lib_message){0};
    res->limiter = "launch";
    sim_run_state run = {.device = d, .launch = l, .kernel = l->kernel, .debug = d->options.debug},
                  *r = &run;
    sim_image *im = launch_image(r, &res->status, msg);
    if (!im) return res->status;
    if ((res->status = launch_check(d, l, msg)) != SIM_OK) return res->status;
    launch_describe(r, im);
    if ((res->status = launch_occupancy(r, res, msg)) != SIM_OK) return res->status;
    launch_write_memory(r);
    launch_open(r, res->occupancy.blocks);
    unsigned n = launch_worker_count(r);
    r->plain_atomics = n == 1;
    sim_memory_reach(d->memory, l->peers);
    d->launches++;
    sim_twins_begin(r, n);
    sim_run_state *first = sim_twins_first(r);
    if (first) {
        sim_work(first, 0);
        sim_twins_ran(r);
    }
    if (r->access && launch_workers(r, n) &&
        (!r->debug || sim_debug_run_begins(r->debug, r, sim_twins_debugged)))
        launch_execute(r, n, res);
    else res->status = SIM_NOMEM;
    if (res->status == SIM_OK && sim_access_launch_full(r->access)) {
        res->status = SIM_NOMEM;
        lib_message_set(msg, w_run_race_memory());
    }
    if (res->status != SIM_OK && !lib_message_any(msg))
        lib_message_set(msg, res->finding_count ? lib_message_words(&res->findings[0].said)
                                                : w_device_failed(sim_status_message(res->status)));
    if (d->options.machine_log) sim_twins_log(r, res);
    if (sim_tap_wanted()) sim_twins_tapped(r, res);
    launch_close(r);
    sim_memory_reach(d->memory, 0);
    res->host_seconds = (double)(lib_now_ns() - started) * 1e-9;
    return res->status;
}

/* Runs a launch with a debugger, again whenever the debugger wants to go back. */
static sim_status launch_debugged(sim_device *d, const sim_launch *l, sim_result *res,
                                  lib_message *msg) {
    sim_debug *g = d->options.debug;
    sim_launch mine;
    sim_status s;
    sim_debug_begin(g, d, l, &mine);
    do {
        s = launch_run(d, &mine, res, msg);
        bool again = sim_debug_again(g, s);
        if (!again) break;
        sim_result_free(res);
    } while (true);
    sim_debug_end(g);
    return s;
}

sim_status sim_run(sim_device *d, const sim_launch *l, sim_result *res, lib_message *msg) {
    return (d->options.debug ? launch_debugged : launch_run)(d, l, res, msg);
}
