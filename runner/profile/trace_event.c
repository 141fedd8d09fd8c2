/* profile --trace: the run's timeline in the Trace Event Format, which Perfetto and
 * chrome://tracing open (see the document "Trace Event Format", JSON Object Format).
 *
 *   process 1        the host: allocations, frees, waits
 *   process 100 + d  device d, a thread per stream: kernels with their counters, copies, memsets
 *   process 200 + d  its copy engines, a thread per direction
 *   process 300 + n  kernel n's blocks on the replayed multiprocessor, a thread per slot, so that
 *                    waves and the tail are visible
 *   arrows           from an operation of a stream to the next; from the last one to its wait */
#include "runner/profile/trace_event.h"
#include "grader/json/json.h"
#include "words/profile.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST = 1, DEVICES = 100, ENGINES = 200, BLOCKS = 300, BLOCK_KERNELS = 64, FLOWS_FROM = 1 };

static const struct {
    const char *name, *cat;
    int engine; /* thread in process ENGINES; 0: none */
    bool host;
} op_rows[] = {
    [DEV_OP_LAUNCH] = {"kernel", "kernel", 0, false},
    [DEV_OP_H2D] = {"copy host to device", "copy", 1, false},
    [DEV_OP_D2H] = {"copy device to host", "copy", 2, false},
    [DEV_OP_D2D] = {"copy on the device", "copy", 3, false},
    [DEV_OP_PAGES_IN] = {"pages to the device", "copy", 1, false},
    [DEV_OP_PAGES_OUT] = {"pages to the host", "copy", 2, false},
    [DEV_OP_MEMSET] = {"memset", "memset", 0, false},
    [DEV_OP_MALLOC] = {"cudaMalloc", "host", 0, true},
    [DEV_OP_FREE] = {"cudaFree", "host", 0, true},
    [DEV_OP_SYNC] = {"wait for the device", "host", 0, true},
    [DEV_OP_HOST] = {"host function", "host", 0, true},
    [DEV_OP_GRAPH] = {"graph launch", "host", 0, true},
};

typedef struct {
    json_t *events;
    unsigned flows, kernels;
    const profile_report *report;
} trace;

static void put(trace *t, json_t *o) {
    json_array_append_new(t->events, o);
}

static void name_track(trace *t, int pid, int tid, const char *what, const char *name) {
    put(t, json_pack("{s:s, s:s, s:i, s:i, s:f, s:{s:o}}", "ph", "M", "name", what, "pid", pid,
                     "tid", tid, "ts", 0.0, "args", "name", json_text(name)));
}

static json_t *slice(const char *name, const char *cat, int pid, int tid, double from, double to,
                     json_t *args) {
    return json_pack("{s:s, s:o, s:s, s:i, s:i, s:f, s:f, s:o}", "ph", "X", "name", json_text(name),
                     "cat", cat, "pid", pid, "tid", tid, "ts", from, "dur",
                     to > from ? to - from : 0, "args", args);
}

/* Draws an arrow from a point inside one slice to a point inside another. */
static void arrow(trace *t, int pid, int tid, double at, int to_pid, int to_tid, double to_at) {
    unsigned id = FLOWS_FROM + t->flows++;
    put(t, json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:f}", "ph", "s", "name", "then", "cat",
                     "dependency", "id", (int)id, "pid", pid, "tid", tid, "ts", at));
    put(t,
        json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:f}", "ph", "f", "bp", "e", "name", "then",
                  "cat", "dependency", "id", (int)id, "pid", to_pid, "tid", to_tid, "ts", to_at));
}

static json_t *kernel_args(const dev_record *l) {
    const sim_result *s = l->result;
    json_t *o = json_pack("{s:o, s:o, s:i}", "grid", json_three(l->grid), "block",
                          json_three(l->block), "stream", (int)l->stream);
    if (l->info) json_object_set_new(o, "registers", json_integer(l->info->registers));
    if (!s || s->measured) return o;
    json_object_set_new(o, "limiter", json_string(s->limiter ? s->limiter : ""));
    json_object_set_new(o, "occupancy_pct", json_real(s->occupancy.pct));
    json_object_set_new(o, "achieved_occupancy_pct", json_real(s->achieved_occupancy_pct));
    json_t *counters = json_counters(&s->counters, false, true);
    json_object_update(o, counters);
    json_decref(counters);
    return o;
}

/* Writes the replayed blocks, below their kernel on the timeline. */
static void put_blocks(trace *t, const dev_record *l) {
    const sim_result *s = l->result;
    if (!s || !s->span_count || t->kernels == BLOCK_KERNELS) return;
    int pid = BLOCKS + (int)t->kernels++;
    char name[160];
    snprintf(name, sizeof name, "blocks of %.100s on one multiprocessor", l->kernel);
    name_track(t, pid, 0, "process_name", name);
    double stay = l->end_us - l->start_us, last = 0;
    for (size_t i = 0; i < s->span_count; i++)
        if ((double)s->spans[i].end_us > last) last = (double)s->spans[i].end_us;
    /* Blocks keep the pace of the replay, since a launch that memory slows down takes longer than
     * its blocks. Longer replays are compressed. */
    double scale = last > stay && last > 0 ? stay / last : 1;
    unsigned nth[2048] = {0};
    for (size_t i = 0; i < s->span_count; i++) {
        const sim_block_span *b = &s->spans[i];
        if (b->slot >= sizeof nth / sizeof *nth) continue;
        if (!nth[b->slot]) {
            snprintf(name, sizeof name, "slot %u", b->slot);
            name_track(t, pid, (int)b->slot, "thread_name", name);
        }
        snprintf(name, sizeof name, "wave %u", ++nth[b->slot]);
        put(t, slice(name, "block", pid, (int)b->slot, l->start_us + (double)b->start_us * scale,
                     l->start_us + (double)b->end_us * scale,
                     json_pack("{s:i, s:i}", "slot", (int)b->slot, "wave", (int)nth[b->slot])));
    }
}

static void put_record(trace *t, const dev_record *l) {
    int pid = op_rows[l->op].host ? HOST : DEVICES + (int)l->device,
        tid = op_rows[l->op].host ? 1 : (int)l->stream;
    if (l->op == DEV_OP_LAUNCH) {
        put(t, slice(l->kernel ? l->kernel : "kernel", "kernel", pid, tid, l->start_us, l->end_us,
                     kernel_args(l)));
        put_blocks(t, l);
        return;
    }
    const char *name = l->call ? l->call : op_rows[l->op].name;
    json_t *args = json_pack("{s:I, s:i, s:b}", "bytes", (json_int_t)l->bytes, "stream",
                             (int)l->stream, "pageable", l->pageable);
    if (op_rows[l->op].engine)
        put(t, slice(name, op_rows[l->op].cat, ENGINES + (int)l->device, op_rows[l->op].engine,
                     l->start_us, l->end_us, json_incref(args)));
    if (op_rows[l->op].host && l->end_us <= l->start_us) {
        put(t, json_pack("{s:s, s:s, s:o, s:s, s:i, s:i, s:f, s:o}", "ph", "i", "s", "t", "name",
                         json_text(name), "cat", "host", "pid", pid, "tid", tid, "ts", l->start_us,
                         "args", args));
        return;
    }
    put(t, slice(name, op_rows[l->op].cat, pid, tid, l->start_us, l->end_us, args));
}

/* Returns a time just before a slice's end, so that the arrow begins inside the slice. */
static double within(const dev_record *l) {
    double d = l->end_us - l->start_us;
    return l->end_us - (d < 0.002 ? d / 2 : 0.001);
}

static void put_arrows(trace *t, const dev_record *records, size_t n) {
    const dev_record *last = NULL; /* the one that ended last so far */
    for (size_t i = 0; i < n; i++) {
        const dev_record *l = &records[i];
        if (l->op == DEV_OP_SYNC && last && last->end_us <= l->end_us && l->end_us > l->start_us)
            arrow(t, DEVICES + (int)last->device, (int)last->stream, within(last), HOST, 1,
                  within(l));
        if (op_rows[l->op].host || l->end_us <= l->start_us) continue;
        for (size_t k = i; k-- && i - k < 256;) { /* the previous one of its stream */
            const dev_record *p = &records[k];
            if (op_rows[p->op].host || p->device != l->device || p->stream != l->stream ||
                p->end_us <= p->start_us)
                continue;
            if (p->end_us <= l->start_us + 1e-6)
                arrow(t, DEVICES + (int)p->device, (int)p->stream, within(p),
                      DEVICES + (int)l->device, (int)l->stream, l->start_us);
            break;
        }
        if (!last || l->end_us > last->end_us) last = l;
    }
}

static void name_tracks(trace *t, const dev_record *records, size_t n) {
    static const char *const engines[] = {"", "host to device", "device to host", "on the device"};
    enum { KNOWN = 512 };
    struct {
        int pid, tid;
    } known[KNOWN];
    size_t count = 0;
    name_track(t, HOST, 0, "process_name", "host");
    name_track(t, HOST, 1, "thread_name", "CUDA calls");
    for (size_t i = 0; i < n; i++) {
        const dev_record *l = &records[i];
        if (op_rows[l->op].host) continue;
        for (int e = 0; e < (op_rows[l->op].engine ? 2 : 1); e++) {
            int pid = (e ? ENGINES : DEVICES) + (int)l->device,
                tid = e ? op_rows[l->op].engine : (int)l->stream;
            bool process = false, thread = false;
            for (size_t k = 0; k < count; k++)
                if (known[k].pid == pid) process = true, thread |= known[k].tid == tid;
            if (thread || count == KNOWN) continue;
            known[count].pid = pid, known[count++].tid = tid;
            char name[160];
            const profile_report *r = t->report;
            const dev_session *of = r->measured_session ? r->measured_session : r->session;
            const char *device = dev_session_name(of, l->device);
            snprintf(name, sizeof name, e ? "%.100s: copy engines" : "%.100s: streams",
                     device ? device : "device");
            if (!process) name_track(t, pid, 0, "process_name", name);
            if (e) snprintf(name, sizeof name, "%s", engines[tid]);
            else snprintf(name, sizeof name, tid ? "stream %d" : "default stream", tid);
            name_track(t, pid, tid, "thread_name", name);
        }
    }
}

bool profile_write_trace(const profile_report *r, const char *path, lib_message *msg) {
    const dev_record *records = NULL;
    size_t n = profile_records(r, &records);
    trace t = {.events = json_array(), .report = r};
    name_tracks(&t, records, n);
    for (size_t i = 0; i < n; i++)
        if ((size_t)records[i].op < sizeof op_rows / sizeof *op_rows) put_record(&t, &records[i]);
    put_arrows(&t, records, n);
    json_t *all = json_pack("{s:o, s:s, s:{s:o, s:s}}", "traceEvents", t.events, "displayTimeUnit",
                            "ns", "otherData", "device", json_text(r->device), "times",
                            r->measured_on ? "measured" : "modelled");
    errno = 0;
    bool ok = all && !json_dump_file(all, path, JSON_COMPACT | JSON_REAL_PRECISION(12));
    if (!ok) {
        lib_message_set(msg, w_profile_cannot_write(path, errno));
    }
    json_decref(all);
    return ok;
}
