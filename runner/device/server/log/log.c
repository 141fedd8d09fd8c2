/* The log: what a client did, when on the timeline, with which counters.
 *
 * Records and results live until the mark. The strings that they name are interned in the client or
 * belong to its modules, which stay. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/log.h"
#include "runner/device/server/log/lines.h"
#include "runner/device/server/core/code.h"
#include "runner/base/buffer.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/lineage.h"
#include "runner/device/server/core/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- records */

bool dev_log_on_device(dev_op op) {
    return op <= DEV_OP_MEMSET;
}

void dev_log_lost(dev_client *c) {
    c->log.overflow = true;
    c->log.dropped++;
}

dev_record *dev_log(dev_client *c, dev_op op, unsigned device, const dev_stream *s, double start,
                    double end, uint64_t bytes, sim_status status) {
    dev_log_state *g = &c->log;
    dev_record r = {.op = op,
                    .device = device,
                    .stream = s ? (unsigned)s->id : 0,
                    .start_us = start,
                    .end_us = end,
                    .bytes = bytes,
                    .status = status,
                    .in_graph = g->in_graph,
                    .kernel = ""};
    if (op == DEV_OP_D2H) g->read_back = true;
    if (op == DEV_OP_H2D) g->once = true;
    if (g->replaying) { /* the record of the replayed work takes the new times */
        if (g->replay_record < g->count) {
            dev_record *old = &g->records[g->replay_record];
            old->start_us = start, old->end_us = end, old->status = status;
            return old;
        }
        return NULL;
    }
    if (g->count >= c->s->opt.launch_limit) {
        dev_log_lost(c);
        return NULL;
    }
    if (!lib_grow(&g->records, &g->record_room, g->count, sizeof *g->records, 256) ||
        !lib_grow(&g->results, &g->result_room, g->count, sizeof *g->results, 256)) {
        dev_log_lost(c);
        return NULL;
    }
    if (g->work_count && g->works[g->work_count - 1].record == SIZE_MAX && dev_log_on_device(op))
        g->works[g->work_count - 1].record = g->count;
    g->results[g->count] = NULL;
    g->records[g->count] = r;
    return &g->records[g->count++];
}

dev_record *dev_log_call(dev_call *k, dev_op op, uint64_t bytes, cudaError_t e) {
    double now = *dev_clock(k->c, k->thread);
    return dev_log(k->c, op, k->device, NULL, now, now, bytes, e ? SIM_BAD_ARGUMENT : SIM_OK);
}

dev_record *dev_log_memory(dev_call *k, dev_op op, const char *call, uint64_t base, uint64_t bytes,
                           cudaError_t e) {
    dev_record *r = dev_log_call(k, op, bytes, e);
    if (r) r->call = call, r->memory = base;
    if (r && op == DEV_OP_MALLOC && !e) dev_lineage_made(k->c, base);
    return r;
}

static size_t result_weight(const sim_result *r) {
    size_t asked = r->span_count * sizeof *r->spans + r->ptx_count * sizeof *r->ptx +
                   r->machine_count * sizeof *r->machine;
    asked += r->what_if ? SIM_COST_COUNT * sizeof *r->what_if : 0;
    return sizeof *r + asked + r->line_count * sizeof *r->lines +
           r->finding_count * sizeof *r->findings;
}

static void result_free(sim_result *r) {
    if (r) sim_result_free(r);
    free(r);
}

void dev_log_launch(dev_client *c, dev_record *r, const dev_work *w, sim_result *result,
                    bool gives) {
    dev_log_state *g = &c->log;
    const dev_kernel *k = w->launch.kernel;
    dev_record mine, *to = r ? r : &mine;
    if (!r) mine = (dev_record){.op = DEV_OP_LAUNCH, .device = w->device, .status = result->status};
    to->kernel = k->info->pretty;
    memcpy(to->grid, w->launch.at.grid, sizeof to->grid);
    memcpy(to->block, w->launch.at.block, sizeof to->block);
    to->dynamic_shared = w->launch.at.shared;
    to->info = k->info;
    to->result = result;
    to->gives = gives;
    free(result->slices); /* lineage.c has taken what it needs */
    result->slices = NULL, result->slice_count = 0;
    for (size_t i = 0; i < result->finding_count; i++) dev_log_finding(c, &result->findings[i]);
    if (c->log.on_launch && !g->replaying) c->log.on_launch(c->log.on_launch_user, to);
    if (!r) {
        bool kept = g->proving && g->proof_count < c->s->opt.launch_limit &&
                    lib_grow(&g->proof, &g->proof_room, g->proof_count, sizeof *g->proof, 256);
        if (kept) {
            free(result->lines);
            result->lines = NULL, result->line_count = 0;
            g->proof[g->proof_count++] = mine;
        } else {
            result_free(result);
        }
        return;
    }
    /* Lines and instructions take most of the memory; beyond the limit only totals are kept. */
    if (g->result_bytes + result_weight(result) > dev_part_limit(c)) {
        free(result->lines), free(result->ptx), free(result->machine);
        result->lines = NULL, result->ptx = NULL, result->machine = NULL;
        result->line_count = result->ptx_count = result->machine_count = 0;
    }
    g->result_bytes += result_weight(result);
    size_t i = (size_t)(r - g->records);
    if (g->results[i]) g->result_bytes -= result_weight(g->results[i]);
    result_free(g->results[i]);
    g->results[i] = result;
}

/* ---- printf */

bool dev_log_print(void *client, const char *text, size_t n) {
    dev_client *c = client;
    dev_log_state *g = &c->log;
    static const char note[] = "[warplab: more device printf output is dropped]\n";
    if (g->print_full || g->replaying) return false;
    bool full = g->printed.n + n > c->s->opt.print_limit;
    if (full) text = note, n = sizeof note - 1;
    lib_buffer_add(&g->printed, text, n);
    if (g->printed.failed) g->delivered = 0;
    g->print_full = full;
    return !full;
}

/* ---- the interface */

void dev_log_clear_proof(dev_client *c) {
    dev_log_state *g = &c->log;
    for (size_t i = 0; i < g->proof_count; i++) result_free((sim_result *)g->proof[i].result);
    free(g->proof);
    g->proof = NULL, g->proof_count = g->proof_room = 0;
}

void dev_log_clear(dev_client *c) {
    dev_log_state *g = &c->log;
    dev_log_clear_proof(c);
    for (size_t i = 0; i < g->count; i++) result_free(g->results[i]);
    g->count = 0;
    g->result_bytes = 0;
    g->dropped = 0;
    dev_log_findings_free(g);
    g->overflow = g->read_back = g->once = g->freed = false;
    /* Text that the program has not received yet stays. */
    if (g->printed.failed) lib_buffer_free(&g->printed);
    if (g->delivered) {
        g->printed.n -= g->delivered;
        memmove(g->printed.s, g->printed.s + g->delivered, g->printed.n + 1);
        g->delivered = 0;
    }
}

void dev_log_free(dev_client *c) {
    dev_lines_free(c->process.lines);
    dev_log_clear(c);
    lib_buffer_free(&c->log.printed);
    free(c->log.records), free(c->log.results);
    for (size_t i = 0; i < c->log.unsupported_count; i++) free(c->log.unsupported[i]);
}

size_t dev_client_log(const dev_client *c, const dev_record **records) {
    *records = c->log.records;
    return c->log.count;
}

uint64_t dev_client_unrecorded(const dev_client *c) {
    return c->log.dropped;
}

size_t dev_client_proof(const dev_client *c, const dev_record **launches) {
    if (!c->memory.device[0].past) return dev_client_log(c, launches);
    *launches = c->log.proof;
    return c->log.proof_count;
}

typedef struct {
    double start, end;
} busy_span;

static int span_order(const void *a, const void *b) {
    double x = ((const busy_span *)a)->start, y = ((const busy_span *)b)->start;
    return (x > y) - (x < y);
}

double dev_client_busy_us(const dev_client *c) {
    const dev_log_state *g = &c->log;
    busy_span *all = malloc((g->count + 1) * sizeof *all);
    size_t n = 0;
    double busy = 0, until = -INFINITY;
    if (!all) return 0;
    for (size_t i = 0; i < g->count; i++)
        if (dev_log_on_device(g->records[i].op))
            all[n++] = (busy_span){g->records[i].start_us, g->records[i].end_us};
    qsort(all, n, sizeof *all, span_order);
    for (size_t i = 0; i < n; i++) {
        double from = all[i].start > until ? all[i].start : until;
        if (all[i].end > from) busy += all[i].end - from, until = all[i].end;
    }
    free(all);
    return busy;
}

double dev_client_elapsed_us(const dev_client *c) {
    const dev_log_state *g = &c->log;
    double from = INFINITY, to = -INFINITY;
    for (size_t i = 0; i < g->count; i++) {
        if (g->records[i].start_us < from) from = g->records[i].start_us;
        if (g->records[i].end_us > to) to = g->records[i].end_us;
    }
    return to > from ? to - from : 0;
}

/* The host may read page-locked and managed memory without a call. */
bool dev_log_sees_host(const dev_client *c) {
    for (size_t i = 0; i < c->memory.count; i++)
        if (c->memory.ranges[i].on_host) return true;
    return false;
}

void dev_client_unproven(dev_client *c) {
    c->log.tape_off = true;
}

void dev_client_draw_threads(dev_client *c, bool on) {
    c->log.threads_drawn = on;
}

bool dev_client_freed(const dev_client *c) {
    return c->log.freed;
}

bool dev_client_read_back(const dev_client *c) {
    return c->log.read_back || dev_log_sees_host(c);
}

size_t dev_client_unsupported(const dev_client *c, const lib_message *const **lines) {
    *lines = (const lib_message *const *)c->log.unsupported;
    return c->log.unsupported_count;
}

const char *dev_client_unsupported_call(const dev_client *c) {
    return c->log.unsupported_call;
}

const char *dev_client_printed(const dev_client *c, size_t *n) {
    *n = c->log.printed.n;
    return c->log.printed.s ? c->log.printed.s : "";
}

const char *dev_client_undelivered(const dev_client *c, size_t *n) {
    *n = c->log.printed.n - c->log.delivered;
    return c->log.printed.s ? c->log.printed.s + c->log.delivered : "";
}

void dev_client_spoil(dev_client *c, bool (*of)(const void *user, const char *kernel),
                      const void *user) {
    c->log.spoil = of, c->log.spoil_user = user;
}

void dev_client_on_launch(dev_client *c, void (*fn)(void *user, const dev_record *r), void *user) {
    c->log.on_launch = fn, c->log.on_launch_user = user;
}
