/* See twins.h. If a twin fails (a fault, more memory than is kept, a wait for another block), the
 * launch has no twins any more and is timed by its counters. If blocks wait for each other, all of
 * them are executed as machine code before the launch itself: over their own memory, and over
 * caches that begin in the state of the device's. */
#include "runner/device/sim/run/twins.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/decode/decode.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/memory/apart.h"
#include "runner/device/sim/module/module.h"
#include "runner/device/sim/module/twin.h"
#include "runner/device/sim/run/block.h"
#include "runner/device/sim/run/call.h"
#include "runner/device/sim/run/launch.h"
#include "runner/device/sim/tap/tap.h"
#include "words/run.h"
#include "words/tap.h"

/* Nothing is looked up in this L2 (sim_block_commit_as()), so it need not be large. */
enum { L2_BYTES = 1 << 20 };
/* Limit of the instructions of threads, over all blocks that are executed as machine code: a thread
 * that waits for the host would wait for ever there, and only sampled blocks are executed. */
#define MOST_INSTRUCTIONS (1ull << 33)

typedef struct sim_twins {
    sim_twins_head head;
    sim_twin *twin;
    sim_run_state run;
    sim_launch launch;
    sim_options options; /* those of the device, without findings */
    sim_caches *caches;
    sim_apart *together; /* memory of all blocks, if all are executed; otherwise NULL */
    uint8_t *params;
    sim_tap *tap;                        /* NULL: not wanted, or it could not be opened */
    _Atomic unsigned failed;             /* lib_word_id of the reason; 0: it has not failed */
    uint64_t unlike, unlike_at, rounded; /* sim_result.machine_unlike; sim_apart_unlike() */
} sim_twins;

static void twin_access(const sim_run_state *r, sim_twins *t) {
    sim_device *d = r->device;
    sim_run_state *x = &t->run;
    t->options = d->options;
    t->options.check_race_shared = t->options.check_race_global = t->options.check_uninit = false;
    sim_findings_config fc = {
        .kernel = "", .module = x->image->module, .source = ptx_source_near, .memory = d->memory};
    sim_access_config ac = {.profile = d->profile,
                            .options = &t->options,
                            .memory = d->memory,
                            .caches = t->caches,
                            .site_states = x->image->site_states,
                            .grid_blocks = x->grid_blocks,
                            .shared_bytes = x->shared_room,
                            .local_bytes = x->local_bytes,
                            .byte_shadow = x->image->byte_shadow,
                            .apart = true,
                            .together = t->together,
                            .cooperative = r->launch->cooperative,
                            .cluster = r->cluster_size,
                            .params = x->params,
                            .param_bytes = t->twin->param_bytes,
                            .resident_blocks = r->resident_blocks,
                            .carveout = r->carveout};
    memcpy(ac.block, r->launch->block, sizeof ac.block);
    memcpy(fc.block, r->launch->block, sizeof fc.block);
    memcpy(fc.grid, r->launch->grid, sizeof fc.grid);
    ac.findings = x->findings = sim_findings_new(&fc);
    if (x->findings) x->access = sim_access_launch_new(&ac);
}

/* Describes the run of the twin's image like a launch. */
static void twin_describe(const sim_run_state *r, sim_twins *t) {
    sim_run_state *x = &t->run;
    const sim_image *im = r->cluster_size ? t->twin->kernel->cluster_image : t->twin->kernel->image;
    t->head.run = x;
    t->launch = *r->launch;
    t->launch.kernel = t->twin->kernel;
    t->launch.params = t->params;
    t->launch.param_bytes = t->twin->param_bytes;
    t->launch.print = NULL;
    t->launch.touch = NULL;
    t->launch.words = NULL;
    *x = (sim_run_state){.device = r->device,
                         .launch = &t->launch,
                         .image = im,
                         .kernel = t->twin->kernel,
                         .grid_blocks = r->grid_blocks,
                         .threads = r->threads,
                         .warps = r->warps,
                         .params = t->params,
                         .dynamic_shared = r->dynamic_shared,
                         .shared_bytes = im->static_shared + r->dynamic_shared,
                         .shared_room = sim_shared_room(r->device->profile, im,
                                                        im->static_shared + r->dynamic_shared),
                         .local_bytes = sim_local_limit(im, 0),
                         .budget = r->budget,
                         .plain_atomics = true,
                         .shares = r->shares,
                         .unset = r->unset,
                         .twins = t,
                         .cluster = {r->cluster[0], r->cluster[1], r->cluster[2]},
                         .cluster_size = r->cluster_size,
                         .cluster_explicit = r->cluster_explicit,
                         .resident_blocks = r->resident_blocks,
                         .meets_by_sync = t->twin->meets_by_sync};
    atomic_init(&x->stop_after, UINT64_MAX);
    pthread_mutex_init(&x->lock, NULL);
    pthread_cond_init(&x->fewer, NULL);
}

static bool twin_workers(sim_run_state *x, unsigned n) {
    x->workers = aligned_alloc(SIM_OWN_LINES, n * sizeof *x->workers);
    if (!x->workers) return false;
    memset(x->workers, 0, n * sizeof *x->workers);
    for (; x->worker_count < n; x->worker_count++) {
        sim_worker *k = &x->workers[x->worker_count];
        k->run = x;
        k->index = x->worker_count;
        k->segs = calloc(x->image->seg_count + 1, sizeof *k->segs);
        k->guards = calloc(x->image->guard_count + 1, sizeof *k->guards);
        k->access = sim_access_new(x->access);
        if (k->segs && k->guards && k->access) continue;
        x->worker_count++;
        return false;
    }
    return true;
}

/* Returns whether blocks wait for others or share out work, so that all must be executed
 * together. Without clusters and cooperative launches, they can do so only if all are resident.
 * Not for the tap, which needs one block after another. */
static bool runs_together(const sim_run_state *r) {
    uint64_t resident = (uint64_t)r->resident_blocks * r->device->profile->sms;
    bool waits = r->shares || (r->image->awaits && r->grid_blocks <= resident);
    return (r->cluster_size || r->launch->cooperative || waits) && !sim_tap_wanted();
}

/* Returns why the launch has no twins; 0: no reason. */
static lib_word_id hindrance(const sim_run_state *r) {
    if ((r->cluster_size || r->launch->cooperative) && !runs_together(r))
        return r->cluster_size ? W_RUN_TWIN_CLUSTERS : W_RUN_TWIN_COOPERATIVE;
    return r->image->launches ? W_RUN_TWIN_LAUNCHES : 0;
}

bool sim_twins_wanted(const sim_run_state *r) {
    return r->device->options.machine_code || r->device->options.count_machine;
}

static bool may_have(const sim_run_state *r) {
    return r->trace && sim_twins_wanted(r) && !r->debug && !hindrance(r);
}

const lib_message *sim_twins_missed(const sim_run_state *r, sim_status status) {
    const sim_twins *t = r->twins;
    lib_word_id why = hindrance(r);
    lib_message **kept = &r->kernel->twin_missed;
    if (!*kept) *kept = calloc(1, sizeof **kept);
    if (!*kept) return NULL;
    if (!why)
        why = status != SIM_OK  ? W_RUN_TWIN_UNFINISHED
              : t               ? atomic_load(&t->failed)
              : r->cluster_size ? W_RUN_TWIN_CLUSTERS
                                : W_RUN_TWIN_NO_MEMORY;
    lib_message_set(*kept, lib_words_of(why));
    return *kept;
}

static void twin_tap(const sim_run_state *r, sim_twins *t) {
    const sim_profile *p = r->device->profile;
    sim_tap_about about = {.code = t->twin->func,
                           .map = t->twin->map,
                           .ptx = &t->run.image->funcs[0],
                           .arch = p->compile_arch,
                           .registers = r->kernel->info.registers,
                           .shared = t->run.shared_bytes,
                           .grid = r->launch->grid,
                           .block = r->launch->block};
    if (sim_tap_wanted()) t->head.tap = sim_tap_open(&about);
}

void sim_twins_tapped(sim_run_state *r, sim_result *res) {
    sim_twins *t = r->twins;
    lib_word_id why = t && t->head.tap ? sim_tap_failed(t->head.tap) : W_TAP_CANNOT_WRITE;
    bool ran = t && !atomic_load(&t->failed) && res->status == SIM_OK;
    bool there = t && t->head.tap && sim_tap_close(t->head.tap, ran);
    if (t) t->head.tap = NULL;
    if (there || r->kernel->twin_refusal) return;
    res->machine_refusal = sim_twins_missed(r, res->status);
    if (ran && r->kernel->twin_missed)
        lib_message_set(r->kernel->twin_missed, lib_words_of(why ? why : W_TAP_CANNOT_WRITE));
}

/* The first reason stays. */
static void twin_failed(sim_twins *t, lib_word_id why) {
    unsigned none = 0;
    atomic_compare_exchange_strong(&t->failed, &none, why);
}

/* Returns the caches of the twins. If each twin does what its block does, nothing is looked up in
 * their L2 (sim_block_commit_as()). */
static sim_caches *twin_caches(const sim_device *d, bool together) {
    sim_profile p = *d->profile;
    if (p.l2_bytes && !together) p.l2_bytes = L2_BYTES;
    sim_caches *c = sim_caches_new(&p, d->isa);
    if (c && together) sim_caches_take(c, d->caches);
    return c;
}

/* Makes the launch's twins, except for their workers and trace. Returns NULL if memory is out; then
 * r->twins may need sim_twins_end() all the same. */
static sim_twins *twins_new(sim_run_state *r, sim_twin *twin, bool together) {
    sim_twins *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    r->twins = t;
    t->twin = twin;
    if (together) t->together = sim_apart_new(SIM_APART_LAUNCH);
    t->caches = twin_caches(r->device, together);
    t->params = calloc(twin->param_bytes + 8, 1);
    bool ok = t->caches && t->params && (t->together || !together);
    const sim_kernel_info *info = &r->kernel->info;
    for (unsigned k = 0; t->params && k < info->param_count; k++)
        memcpy(t->params + twin->param_at[k], (const uint8_t *)r->params + info->param_offset[k],
               info->param_size[k]);
    twin_describe(r, t);
    if (ok) twin_access(r, t);
    return t->run.access ? t : NULL;
}

static sim_firsts *twin_firsts(const sim_run_state *r) {
    sim_device *d = r->device;
    if (!d->firsts) d->firsts = sim_firsts_new();
    if (d->firsts) sim_firsts_begin(d->firsts, (uint64_t)r->resident_blocks * d->profile->sms);
    return d->firsts;
}

void sim_twins_begin(sim_run_state *r, unsigned workers) {
    sim_twin *twin = may_have(r) ? sim_kernel_twin(r->kernel) : NULL;
    if (!twin || !sim_twin_refresh(twin, r->kernel)) return;
    if (r->cluster_size && !sim_twin_of_clusters(twin)) return;
    bool together = runs_together(r), made = twins_new(r, twin, together) != NULL;
    sim_twins *t = r->twins;
    if (!t) return;
    if (made) t->run.trace = time_machine_trace_new(r->trace);
    if (t->run.trace && !together) t->run.trace->firsts = twin_firsts(r);
    if (!t->run.trace || !twin_workers(&t->run, workers))
        atomic_store(&t->failed, W_RUN_TWIN_NO_MEMORY);
    else if (!together) twin_tap(r, t);
    if (t->run.budget > MOST_INSTRUCTIONS) t->run.budget = MOST_INSTRUCTIONS;
}

sim_run_state *sim_twins_first(const sim_run_state *r) {
    sim_twins *t = r->twins;
    return t && t->together && !atomic_load(&t->failed) ? &t->run : NULL;
}

void sim_twins_ran(const sim_run_state *r) {
    sim_twins *t = r->twins;
    sim_run_state *x = &t->run;
    sim_status s = (sim_status)atomic_load(&x->status);
    if (sim_apart_full(t->together)) twin_failed(t, W_RUN_TWIN_LARGE);
    else if (s == SIM_NOMEM) twin_failed(t, W_RUN_TWIN_NO_MEMORY);
    else if (s != SIM_OK || x->next_commit != x->grid_blocks) twin_failed(t, W_RUN_TWIN_FAILS);
    sim_block *left[] = {x->workers[0].idle, x->ended, x->dead};
    for (unsigned k = 0; k < 3; k++) sim_blocks_free(left[k]);
}

void sim_twins_end(sim_run_state *r) {
    sim_twins *t = r->twins;
    if (!t) return;
    sim_run_state *x = &t->run;
    for (unsigned k = 0; k < x->worker_count; k++) {
        sim_access_free(x->workers[k].access);
        free(x->workers[k].segs);
        free(x->workers[k].guards);
        free(x->workers[k].products);
        sim_swaps_free(&x->workers[k].swaps);
        sim_frames_free(&x->workers[k]);
    }
    free(x->workers);
    if (x->access) sim_access_launch_free(x->access);
    sim_trace_free(x->trace);
    sim_findings_free(x->findings);
    pthread_mutex_destroy(&x->lock);
    pthread_cond_destroy(&x->fewer);
    if (t->caches) sim_caches_free(t->caches);
    sim_apart_free(t->together);
    free(t->params);
    free(t);
    r->twins = NULL;
}

/* Says what ended a block before its exit: the first thing that was found about it, if anything. */
static void debug_found(sim_twins *t, lib_message *msg) {
    size_t n;
    sim_access_flush(t->run.workers[0].access);
    sim_finding *f = sim_findings_take(t->run.findings, UINT64_MAX, &n);
    lib_message_set(msg, n ? lib_message_words(&f[0].said) : lib_words_of(W_RUN_TWIN_FAILS));
    free(f);
}

/* Runs a twin for as long as it gets on without other blocks; one whose warps only sleep does. */
static sim_block_ran twin_run(sim_block *x, sim_worker *k) {
    sim_block_ran ran;
    uint64_t slept;
    do {
        slept = x->slept;
        ran = sim_block_run(x, k);
    } while (ran == SIM_BLOCK_PARKED && x->slept > slept);
    return ran;
}

/* Executes one block, with `by` as its debugger. */
static bool debug_block(sim_twins *t, uint64_t order, struct sim_debug *by, lib_message *msg) {
    sim_run_state *x = &t->run;
    x->debug = by;
    sim_block *b = twin_workers(x, 1) ? sim_block_new(x) : NULL;
    if (!b) return false;
    sim_block_start(b, &x->workers[0], order);
    sim_block_ran ran = twin_run(b, &x->workers[0]);
    if (sim_block_overflowed(b->mem)) lib_message_set(msg, lib_words_of(W_RUN_TWIN_LARGE));
    else if (ran == SIM_BLOCK_FAILED && b->status != SIM_CANCELLED) debug_found(t, msg);
    else if (ran == SIM_BLOCK_PARKED) lib_message_set(msg, lib_words_of(W_RUN_TWIN_AWAITS));
    sim_block_free(b);
    return true;
}

bool sim_twins_debugged(sim_run_state *r, uint64_t order, struct sim_debug *by, lib_message *msg) {
    lib_word_id why = r->cluster_size      ? W_RUN_TWIN_CLUSTERS
                      : r->image->launches ? W_RUN_TWIN_LAUNCHES
                                           : 0;
    sim_twin *twin = sim_kernel_twin(r->kernel);
    *msg = (lib_message){0};
    if (!why && !twin && r->kernel->twin_refusal) *msg = *r->kernel->twin_refusal;
    else if (!why && !twin) why = W_RUN_TWIN_NO_MEMORY;
    if (why) lib_message_set(msg, lib_words_of(why));
    if (why || !twin) return false;
    if (!by) return true;
    sim_twins *t = sim_twin_refresh(twin, r->kernel) ? twins_new(r, twin, false) : NULL;
    bool ran = t && debug_block(t, order, by, msg);
    sim_twins_end(r);
    if (!ran) lib_message_set(msg, lib_words_of(W_RUN_TWIN_NO_MEMORY));
    return ran;
}

void sim_twins_block(sim_run_state *r, const sim_worker *k, sim_block *b) {
    sim_twins *t = r->twins;
    bool tapped = t && t->head.tap && !sim_tap_failed(t->head.tap);
    bool runs = b->trace || tapped || r->device->options.count_machine;
    if (!t || t->together || !runs || atomic_load(&t->failed)) return;
    sim_block *x = sim_block_new(&t->run);
    lib_word_id why = W_RUN_TWIN_NO_MEMORY;
    if (x) {
        sim_worker *mine = &t->run.workers[k->index];
        sim_block_start(x, mine, b->order);
        if (tapped) sim_tap_begin(t->head.tap, x);
        sim_block_ran ran = x->trace || !b->trace ? twin_run(x, mine) : SIM_BLOCK_FAILED;
        if (ran == SIM_BLOCK_ENDED && !sim_block_overflowed(x->mem)) {
            if (tapped) sim_tap_end(t->head.tap, x);
            if (b->trace) b->twin = x;
            else sim_block_free(x);
            return;
        }
        why = ran == SIM_BLOCK_ENDED    ? W_RUN_TWIN_LARGE
              : ran == SIM_BLOCK_FAILED ? W_RUN_TWIN_FAILS
                                        : W_RUN_TWIN_WAITS;
        sim_block_free(x);
    }
    twin_failed(t, why);
}

void sim_twins_by_machine(const sim_run_state *r, sim_block *b) {
    const sim_twins *t = r->twins;
    if (b->trace && sim_twins_own(r)) time_machine_trace(t->twin->map, b->trace);
}

/* Returns whether a block and its twin must leave the same bytes: no other block stores meanwhile,
 * and nothing depends on turns or clocks. */
static bool twin_compares(const sim_run_state *r) {
    return r->device->options.machine_log ||
           (r->twins->run.worker_count == 1 && !r->image->by_turns && !r->image->counted_barriers &&
            !r->image->clocked);
}

void sim_twins_commit(sim_run_state *r, sim_block *b) {
    sim_twins *t = r->twins;
    sim_block *x = b->twin;
    b->twin = NULL;
    if (!t || t->together) return;
    if (b->opens && t->run.trace && t->run.trace->firsts && !atomic_load(&t->failed))
        sim_firsts_note(t->run.trace->firsts, b->order, b->mem, b->trace != NULL);
    if (x && twin_compares(r)) t->unlike += sim_block_unlike(x->mem, &t->rounded, &t->unlike_at);
    /* A time of machine code that does something else is no time of this kernel. */
    if (t->unlike && !r->device->options.machine_log) twin_failed(t, W_RUN_TWIN_OTHER);
    if (x && sim_block_commit_as(x->mem, b->mem)) {
        time_machine_trace(t->twin->map, x->trace);
        sim_trace_resolve(t->run.trace, x->trace, x->mem);
    } else if (b->trace) {
        twin_failed(t, W_RUN_TWIN_LARGE);
    } else if (t->run.trace) {
        sim_trace_pass(t->run.trace, b->order, b->mem);
    }
    sim_block_free(x);
}

bool sim_twins_timed(const sim_run_state *r, sim_timed *out) {
    const sim_twins *t = r->twins;
    if (!t || atomic_load(&t->failed) || !t->run.trace) return false;
    *out = (sim_timed){
        .trace = t->run.trace,
        .code = t->twin->code,
        .text = {.ptx = r->image->module, .machine = t->twin->owner, .func = t->twin->func}};
    return true;
}

/* Instructions that nothing restates have the lanes of those beside them. */
void sim_twins_lanes(const sim_run_state *r, float *by_insn) {
    const sim_twins *t = r->twins;
    const sass_func *f = t->twin->func;
    const time_machine_map *m = t->twin->map;
    float *restated = calloc(m->pcs + 1, sizeof *restated);
    if (!restated) return;
    sim_lanes(&t->run, restated);
    for (uint32_t pc = 0; pc < m->pcs; pc++)
        if (m->before[pc + 1] != m->before[pc]) by_insn[m->machine[m->before[pc]]] = restated[pc];
    free(restated);
    for (uint32_t k = 0; k < f->block_count; k++) {
        const sass_block *b = &f->blocks[k];
        for (uint32_t n = b->last; n-- > b->first;)
            if (by_insn[n] <= 0) by_insn[n] = by_insn[n + 1];
    }
}

/* How often each was executed, by the counts of the PTX that restates them. What no line of that is
 * of (YIELD) was as often as the instruction before it in its basic block, or behind it. */
static void count_executions(const sim_twins *t, sim_machine_count *rows) {
    const sass_func *f = t->twin->func;
    const time_machine_map *m = t->twin->map;
    const sim_func *restated = &t->run.image->funcs[0];
    for (uint32_t n = 0; n < f->insn_count; n++) rows[n].warps = UINT64_MAX;
    for (uint32_t k = 0; k < restated->seg_count; k++) {
        const sim_seg *s = &restated->segs[k];
        uint64_t warps = 0;
        for (unsigned w = 0; w < t->run.worker_count; w++)
            warps += t->run.workers[w].segs[s->id].warps;
        for (uint32_t pc = s->ptx_first; pc < s->ptx_first + s->ptx_count; pc++) {
            if (m->before[pc + 1] == m->before[pc]) continue;
            sim_machine_count *row = &rows[m->machine[m->before[pc]]];
            row->warps = row->warps == UINT64_MAX ? warps : row->warps + warps;
        }
    }
    for (uint32_t k = 0; k < f->block_count; k++) {
        const sass_block *b = &f->blocks[k];
        uint32_t known = b->first;
        while (known < b->last && rows[known].warps == UINT64_MAX) known++;
        uint64_t warps = rows[known].warps == UINT64_MAX ? 0 : rows[known].warps;
        for (uint32_t n = b->first; n <= b->last; n++)
            if (rows[n].warps == UINT64_MAX) rows[n].warps = warps;
            else warps = rows[n].warps;
    }
}

void sim_twins_count(const sim_run_state *r, const time_places *p, sim_result *res) {
    const sim_twins *t = r->twins;
    const sass_func *f = t->twin->func;
    sim_machine_count *rows = calloc(f->insn_count + 1, sizeof *rows);
    if (!rows) return;
    count_executions(t, rows);
    for (uint32_t n = 0; n < f->insn_count; n++) {
        rows[n].at = f->insns[n].address;
        double each = n < p->count && p->issued[n] > 0 ? (double)rows[n].warps / p->issued[n] : 0;
        for (unsigned k = 0; each > 0 && k < SIM_STALL_COUNT; k++)
            rows[n].cycles[k] = p->stall[(size_t)n * SIM_STALL_COUNT + k] * each;
    }
    res->machine = rows;
    res->machine_count = f->insn_count;
}

/* What a twin that failed found. */
static void log_fault(sim_twins *t, FILE *to) {
    if (!t || atomic_load(&t->failed) != W_RUN_TWIN_FAILS) return;
    size_t n;
    sim_access_flush(t->run.workers[0].access);
    sim_finding *f = sim_findings_take(t->run.findings, UINT64_MAX, &n);
    if (n) {
        fputs(": ", to);
        lib_words_print(to, LIB_EN, lib_message_words(&f[0].said));
    }
    free(f);
}

void sim_twins_log(const sim_run_state *r, sim_result *res) {
    sim_twins *t = r->twins;
    FILE *to = fopen(r->device->options.machine_log, "ae");
    if (!to) return;
    if (t && t->together && !atomic_load(&t->failed))
        t->unlike = sim_apart_unlike(t->together, &t->rounded, &t->unlike_at);
    if (t) res->machine_unlike = t->unlike, res->machine_unlike_at = t->unlike_at;
    const lib_message *why = res->machine_refusal;
    fprintf(to, "%s\t%llu\t%s\t", r->kernel->func->name, (unsigned long long)r->grid_blocks,
            res->machine_unlike       ? "other"
            : why                     ? "refused"
            : t != NULL && t->rounded ? "rounded"
                                      : "same");
    if (res->machine_unlike)
        fprintf(to, "%llu words, one at 0x%llx", (unsigned long long)res->machine_unlike,
                (unsigned long long)res->machine_unlike_at);
    else if (why) lib_words_print(to, LIB_EN, lib_message_words(why));
    log_fault(t, to);
    fputc('\n', to);
    fclose(to);
}
