/* A launch, from its configuration to its result.
 *
 *   sim_run: check --> image, findings, access, trace
 *     --> workers: block after block in order of their numbers
 *     --> commit in that same order (caches, trace)
 *     --> counts of segments and memory sites --> counters, lines, findings, time
 *
 * The result is the same for any number of workers: blocks do not see each other but through
 * atomics, kernels whose results can depend on the order of those run their blocks one after
 * another, and what is counted is a sum. When a block fails, the ones after it are given up and the
 * ones before it run to their end, so that the lowest failing block decides. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runner/base/clock.h"
#include "runner/base/message.h"
#include "runner/sim/internal.h"
#include "runner/sim/native/native.h"

/* ---- blocks ---- */

static sim_block *take_context(sim_run_state *r) {
    pthread_mutex_lock(&r->lock);
    sim_block *b = r->idle;
    if (b) r->idle = b->next;
    pthread_mutex_unlock(&r->lock);
    return b ? b : sim_block_new(r);
}

/* Under the lock: commits what has become the next in order. */
static void commit_ready(sim_run_state *r) {
    while (r->ended && r->ended->linear == r->next_commit) {
        sim_block *b = r->ended;
        r->ended = b->next;
        sim_block_commit(b->mem);
        sim_spread_block(&r->spread, b->clock);
        if (b->trace) sim_trace_resolve(r->trace, b->trace, b->mem);
        if (b->print_len && r->launch->print)
            r->launch->print(r->launch->print_user, b->print_text, b->print_len);
        b->print_len = 0;
        r->next_commit++;
        b->next = r->idle;
        r->idle = b;
    }
}

/* Under the lock: whoever was stuck may have something new to see. */
static void has_moved(sim_run_state *r) {
    r->epoch++;
    r->stuck = 0;
}

/* A block parks. True: it and all others go round in loops that nobody will end. */
static bool all_stuck(sim_run_state *r, sim_block *b) {
    pthread_mutex_lock(&r->lock);
    bool before = b->cycle.found && b->cycle.epoch == r->epoch;
    if (b->moved || sim_memory_has_mapped(r->device->memory)) has_moved(r);
    else r->stuck += sim_stuck(b, r->epoch) && !before;
    b->moved = false;
    bool all = r->next_block == r->grid_blocks && r->stuck == r->grid_blocks - r->over;
    pthread_mutex_unlock(&r->lock);
    return all;
}

static void end_block(sim_run_state *r, sim_block *b) {
    sim_block_end(b->mem);
    pthread_mutex_lock(&r->lock);
    sim_block **at = &r->ended;
    while (*at && (*at)->linear < b->linear) at = &(*at)->next;
    b->next = *at;
    *at = b;
    has_moved(r);
    r->over++;
    commit_ready(r);
    pthread_mutex_unlock(&r->lock);
}

static void fail_block(sim_run_state *r, sim_block *b) {
    sim_block_end(b->mem);
    pthread_mutex_lock(&r->lock);
    if (b->status != SIM_OK && b->linear <= atomic_load(&r->stop_after)) {
        atomic_store(&r->stop_after, b->linear);
        atomic_store(&r->status, (int)b->status);
        sim_access_launch_abort(r->access, b->linear);
    }
    b->next = r->dead;
    r->dead = b;
    has_moved(r);
    r->over++;
    pthread_mutex_unlock(&r->lock);
}

static sim_block *next_block(sim_run_state *r, sim_worker *k) {
    /* The number is taken and the block begun under one lock, because access.h wants blocks begun
     * in order. */
    sim_block *b = take_context(r);
    if (!b) {
        pthread_mutex_lock(&r->lock);
        if (atomic_load(&r->status) == SIM_OK) atomic_store(&r->status, SIM_NOMEM);
        atomic_store(&r->stop_after, 0);
        sim_access_launch_abort(r->access, 0);
        r->next_block = r->grid_blocks;
        pthread_mutex_unlock(&r->lock);
        return NULL;
    }
    pthread_mutex_lock(&r->order);
    pthread_mutex_lock(&r->lock);
    uint64_t linear = r->next_block;
    bool more = linear < r->grid_blocks && linear <= atomic_load(&r->stop_after);
    if (more) {
        r->next_block++;
    } else {
        b->next = r->idle;
        r->idle = b;
    }
    pthread_mutex_unlock(&r->lock);
    if (more) sim_block_start(b, k, linear);
    pthread_mutex_unlock(&r->order);
    return more ? b : NULL;
}

/* Blocks that wait for others take turns with new ones, so that whoever they wait for gets to
 * run. */
static void work(void *arg, unsigned index) {
    sim_run_state *r = arg;
    sim_worker *k = &r->workers[index];
    sim_block *first = NULL, *last = NULL; /* parked, oldest first */
    bool more = true;
    for (;;) {
        sim_block *b = more ? next_block(r, k) : NULL;
        if (!b) {
            more = false;
            if (!(b = first)) break;
            first = b->next;
            if (!first) last = NULL;
        }
        switch (sim_block_run(b, k)) {
        case SIM_BLOCK_ENDED: end_block(r, b); break;
        case SIM_BLOCK_FAILED: fail_block(r, b); break;
        case SIM_BLOCK_PARKED:
            if (!b->parked) sim_block_suspend(b->mem);
            b->parked = true;
            if (all_stuck(r, b)) {
                sim_deadlock(b);
                fail_block(r, b);
                break;
            }
            b->next = NULL;
            if (last) last->next = b;
            else first = b;
            last = b;
            break;
        }
    }
    pthread_mutex_lock(&r->lock);
    atomic_fetch_add(&r->executed, k->executed);
    pthread_mutex_unlock(&r->lock);
}

/* ---- the result ---- */

typedef struct {
    const char *file;
    unsigned line;
    uint32_t at; /* in the array of lines */
} line_key;

typedef struct {
    sim_line *lines;
    size_t count, cap;
    uint32_t *by_loc; /* line + 1 of each loc, 0: not yet known */
    const ptx_module *module;
    bool failed;
} line_table;

static sim_counters *line_of(line_table *t, uint32_t loc, uint32_t ptx_line) {
    const char *file = "";
    unsigned line = 0;
    if (loc < t->module->loc_count && t->by_loc[loc]) return &t->lines[t->by_loc[loc] - 1].counters;
    if (loc) ptx_source(t->module, loc, &file, &line);
    if (!line) {
        file = "";
        line = ptx_line; /* the module has no line table: say where in the PTX */
    }
    size_t k = 0;
    while (k < t->count && (t->lines[k].line != line || strcmp(t->lines[k].file, file))) k++;
    if (k == t->count) {
        if (t->count == t->cap) {
            size_t cap = t->cap ? t->cap * 2 : 64;
            sim_line *p = realloc(t->lines, cap * sizeof *p);
            if (!p) {
                t->failed = true;
                return NULL;
            }
            t->lines = p;
            t->cap = cap;
        }
        t->lines[t->count++] = (sim_line){.file = file, .line = line};
    }
    if (loc && loc < t->module->loc_count) t->by_loc[loc] = (uint32_t)k + 1;
    return &t->lines[k].counters;
}

/* What one PTX instruction adds: executed by `warps` warps with `lanes` active lanes, of which `on`
 * passed its guard. */
static void count_insn(sim_counters *c, const ptx_insn *p, uint64_t warps, uint64_t lanes,
                       uint64_t on) {
    c->warp_inst += warps;
    c->thread_inst += lanes;
    unsigned flops = p->op == PTX_OP_fma || (p->op == PTX_OP_mad &&
                                             (p->type[0] == PTX_F32 || p->type[0] == PTX_F64))
                         ? 2
                     : p->op == PTX_OP_add || p->op == PTX_OP_sub || p->op == PTX_OP_mul ||
                             p->op == PTX_OP_div || p->op == PTX_OP_sqrt || p->op == PTX_OP_rcp ||
                             p->op == PTX_OP_rsqrt
                         ? 1
                         : 0;
    switch (p->klass) {
    case PTX_CLASS_INT:
    case PTX_CLASS_IMUL:
    case PTX_CLASS_IMUL64:
    case PTX_CLASS_IDIV:
    case PTX_CLASS_SHIFT:
    case PTX_CLASS_BITCOUNT:
    case PTX_CLASS_VIDEO: c->inst_int += on; break;
    case PTX_CLASS_FP16: c->inst_fp16 += on; break;
    case PTX_CLASS_FP32:
    case PTX_CLASS_FDIV:
        c->inst_fp32 += on;
        c->flop_sp += on * flops;
        break;
    case PTX_CLASS_FP64:
    case PTX_CLASS_DDIV:
        c->inst_fp64 += on;
        c->flop_dp += on * flops;
        break;
    case PTX_CLASS_SFU:
        c->inst_sfu += on;
        c->flop_sp += p->type[0] == PTX_F32 ? on * flops : 0;
        c->flop_dp += p->type[0] == PTX_F64 ? on * flops : 0;
        break;
    case PTX_CLASS_CONVERT: c->inst_convert += on; break;
    case PTX_CLASS_SHUFFLE:
        if (p->op != PTX_OP_activemask && p->op != PTX_OP_bar_warp_sync) c->shuffles += warps;
        break;
    case PTX_CLASS_BARRIER:
        if (sim_decode_end(p) == SIM_END_BAR) c->barriers += warps;
        break;
    default: break;
    }
}

static void count_function(const sim_run_state *r, const sim_func *f, sim_counters *total,
                           line_table *lines) {
    for (uint32_t k = 0; k < f->seg_count; k++) {
        const sim_seg *s = &f->segs[k];
        sim_seg_count n = {0};
        for (unsigned x = 0; x < r->worker_count; x++) {
            const sim_seg_count *c = &r->workers[x].segs[s->id];
            n.warps += c->warps;
            n.lanes += c->lanes;
            n.split += c->split;
        }
        if (!n.warps) continue;
        for (uint32_t p = s->ptx_first; p < s->ptx_first + s->ptx_count; p++) {
            const ptx_insn *i = &f->ptx->insns[p];
            uint64_t on = n.lanes;
            if (f->guard_of[p]) {
                on = 0;
                for (unsigned x = 0; x < r->worker_count; x++)
                    on += r->workers[x].guards[f->guard_of[p]];
            }
            sim_counters c = {0};
            count_insn(&c, i, n.warps, n.lanes, on);
            if (p + 1 == s->ptx_first + s->ptx_count &&
                (s->end == SIM_END_CBRA || s->end == SIM_END_BRX)) {
                c.branches = n.warps;
                c.divergent_branches = n.split;
                c.divergent_branches_machine = s->machine || s->end == SIM_END_BRX ? n.split : 0;
            }
            sim_counters_add(total, &c);
            sim_counters *l = lines ? line_of(lines, i->loc, i->ptx_line) : NULL;
            if (l) sim_counters_add(l, &c);
        }
    }
}

static int by_place(const void *a, const void *b) {
    const sim_line *x = a, *y = b;
    int c = strcmp(x->file, y->file);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

static bool collect(sim_run_state *r, sim_result *res) {
    const sim_image *im = r->image;
    line_table lines = {.module = im->module};
    bool want = r->device->options.count_lines;
    if (want) {
        lines.by_loc = calloc(im->module->loc_count + 1, sizeof *lines.by_loc);
        if (!lines.by_loc) return false;
    }
    sim_counters *c = &res->counters;
    for (size_t k = 0; k < im->func_count; k++)
        count_function(r, &im->funcs[k], c, want ? &lines : NULL);
    for (const sim_site_list *s = im->sites; s; s = s->next) {
        sim_counters one = {0};
        for (unsigned x = 0; x < r->worker_count; x++)
            sim_access_count(r->workers[x].access, &s->site, &one);
        sim_counters_add(c, &one);
        sim_counters *l = want ? line_of(&lines, s->site.loc, s->site.ptx_line) : NULL;
        if (l) sim_counters_add(l, &one);
    }
    sim_access_launch_count(r->access, c);
    free(lines.by_loc);
    if (lines.count) qsort(lines.lines, lines.count, sizeof *lines.lines, by_place);
    res->lines = lines.lines;
    res->line_count = lines.count;
    return !lines.failed;
}

void sim_result_free(sim_result *r) {
    if (!r) return;
    free(r->lines);
    free(r->findings);
    r->lines = NULL;
    r->findings = NULL;
    r->line_count = r->finding_count = 0;
}

/* ---- the launch ---- */

static sim_status refuse(sim_status s, lib_message *msg, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg->text, sizeof msg->text, fmt, ap);
    va_end(ap);
    return s;
}

static sim_status check(const sim_device *d, const sim_launch *l, lib_message *msg) {
    static const uint64_t grid_max[3] = {0x7fffffff, 65535, 65535}, block_max[3] = {1024, 1024, 64};
    const sim_profile *p = d->profile;
    const sim_kernel *k = l->kernel;
    uint64_t threads = 1, blocks = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!l->grid[i] || l->grid[i] > grid_max[i])
            return refuse(SIM_BAD_LAUNCH, msg,
                          "the grid's %c dimension is %u; it must be 1 to %llu", 'x' + i,
                          l->grid[i], (unsigned long long)grid_max[i]);
        if (!l->block[i] || l->block[i] > block_max[i])
            return refuse(SIM_BAD_LAUNCH, msg,
                          "the block's %c dimension is %u; it must be 1 to %llu", 'x' + i,
                          l->block[i], (unsigned long long)block_max[i]);
        threads *= l->block[i];
        blocks *= l->grid[i];
    }
    unsigned max =
        k->info.max_threads < p->max_threads_block ? k->info.max_threads : p->max_threads_block;
    if (threads > p->max_threads_block || threads > max)
        return refuse(threads > p->max_threads_block ? SIM_BAD_LAUNCH : SIM_TOO_MANY_RESOURCES, msg,
                      "a block of %llu threads; %s takes at most %u", (unsigned long long)threads,
                      threads > p->max_threads_block ? p->marketing : k->info.pretty, max);
    for (unsigned i = 0; i < 3; i++)
        if (k->info.required_block[0] &&
            l->block[i] != (k->info.required_block[i] ? k->info.required_block[i] : 1))
            return refuse(SIM_BAD_LAUNCH, msg, "%s must be launched with blocks of %u x %u x %u",
                          k->info.pretty, k->info.required_block[0], k->info.required_block[1],
                          k->info.required_block[2]);
    if (l->param_bytes < k->info.param_bytes)
        return refuse(SIM_BAD_ARGUMENT, msg, "%s takes %u bytes of parameters, %zu were given",
                      k->info.pretty, k->info.param_bytes, l->param_bytes);
    if (l->dynamic_shared > k->info.max_dynamic_shared)
        return refuse(SIM_BAD_ARGUMENT, msg,
                      "%llu bytes of dynamic shared memory; %s may use %u (raise it with "
                      "cudaFuncSetAttribute)",
                      (unsigned long long)l->dynamic_shared, k->info.pretty,
                      k->info.max_dynamic_shared);
    if (k->info.static_shared + l->dynamic_shared > p->shared_block_optin)
        return refuse(SIM_BAD_ARGUMENT, msg, "%llu bytes of shared memory a block; %s has %llu",
                      (unsigned long long)(k->info.static_shared + l->dynamic_shared), p->marketing,
                      (unsigned long long)p->shared_block_optin);
    return SIM_OK;
}

static bool start_workers(sim_run_state *r, unsigned n) {
    const sim_image *im = r->image;
    r->workers = calloc(n, sizeof *r->workers);
    if (!r->workers) return false;
    for (r->worker_count = 0; r->worker_count < n; r->worker_count++) {
        sim_worker *k = &r->workers[r->worker_count];
        k->run = r;
        k->index = r->worker_count;
        k->fuel = 1 << 14;
        k->segs = calloc(im->seg_count + 1, sizeof *k->segs);
        k->guards = calloc(im->guard_count + 1, sizeof *k->guards);
        k->access = sim_access_new(r->access);
        if (!k->segs || !k->guards || !k->access) {
            r->worker_count++;
            return false;
        }
    }
    return true;
}

static void free_blocks(sim_block *b) {
    while (b) {
        sim_block *next = b->next;
        sim_block_free(b);
        b = next;
    }
}

/* What the failing block and those before it had printed. */
static void print_failed(sim_run_state *r) {
    for (;;) {
        sim_block *lowest = NULL;
        for (sim_block *b = r->ended; b; b = b->next)
            if (b->print_len && (!lowest || b->linear < lowest->linear)) lowest = b;
        for (sim_block *b = r->dead; b; b = b->next)
            if (b->print_len && (!lowest || b->linear < lowest->linear)) lowest = b;
        if (!lowest || lowest->linear > atomic_load(&r->stop_after)) return;
        if (r->launch->print)
            r->launch->print(r->launch->print_user, lowest->print_text, lowest->print_len);
        lowest->print_len = 0;
    }
}

sim_status sim_run(sim_device *d, const sim_launch *l, sim_result *res, lib_message *msg) {
    uint64_t started = lib_now_ns();
    lib_message scratch;
    if (!msg) msg = &scratch;
    memset(res, 0, sizeof *res);
    msg->text[0] = 0;
    res->limiter = "launch";
    sim_run_state run = {.device = d, .launch = l, .kernel = l->kernel}, *r = &run;
    sim_image *im = sim_kernel_image(l->kernel, msg);
    if (!im) return res->status = SIM_UNSUPPORTED;
    if ((res->status = check(d, l, msg)) != SIM_OK) return res->status;
    const sim_kernel_info *info = &l->kernel->info;
    r->image = im;
    r->params = l->params;
    r->threads = l->block[0] * l->block[1] * l->block[2];
    r->warps = (r->threads + SIM_WARP_LANES - 1) / SIM_WARP_LANES;
    r->grid_blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    r->dynamic_shared = (uint32_t)l->dynamic_shared;
    r->shared_bytes = im->static_shared + r->dynamic_shared;
    r->local_bytes = sim_local_limit(im);
    r->budget = d->options.inst_budget ? d->options.inst_budget : 1ull << 38;
    if (l->inst_limit) {
        uint64_t left = l->inst_limit > l->inst_taken ? l->inst_limit - l->inst_taken : 0;
        if (left < r->budget) r->budget = left;
    }
    atomic_init(&r->stop_after, UINT64_MAX);
    unsigned registers = sim_resources_registers(d->profile, info->registers, r->threads);
    res->status = sim_occupancy_get(d->profile, r->threads, registers,
                                    info->static_shared + l->dynamic_shared, &res->occupancy);
    if (res->status == SIM_OK && !res->occupancy.blocks)
        res->status = refuse(SIM_TOO_MANY_RESOURCES, msg,
                             "a block of %s needs more %s than a multiprocessor has", info->pretty,
                             res->occupancy.limiter);
    if (res->status == SIM_OK && l->cooperative &&
        r->grid_blocks > (uint64_t)res->occupancy.blocks * d->profile->sms)
        res->status =
            refuse(SIM_TOO_MANY_RESOURCES, msg,
                   "a cooperative launch of %llu blocks; at most %u x %u can be resident at once",
                   (unsigned long long)r->grid_blocks, res->occupancy.blocks, d->profile->sms);
    if (res->status != SIM_OK) return res->status;
    if (l->cooperative) sim_memory_fill(d->memory, d->workspace, 0, 4, 64);
    if (d->param_block && info->param_bytes)
        sim_memory_write(d->memory, d->param_block, l->params, info->param_bytes);

    sim_findings_config fc = {.kernel = info->pretty,
                              .grid = {l->grid[0], l->grid[1], l->grid[2]},
                              .block = {l->block[0], l->block[1], l->block[2]},
                              .module = im->module,
                              .source = ptx_source,
                              .memory = d->memory};
    r->findings = sim_findings_new(&fc);
    sim_access_config ac = {.profile = d->profile,
                            .options = &d->options,
                            .memory = d->memory,
                            .caches = d->caches,
                            .findings = r->findings,
                            .site_states = im->site_states,
                            .block = {l->block[0], l->block[1], l->block[2]},
                            .grid_blocks = r->grid_blocks,
                            .shared_bytes = r->shared_bytes,
                            .local_bytes = r->local_bytes,
                            .byte_shadow = im->byte_shadow,
                            .cooperative = l->cooperative,
                            .resident_blocks = res->occupancy.blocks};
    if (r->findings) r->access = sim_access_launch_new(&ac);
    if (r->access && d->options.model_time) {
        sim_spread_begin(&r->spread, d->profile->sms, res->occupancy.blocks);
        r->trace = sim_trace_new(d->profile, r->grid_blocks, r->warps, res->occupancy.blocks);
    }
    if (r->trace) r->trace->memory = d->memory;
    pthread_mutex_init(&r->lock, NULL);
    pthread_mutex_init(&r->order, NULL);
    unsigned n = sim_pool_size(d->pool);
    r->serial = (d->options.deterministic && im->serial) || l->cooperative;
    if (r->serial || r->grid_blocks == 1) n = 1;
    if (n > r->grid_blocks) n = (unsigned)r->grid_blocks;
    n = sim_pool_start(d->pool, n);
    r->plain_atomics = n == 1;
    d->launches++;
    if (r->access && start_workers(r, n)) {
        r->start_ns = lib_now_ns();
        sim_pool_run(d->pool, n, work, r);
        res->status = (sim_status)atomic_load(&r->status);
        res->executed = atomic_load(&r->executed);
        sim_native_note(im->native, &r->workers[0], res->executed / SIM_WARP_LANES, true);
        print_failed(r);
        if (!collect(r, res)) res->status = SIM_NOMEM;
        for (unsigned k = 0; k < r->worker_count; k++) sim_access_flush(r->workers[k].access);
        res->findings = sim_findings_take(r->findings, &res->finding_count);
        sim_memory_settle(d->memory);
        if (d->options.model_time) {
            time_launch tl = {.grid_blocks = r->grid_blocks,
                              .threads = r->threads,
                              .cooperative = l->cooperative,
                              .swaps = r->workers[0].swaps.most,
                              .worst = sim_spread_worst(&r->spread)};
            time_result tr = {0};
            if (r->trace) sim_access_launch_slices(r->access, r->trace->slice_ops);
            time_model(d->profile, sim_module_time(l->kernel->module), r->trace, &tl,
                       &res->counters, &res->occupancy, &tr);
            res->time_us = tr.time_us;
            res->time_floor_us = tr.time_floor_us;
            res->limiter = tr.limiter ? tr.limiter : "launch";
            res->achieved_occupancy_pct = tr.achieved_occupancy_pct;
        }
    } else {
        res->status = SIM_NOMEM;
    }
    if (res->status != SIM_OK && !msg->text[0]) {
        const char *why =
            res->finding_count ? res->findings[0].text : sim_status_message(res->status);
        snprintf(msg->text, sizeof msg->text, "%s", why);
    }
    free_blocks(r->idle);
    free_blocks(r->ended);
    free_blocks(r->dead);
    for (unsigned k = 0; k < r->worker_count; k++) {
        sim_access_free(r->workers[k].access);
        free(r->workers[k].segs);
        free(r->workers[k].guards);
        sim_swaps_free(&r->workers[k].swaps);
        sim_frames_free(&r->workers[k]);
    }
    free(r->workers);
    if (r->access) sim_access_launch_free(r->access);
    sim_trace_free(r->trace);
    sim_findings_free(r->findings);
    pthread_mutex_destroy(&r->lock);
    pthread_mutex_destroy(&r->order);
    res->host_seconds = (double)(lib_now_ns() - started) * 1e-9;
    return res->status;
}
