/* The log: what a client did, when on the timeline, with which counters and findings; and replay.
 *
 * Records and results live until the mark; strings they name are interned in the client or belong
 * to its modules, which stay. */
#include "runner/device/server.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- records */

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
                    .kernel = ""};
    if (op == DEV_OP_D2H) g->read_back = true;
    if (op == DEV_OP_H2D) g->once = true;
    if (g->replaying) { /* the record of the work that runs again takes the new times */
        if (g->replay_record < g->count) {
            dev_record *old = &g->records[g->replay_record];
            old->start_us = start, old->end_us = end, old->status = status;
            return old;
        }
        return NULL;
    }
    if (g->count >= c->s->opt.launch_limit) {
        g->overflow = true;
        g->dropped++;
        return NULL;
    }
    if (g->count == g->room) {
        size_t room = g->room ? g->room * 2 : 256;
        dev_record *more = realloc(g->records, room * sizeof *more);
        if (!more) return NULL;
        g->records = more;
        sim_result **results = realloc(g->results, room * sizeof(sim_result *));
        if (!results) return NULL;
        g->results = results;
        g->room = room;
    }
    if (g->work_count && g->works[g->work_count - 1].record == SIZE_MAX && op != DEV_OP_MALLOC &&
        op != DEV_OP_FREE && op != DEV_OP_SYNC && op != DEV_OP_HOST)
        g->works[g->work_count - 1].record = g->count;
    g->results[g->count] = NULL;
    g->records[g->count] = r;
    return &g->records[g->count++];
}

void dev_log_call(dev_call *k, dev_op op, uint64_t bytes, cudaError_t e) {
    double now = *dev_clock(k->c, k->thread);
    dev_log(k->c, op, k->device, NULL, now, now, bytes, e ? SIM_BAD_ARGUMENT : SIM_OK);
}

static size_t weight(const sim_result *r) {
    return sizeof *r + r->line_count * sizeof *r->lines + r->finding_count * sizeof *r->findings;
}

void dev_log_launch(dev_client *c, dev_record *r, const dev_work *w, sim_result *result) {
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
    for (size_t i = 0; i < result->finding_count; i++) dev_log_finding(c, &result->findings[i]);
    if (c->on_launch && !g->replaying) c->on_launch(c->on_launch_user, to);
    if (!r) {
        sim_result_free(result);
        free(result);
        return;
    }
    /* Lines are the bulk; past the limit only the totals are kept. */
    if (g->result_bytes + weight(result) > DEV_RESULT_BYTES) {
        free(result->lines);
        result->lines = NULL, result->line_count = 0;
    }
    g->result_bytes += weight(result);
    size_t i = (size_t)(r - g->records);
    if (g->results[i]) {
        g->result_bytes -= weight(g->results[i]);
        sim_result_free(g->results[i]);
        free(g->results[i]);
    }
    g->results[i] = result;
}

/* What replay runs again: works in the order they ran, with the time of their call. */
void dev_log_work(dev_client *c, dev_stream *s, const dev_work *w, double issued) {
    dev_log_state *g = &c->log;
    if (g->replaying || !g->in_call || g->overflow) return;
    if (w->kind == DEV_WORK_GRAPH ||
        w->kind == DEV_WORK_HOST) { /* more than the device takes part in it */
        g->once = true;
        return;
    }
    if (g->work_count == g->work_room) {
        size_t room = g->work_room ? g->work_room * 2 : 64;
        void *more = realloc(g->works, room * sizeof *g->works);
        if (!more) {
            g->overflow = true;
            return;
        }
        g->works = more, g->work_room = room;
    }
    dev_work *copy = g->work_bytes + w->bytes > DEV_QUEUE_BYTES ? NULL : dev_work_copy(w);
    if (!copy) {
        g->overflow = true;
        return;
    }
    g->work_bytes += w->bytes;
    g->works[g->work_count].work = copy;
    g->works[g->work_count].stream = s;
    g->works[g->work_count].issued = issued;
    g->works[g->work_count++].record = SIZE_MAX;
}

void dev_log_forget_stream(dev_client *c, dev_stream *s) {
    for (size_t i = 0; i < c->log.work_count; i++)
        if (c->log.works[i].stream == s) c->log.works[i].stream = dev_stream_default(c, s->device);
}

/* ---- findings: a site once, with a count */

static bool same(const sim_finding *a, const sim_finding *b) {
    return a->kind == b->kind && a->line == b->line && a->other_line == b->other_line &&
           a->write == b->write && a->kernel == b->kernel && a->file == b->file &&
           a->space == b->space &&
           (a->line || a->kind == SIM_FIND_LEAK ? a->alloc_name == b->alloc_name : true) &&
           (a->kind != SIM_FIND_LEAK || a->alloc_size == b->alloc_size);
}

void dev_log_finding(dev_client *c, const sim_finding *f) {
    dev_log_state *g = &c->log;
    /* The runtime prints failed assertions to the program's stderr. */
    if (f->kind == SIM_FIND_ASSERT && !c->notice[0])
        snprintf(c->notice, sizeof c->notice, "Assertion failed: %.480s", f->text);
    sim_finding n = *f;
    n.kernel = dev_intern(c, f->kernel), n.file = dev_intern(c, f->file),
    n.space = dev_intern(c, f->space);
    n.alloc_name = dev_intern(c, f->alloc_name), n.other_file = dev_intern(c, f->other_file);
    for (size_t i = 0; i < g->finding_count; i++)
        if (same(&g->findings[i], &n)) {
            g->findings[i].count += n.count;
            return;
        }
    if (g->finding_count >= DEV_FINDINGS) return;
    if (!(g->finding_count & (g->finding_count - 1))) { /* room for the next power of two */
        size_t room = g->finding_count ? g->finding_count * 2 : 1;
        sim_finding *more = realloc(g->findings, room * sizeof *more);
        if (!more) return;
        g->findings = more;
    }
    g->findings[g->finding_count++] = n;
}

/* Device memory that the program never freed, when it is gone. */
void dev_log_leaks(dev_client *c) {
    for (size_t i = 0; i < c->mem_count; i++) {
        const dev_mem *m = &c->mem[i];
        if (m->kind != DEV_MEM_DEVICE && m->kind != DEV_MEM_POOL && m->kind != DEV_MEM_MANAGED)
            continue;
        sim_finding f = {.kind = SIM_FIND_LEAK,
                         .count = 1,
                         .address = m->base,
                         .alloc_base = m->base,
                         .alloc_size = m->bytes};
        snprintf(f.text, sizeof f.text,
                 "%llu bytes of device memory allocated with %s were never freed",
                 (unsigned long long)m->bytes,
                 m->kind == DEV_MEM_DEVICE ? "cudaMalloc"
                 : m->kind == DEV_MEM_POOL ? "cudaMallocAsync"
                                           : "cudaMallocManaged");
        dev_log_finding(c, &f);
    }
}

/* What the client's fault handler left on the control page. */
void dev_log_fault(dev_client *c) {
    if (!c->control || !__atomic_load_n(&c->control->fault, __ATOMIC_ACQUIRE)) return;
    wire_control page = *(volatile wire_control *)c->control;
    c->control->fault = 0;
    sim_finding f = {
        .kind = SIM_FIND_HOST_DEREF, .count = 1, .write = page.write != 0, .address = page.address};
    const dev_mem *m = dev_mem_find(c, page.address);
    if (m) f.alloc_base = m->base, f.alloc_size = m->bytes;
    c->host_fault = true;
    c->fault_pc = page.pc, c->fault_base = page.base;
    size_t n = (size_t)snprintf(f.text, sizeof f.text, "host code %s device memory at 0x%llx",
                                page.write ? "wrote" : "read", (unsigned long long)page.address);
    if (m)
        n += (size_t)snprintf(
            f.text + n, sizeof f.text - n, ", byte %llu of an allocation of %llu bytes",
            (unsigned long long)(page.address - m->base), (unsigned long long)m->bytes);
    else n += (size_t)snprintf(f.text + n, sizeof f.text - n, ", which is in no live allocation");
    snprintf(f.text + n, sizeof f.text - n,
             " (program counter 0x%llx); copy it with cudaMemcpy first",
             (unsigned long long)(page.pc - page.base));
    dev_log_finding(c, &f);
}

bool dev_client_fault(const dev_client *c, uint64_t *pc, uint64_t *base) {
    if (c->host_fault) *pc = c->fault_pc, *base = c->fault_base;
    return c->host_fault;
}

/* ---- printf */

void dev_log_print(void *client, const char *text, size_t n) {
    dev_client *c = client;
    dev_log_state *g = &c->log;
    static const char note[] = "[warplab: more device printf output is dropped]\n";
    if (g->print_full || g->replaying) return;
    bool full = g->printed_bytes + n > c->s->opt.print_limit;
    if (full) text = note, n = sizeof note - 1;
    if (g->printed_bytes + n + 1 > g->printed_room) {
        size_t room = (g->printed_bytes + n + 1) * 2;
        char *more = realloc(g->printed, room);
        if (!more) return;
        g->printed = more, g->printed_room = room;
    }
    memcpy(g->printed + g->printed_bytes, text, n);
    g->printed_bytes += n;
    g->printed[g->printed_bytes] = 0;
    g->print_full = full;
}

/* ---- the interface */

static void forget_works(dev_client *c) {
    dev_log_state *g = &c->log;
    for (size_t i = 0; i < g->work_count; i++) dev_work_free(c, g->works[i].work);
    g->work_count = 0;
    g->work_bytes = 0;
}

void dev_log_clear(dev_client *c) {
    dev_log_state *g = &c->log;
    forget_works(c);
    for (size_t i = 0; i < g->count; i++)
        if (g->results[i]) {
            sim_result_free(g->results[i]);
            free(g->results[i]);
        }
    g->count = 0;
    g->result_bytes = 0;
    g->dropped = 0;
    g->finding_count = 0;
    free(g->findings);
    g->findings = NULL;
    g->overflow = g->read_back = g->once = g->freed = false;
    /* What the program has not been given yet stays. */
    if (g->delivered)
        memmove(g->printed, g->printed + g->delivered, g->printed_bytes - g->delivered);
    g->printed_bytes -= g->delivered;
    g->delivered = 0;
}

void dev_log_call_begins(dev_client *c) {
    forget_works(c);
    c->log.in_call = true;
    c->log.read_back = c->log.once = c->log.freed = false;
}

void dev_log_free(dev_client *c) {
    dev_log_clear(c);
    free(c->log.records), free(c->log.results), free(c->log.works), free(c->log.findings),
        free(c->log.printed);
}

size_t dev_client_log(const dev_client *c, const dev_record **records) {
    *records = c->log.records;
    return c->log.count;
}
void dev_client_mark(dev_client *c) {
    dev_log_clear(c);
}

typedef struct {
    double start, end;
} span;
static int by_start(const void *a, const void *b) {
    double x = ((const span *)a)->start, y = ((const span *)b)->start;
    return (x > y) - (x < y);
}

static bool on_device(dev_op op) {
    return op <= DEV_OP_MEMSET;
}

double dev_client_busy_us(const dev_client *c) {
    const dev_log_state *g = &c->log;
    span *all = malloc((g->count + 1) * sizeof *all);
    size_t n = 0;
    double busy = 0, until = -INFINITY;
    if (!all) return 0;
    for (size_t i = 0; i < g->count; i++)
        if (on_device(g->records[i].op))
            all[n++] = (span){g->records[i].start_us, g->records[i].end_us};
    qsort(all, n, sizeof *all, by_start);
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

/* Page-locked and managed memory may be read by the host without a call. */
static bool sees_host(const dev_client *c) {
    for (size_t i = 0; i < c->mem_count; i++)
        if (dev_mem_on_host(&c->mem[i])) return true;
    return false;
}

bool dev_client_read_back(const dev_client *c) {
    return c->log.read_back || sees_host(c);
}

size_t dev_client_findings(const dev_client *c, const sim_finding **f) {
    *f = c->log.findings;
    return c->log.finding_count;
}
size_t dev_client_unsupported(const dev_client *c, const char *const **lines) {
    *lines = c->log.unsupported;
    return c->log.unsupported_count;
}
const char *dev_client_printed(const dev_client *c, size_t *n) {
    *n = c->log.printed_bytes;
    return c->log.printed ? c->log.printed : "";
}
void dev_client_on_launch(dev_client *c, void (*fn)(void *user, const dev_record *r), void *user) {
    c->on_launch = fn, c->on_launch_user = user;
}

/* ---- replay */

sim_status dev_client_replay(dev_client *c) {
    dev_log_state *g = &c->log;
    if (g->overflow || g->once || g->freed || dev_client_read_back(c)) return SIM_UNSUPPORTED;
    for (unsigned d = 0; d < c->s->count; d++)
        if (c->fault[d]) return SIM_UNSUPPORTED;
    /* The same calls at the same distances, on an idle device. */
    double base = c->latest, first = g->work_count ? g->works[0].issued : 0;
    sim_status status = SIM_OK;
    g->finding_count = 0;
    g->replaying = true;
    for (size_t i = 0; i < g->work_count && !status; i++) {
        const dev_work *w = g->works[i].work;
        dev_stream *s = g->works[i].stream;
        double after = dev_stream_after(c, s, base + g->works[i].issued - first), end = after;
        g->replay_record = g->works[i].record;
        if (w->kind == DEV_WORK_RECORD) {
            w->event.event->when = after;
        } else if (w->kind == DEV_WORK_WAIT) {
            if (w->event.event->when > end) end = w->event.event->when;
        } else if (dev_work_run(c, s, w, after, &end)) {
            status = SIM_BAD_ARGUMENT;
        }
        if (end > s->ready) s->ready = end;
    }
    g->replaying = false;
    /* Host calls between them have no meaning for the new times. */
    for (size_t i = 0; i < g->count; i++)
        if (!on_device(g->records[i].op)) g->records[i].start_us = g->records[i].end_us = base;
    for (unsigned t = 0; t < c->threads; t++)
        if (c->clock[t] >= 0 && c->clock[t] < c->latest) c->clock[t] = c->latest;
    return status;
}
