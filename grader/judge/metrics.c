/* The figures that counter goals judge: counters and ratios of a call's launches (from the
 * simulated device), and the call's own figures (metrics.def). */
#include "grader/judge/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "grader/figure.h"
#include "grader/result.h"
#include "words/judge.h"

typedef enum { OF_LAUNCH, OF_CALL, OF_WHOLE } metric_scope;

/* ---- of the whole call */

static bool metric_runs(const dev_record *r) {
    return r->op <= DEV_OP_MEMSET; /* the operation takes time on the device */
}
static double whole_busy(const grade_call_log *log) {
    return log->busy_us;
}
static double whole_elapsed(const grade_call_log *log) {
    return log->elapsed_us;
}
/* Parameters that hold data rather than arguments: a launch brings them to the device, from memory
 * that is not page-locked. */
static double parameter_bytes(const dev_record *r) {
    enum { ARGUMENTS = 512 };
    bool data = r->op == DEV_OP_LAUNCH && r->info && r->info->param_bytes > ARGUMENTS;
    return data ? (double)r->info->param_bytes : 0;
}

static bool metric_of_memory(const dev_record *r) {
    return (r->op == DEV_OP_MALLOC || r->op == DEV_OP_FREE) && r->status == SIM_OK;
}

static int memory_by_place(const void *a, const void *b) {
    const dev_record *x = *(const dev_record *const *)a, *y = *(const dev_record *const *)b;
    if (x->memory != y->memory) return x->memory < y->memory ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Finds how many bytes the call allocated (`made`), and how many of these it freed. What it frees
 * of an earlier call does not make up for what it keeps, nor does freed memory that is only for
 * show. Variables in which the program works are memory that is never freed. Of the device heap,
 * only what all launches together have left there counts: one kernel may free what another has
 * allocated. */
static void whole_memory(const grade_call_log *log, double *made, double *freed) {
    const dev_record **of = malloc((log->count + 1) * sizeof *of), *open = NULL;
    size_t n = 0;
    *made = log->variables, *freed = 0;
    for (size_t i = 0; of && i < log->count; i++)
        if (metric_of_memory(&log->records[i])) of[n++] = &log->records[i];
    if (n) qsort(of, n, sizeof *of, memory_by_place);
    for (size_t i = 0; i < n; i++) {
        bool frees = of[i]->op == DEV_OP_FREE;
        if (frees && open && open->memory == of[i]->memory)
            *freed += (double)(open->bytes - open->unused), *made -= (double)open->unused;
        *made += frees ? 0 : (double)of[i]->bytes;
        open = frees ? NULL : of[i];
    }
    free(of);
    double heap = 0;
    for (size_t i = 0; i < log->count; i++)
        if (log->records[i].result) heap += (double)log->records[i].result->heap_grown;
    *made += fmax(heap, 0);
}
static double whole_released_pct(const grade_call_log *log) {
    double made, freed;
    whole_memory(log, &made, &freed);
    return made > 0 ? 100 * freed / made : 0;
}
static double whole_kept_bytes(const grade_call_log *log) {
    double made, freed;
    whole_memory(log, &made, &freed);
    return made - freed;
}

static double whole_computed(const grade_call_log *log) {
    return log->computed;
}

static double executed(const dev_record *r) {
    return r->op == DEV_OP_LAUNCH && r->result ? (double)r->result->counters.thread_inst : 0;
}

/* Returns what the launch that does most has executed. */
static double executed_most(const grade_call_log *log) {
    double most = 0;
    for (size_t i = 0; i < log->count; i++) most = fmax(most, executed(&log->records[i]));
    return most;
}

/* Returns whether a launch of this kernel stored into the lab's buffers. */
static bool gives_ever(const grade_call_log *log, const dev_record *r) {
    for (size_t i = 0; i < log->count; i++) {
        const dev_record *other = &log->records[i];
        if (other->gives && other->kernel && r->kernel && !strcmp(other->kernel, r->kernel))
            return true;
    }
    return false;
}

static int launch_by_end(const void *a, const void *b) {
    const dev_record *x = *(const dev_record *const *)a, *y = *(const dev_record *const *)b;
    return (x->end_us > y->end_us) - (x->end_us < y->end_us);
}

/* Launches one after another that do about as much as the largest one. Empty launches for show do
 * not, and launches of another kernel than the one that gives the results do something else. */
static double whole_full_launches(const grade_call_log *log) {
    static const double about = 0.5;
    double most = executed_most(log), n = 0, until = -INFINITY;
    bool gives = false;
    for (size_t i = 0; i < log->count; i++) gives |= log->records[i].gives;
    const dev_record **full = malloc((log->count + 1) * sizeof *full);
    size_t count = 0;
    if (!full) return NAN;
    for (size_t i = 0; i < log->count; i++) {
        const dev_record *r = &log->records[i];
        double did = executed(r);
        if (did >= about * most && did > 0 && (!gives || gives_ever(log, r))) full[count++] = r;
    }
    qsort(full, count, sizeof *full, launch_by_end);
    for (size_t i = 0; i < count; i++)
        if (full[i]->start_us >= until) n++, until = full[i]->end_us;
    free(full);
    return n;
}

/* Waits of the host that have something to wait for: work came since the last one. */
static double whole_waits(const grade_call_log *log) {
    double n = 0;
    bool work = false;
    for (size_t i = 0; i < log->count; i++) {
        const dev_record *r = &log->records[i];
        if (metric_runs(r)) work = true;
        if (r->op != DEV_OP_SYNC || !work) continue;
        work = false;
        n++;
    }
    return n;
}

typedef struct {
    double at;
    int step; /* +1: a kernel begins; -1: a kernel ends */
} metric_edge;
/* At the same time, an end comes before a beginning, so that consecutive kernels never overlap. */
static int metric_by_time(const void *a, const void *b) {
    const metric_edge *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : x->step - y->step;
}
/* What runs one after another if nothing overlaps: work in the multiprocessors, and copies in
 * each direction of the link. Kernels that overlap kernels share the multiprocessors and save
 * nothing. */
typedef enum { ENGINE_DEVICE = 1, ENGINE_IN = 2, ENGINE_OUT = 4, ENGINE_ANY = 7 } metric_engine;

static metric_engine metric_engine_of(const dev_record *r) {
    if (r->op == DEV_OP_H2D || r->op == DEV_OP_PAGES_IN) return ENGINE_IN;
    return r->op == DEV_OP_D2H || r->op == DEV_OP_PAGES_OUT ? ENGINE_OUT : ENGINE_DEVICE;
}

/* Returns the time in which something ran on one of the engines; NAN if memory ran out. */
static double metric_busy(const grade_call_log *log, metric_engine on) {
    metric_edge *edges = malloc((2 * log->count + 1) * sizeof *edges);
    double busy = 0;
    size_t n = 0;
    int now = 0;
    if (!edges) return NAN;
    for (size_t i = 0; i < log->count; i++) {
        const dev_record *r = &log->records[i];
        if (!metric_runs(r) || !(metric_engine_of(r) & on)) continue;
        edges[n++] = (metric_edge){r->start_us, 1};
        edges[n++] = (metric_edge){r->end_us, -1};
    }
    qsort(edges, n, sizeof *edges, metric_by_time);
    for (size_t i = 0; i < n; i++) {
        if (now > 0) busy += edges[i].at - edges[i - 1].at;
        now += edges[i].step;
    }
    free(edges);
    return busy;
}
static double whole_apart(const grade_call_log *log) {
    return metric_busy(log, ENGINE_DEVICE) + metric_busy(log, ENGINE_IN) +
           metric_busy(log, ENGINE_OUT);
}
static double whole_overlap(const grade_call_log *log) {
    double over = whole_apart(log) - log->busy_us;
    return over > 0 ? over : 0;
}
static double whole_overlap_pct(const grade_call_log *log) {
    double apart = whole_apart(log);
    return apart > 0 ? 100 * whole_overlap(log) / apart : 0;
}

static const double part_of_work = 1.0 / 16;

/* A kernel counts if it does a part of the work, not if it runs beside the work for show; so many
 * count if they run together for a part of the time, not if one ends a moment after another began.
 */
static double whole_at_once(const grade_call_log *log) {
    static const double while_any = 0.1;
    metric_edge *edges = malloc((2 * log->count + 1) * sizeof *edges);
    double least = part_of_work * executed_most(log);
    size_t n = 0;
    double *of = calloc(log->count + 1, sizeof *of), any = 0; /* the time in which so many ran */
    size_t now = 0, most = log->count;
    if (!edges || !of) {
        free(edges), free(of);
        return NAN; /* NaN meets no goal */
    }
    for (size_t i = 0; i < log->count; i++) {
        const dev_record *r = &log->records[i];
        if (r->op != DEV_OP_LAUNCH || r->end_us <= r->start_us || executed(r) < least) continue;
        edges[n++] = (metric_edge){r->start_us, 1};
        edges[n++] = (metric_edge){r->end_us, -1};
    }
    qsort(edges, n, sizeof *edges, metric_by_time);
    for (size_t i = 0; i < n; i++) {
        double us = i ? edges[i].at - edges[i - 1].at : 0;
        of[now] += us;
        if (now) any += us;
        if (edges[i].step > 0) now++;
        else now--;
    }
    for (double us = 0; most && (us += of[most]) < while_any * any;) most--;
    free(edges), free(of);
    return (double)(n ? most : 0);
}

/* The time of all kernels one after the other, over the time in which any ran. */
static double whole_at_once_avg(const grade_call_log *log) {
    double least = part_of_work * executed_most(log), alone = 0;
    dev_record *own = malloc((log->count + 1) * sizeof *own);
    grade_call_log of = {.records = own};
    if (!own) return NAN;
    for (size_t i = 0; i < log->count; i++) {
        const dev_record *r = &log->records[i];
        if (r->op != DEV_OP_LAUNCH || executed(r) < least) continue;
        own[of.count++] = *r;
        alone += r->end_us - r->start_us;
    }
    double any = metric_busy(&of, ENGINE_DEVICE);
    free(own);
    return any > 0 ? alone / any : 0;
}

/* The warps of all kernels that overlap, over the time in which any kernel runs; 0 if none
 * overlap. */
static double occupancy_together(const grade_call_log *log) {
    metric_edge *edges = malloc((2 * log->count + 1) * sizeof *edges);
    double warps = 0, alone = 0, any = 0;
    size_t n = 0;
    int now = 0;
    if (!edges) return 0;
    for (size_t i = 0; i < log->count; i++) {
        const dev_record *r = &log->records[i];
        double took = r->end_us - r->start_us;
        if (r->op != DEV_OP_LAUNCH || !r->result || !(took > 0)) continue;
        warps += r->result->achieved_occupancy_pct * took;
        alone += took;
        edges[n++] = (metric_edge){r->start_us, 1};
        edges[n++] = (metric_edge){r->end_us, -1};
    }
    qsort(edges, n, sizeof *edges, metric_by_time);
    for (size_t i = 0; i < n; i++) {
        if (now) any += edges[i].at - edges[i - 1].at;
        now += edges[i].step;
    }
    free(edges);
    return any > 0 && alone > 1.001 * any ? fmin(100, warps / any) : 0;
}

/* ---- the table */

static const sim_counter_info metrics[] = {
#define LAUNCH_METRIC(n, u, value) {#n, u, "-", false, false},
#define CALL_METRIC(n, u, term)    {#n, u, "-", false, false},
#define WHOLE_METRIC(n, u, fn)     {#n, u, "-", false, false},
#include "grader/judge/metrics.def"
#undef LAUNCH_METRIC
#undef CALL_METRIC
#undef WHOLE_METRIC
};
static const unsigned char scope[] = {
#define LAUNCH_METRIC(n, u, value) OF_LAUNCH,
#define CALL_METRIC(n, u, term)    OF_CALL,
#define WHOLE_METRIC(n, u, fn)     OF_WHOLE,
#include "grader/judge/metrics.def"
#undef LAUNCH_METRIC
#undef CALL_METRIC
#undef WHOLE_METRIC
};
enum { METRICS = sizeof metrics / sizeof *metrics };

size_t grade_metric_count(void) {
    return METRICS;
}
const sim_counter_info *grade_metric_at(size_t i) {
    return i < METRICS ? &metrics[i] : NULL;
}

static size_t metric_find(const char *name) {
    size_t i = 0;
    while (i < METRICS && strcmp(metrics[i].name, name) != 0) i++;
    return i;
}

bool grade_metric_known(const char *name) {
    sim_counters none = {0};
    double v;
    return metric_find(name) < METRICS || sim_counter_get(&none, name, &v);
}

bool grade_metric_of_call(const char *name) {
    size_t m = metric_find(name);
    return m < METRICS && scope[m] != OF_LAUNCH;
}

const char *grade_metric_unit(const char *name) {
    size_t i = metric_find(name);
    if (i < METRICS) return metrics[i].unit;
    for (i = 0; i < sim_counter_count(); i++)
        if (!strcmp(sim_counter_at(i)->name, name)) return sim_counter_at(i)->unit;
    return "";
}

/* A unit may have one word after a number, one after a 1, and one for columns. Returns 0 if it has
 * none. */
static lib_word_id unit_word(const char *unit, bool counted, bool one) {
    lib_word_id word = one ? lib_words_named("one", unit) : 0;
    if (!word && counted) word = lib_words_named("counted", unit);
    return word ? word : lib_words_named("unit", unit);
}

const char *grade_unit_word(const char *unit, lib_lang lang, bool counted) {
    lib_word_id word = unit_word(unit, counted, false);
    return word ? lib_word(lang, word) : unit;
}

lib_words grade_amount(double v, const char *unit) {
    lib_word_id word = unit_word(unit, true, v == 1);
    return !strcmp(unit, "%") ? w_judge_amount_percent(v)
           : word             ? w_judge_amount(v, word)
                              : w_judge_amount_unit(v, unit);
}

const char *grade_limiter_word(const char *limiter, lib_lang lang) {
    lib_word_id word = lib_words_named("limiter", limiter);
    return word ? lib_word(lang, word) : limiter;
}

/* A ratio of global accesses is undefined if there were none. With 0, a program that never loads
 * would pass "at most 4 sectors per request". Ratios of conflicts, branches and hits are rightly 0
 * in this case. */
static bool undefined_ratio(const sim_counters *c, const char *name) {
    if (strncmp(name, "gld_", 4) != 0 && strncmp(name, "gst_", 4) != 0) return false;
#define DERIVED(n, unit, numerator, denominator, scale)                                            \
    if (!strcmp(name, #n)) return (double)(denominator) == 0;
#include "runner/device/sim/derived.def"
#undef DERIVED
    return false;
}

/* Accesses to local memory, whatever put the values there. Arrays have instructions in the PTX,
 * which are counted. Spilled registers, and those that functions save in their frames, have none:
 * each word that the assembler reports counts once for each warp. */
static double local_accesses(const dev_record *r, const sim_kernel_info *i, const sim_result *s) {
    double threads = (double)r->block[0] * r->block[1] * r->block[2],
           blocks = (double)r->grid[0] * r->grid[1] * r->grid[2];
    return (double)(s->counters.local_ld_requests + s->counters.local_st_requests) +
           blocks * ceil(threads / SIM_WARP_LANES) * ceil(i->spill_bytes / 4.0);
}

/* The share of the threads that lead to the outputs. A block at the edge of the work may have a
 * tenth of its threads too many. */
static double leading_threads(const dev_record *r) {
    static const double few = 0.1;
    double threads = r->leading ? r->leading->threads : 1;
    return threads > 1 - few ? 1 : threads;
}

/* leads: only blocks and threads that lead to the outputs. */
static double of_launch(size_t m, const dev_record *r, bool leads) {
    static const sim_kernel_info no_info;
    static const sim_result no_result;
    double threads = leads ? leading_threads(r) : 1,
           blocks = leads && r->leading ? r->leading->blocks : 1;
    const sim_kernel_info *i = r->info ? r->info : &no_info;
    const sim_result *s = r->result ? r->result : &no_result;
    size_t at = 0;
#define LAUNCH_METRIC(n, u, value)                                                                 \
    if (at++ == m) return (double)(value);
#define CALL_METRIC(n, u, term) at++;
#define WHOLE_METRIC(n, u, fn)  at++;
#include "grader/judge/metrics.def"
#undef LAUNCH_METRIC
#undef CALL_METRIC
#undef WHOLE_METRIC
    (void)at;
    return 0;
}

static double of_call(size_t m, const grade_call_log *log) {
    double sum = 0;
    for (size_t k = 0; k < log->count; k++) {
        const dev_record *r = &log->records[k];
        size_t at = 0;
#define LAUNCH_METRIC(n, u, value) at++;
#define CALL_METRIC(n, u, term)                                                                    \
    if (at++ == m) sum += (double)(term);
#define WHOLE_METRIC(n, u, fn) at++;
#include "grader/judge/metrics.def"
#undef LAUNCH_METRIC
#undef CALL_METRIC
#undef WHOLE_METRIC
        (void)at;
    }
    return sum;
}

static double of_whole(size_t m, const grade_call_log *log) {
    size_t at = 0;
#define LAUNCH_METRIC(n, u, value) at++;
#define CALL_METRIC(n, u, term)    at++;
#define WHOLE_METRIC(n, u, fn)                                                                     \
    if (at++ == m) return fn(log);
#include "grader/judge/metrics.def"
#undef LAUNCH_METRIC
#undef CALL_METRIC
#undef WHOLE_METRIC
    (void)at;
    return 0;
}

/* Adds device-to-device copies and memsets as kernels that process 4 bytes per thread would count
 * them. */
static void add_moves(sim_counters *to, const grade_call_log *log) {
    enum { WARP = SIM_WARP_LANES * 4, SECTOR = 32 };
    for (size_t k = 0; k < log->count; k++) {
        const dev_record *r = &log->records[k];
        uint64_t requests = (r->bytes + WARP - 1) / WARP;
        if (r->op == DEV_OP_D2D) {
            to->gld_requests += requests, to->gld_bytes += r->bytes;
            to->gld_sectors += r->read_sectors, to->dram_read += r->read_sectors * SECTOR;
        }
        if (r->op == DEV_OP_D2D || r->op == DEV_OP_MEMSET) {
            to->gst_requests += requests, to->gst_bytes += r->bytes;
            to->gst_distinct_bytes += r->bytes;
            to->gst_sectors += r->write_sectors, to->dram_write += r->write_sectors * SECTOR;
        }
    }
}

/* Returns whether a counter of requests or bytes counts only a kernel's own loads and stores. Deeds
 * (deeds.def) count the work of copies and memsets, too. */
static bool of_instructions(const char *name) {
    size_t n = strlen(name);
    for (size_t i = 0; i < sim_counter_count(); i++)
        if (sim_counter_at(i)->deed && !strcmp(sim_counter_at(i)->name, name)) return false;
    return (n > 9 && !strcmp(name + n - 9, "_requests")) ||
           (n > 6 && !strcmp(name + n - 6, "_bytes"));
}

/* Returns whether `asked` names this kernel. For "a::b::reduce<256, int>", `asked` may leave out
 * the namespaces, the template arguments, or both. "red*" matches the beginning. */
static bool own_name(const char *name, const char *asked) {
    size_t n = strlen(asked), base = strcspn(name, "<"), from = 0;
    bool open = n && asked[n - 1] == '*';
    for (size_t i = 0; i + 1 < base; i++)
        if (name[i] == ':' && name[i + 1] == ':') from = i + 2;
    const char *starts[] = {name, name + from};
    for (size_t k = 0; k < 2; k++) {
        const char *own = starts[k];
        if (open ? !strncmp(own, asked, n - 1)
                 : !strncmp(own, asked, n) && (!own[n] || own + n == name + base))
            return true;
    }
    return false;
}

bool grade_launch_counts(const grade_goal *g, const dev_record *r) {
    return r->op == DEV_OP_LAUNCH && (!g->kernel || (r->kernel && own_name(r->kernel, g->kernel)));
}

/* ---- of work that leads to the outputs */

/* A call reduced to the work that leads to its outputs. Other operations are left out, and launches
 * have only the counters of instructions that lead there. */
typedef struct {
    grade_call_log log;
    dev_record *records;
    sim_result *results;
} metric_leading;

/* Returns false if all work leads to the outputs, or if memory ran out: then judge `log` itself. */
static bool metric_lead(const grade_call_log *log, metric_leading *m) {
    bool any = false;
    *m = (metric_leading){.log = *log};
    for (size_t i = 0; i < log->count; i++) {
        const dev_record *r = &log->records[i];
        any |= r->idle || r->leading || r->unused;
    }
    m->records = any ? malloc((log->count + 1) * sizeof *m->records) : NULL;
    m->results = any ? malloc((log->count + 1) * sizeof *m->results) : NULL;
    if (!m->records || !m->results) {
        free(m->records);
        free(m->results);
        return false;
    }
    size_t n = 0;
    for (size_t i = 0; i < log->count; i++) {
        const dev_record *r = &log->records[i];
        if (r->idle) continue;
        m->records[n] = *r;
        if (r->leading && r->result) {
            m->results[n] = *r->result;
            m->results[n].counters = r->leading->counters;
            m->records[n].result = &m->results[n];
        }
        if (r->op == DEV_OP_PAGES_IN || r->op == DEV_OP_PAGES_OUT)
            m->records[n].migrated_bytes -= r->unused;
        n++;
    }
    m->log.records = m->records, m->log.count = n;
    if (n < log->count) m->log.busy_us = metric_busy(&m->log, ENGINE_ANY);
    return true;
}

static void metric_lead_free(metric_leading *m) {
    free(m->records);
    free(m->results);
}

/* ---- of one launch */

/* A launch that contributes nothing to the outputs must neither make up for one that does nor fail
 * the goal. Therefore an "at least" goal sorts the launches, worst first, and takes the value of
 * the first launch at which the launches so far have stored SPARED of the outputs' bytes or
 * executed MOST of all instructions. If some launch stores into the lab's buffers, only such stores
 * count. */
static const double SPARED = 1.0 / 16, MOST = 0.5;

typedef struct {
    double value, stored, executed;
    const dev_record *of;
} metric_part;

static int metric_by_value(const void *a, const void *b) {
    const metric_part *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

static bool is_ratio(const char *name) {
    for (size_t i = 0; i < sim_counter_count(); i++)
        if (!strcmp(sim_counter_at(i)->name, name))
            return sim_counter_at(i)->derived && !sim_counter_at(i)->deed;
    return false;
}

/* Returns whether an "at least" goal judges only work that leads to the outputs. A number of calls
 * counts regardless of where they lead. */
static bool metric_asks_for_more(const grade_goal *g, size_t m) {
    if (g->relation != GRADE_GE && g->relation != GRADE_GT) return false;
    if (m == METRICS) return true;
    const char *unit = metrics[m].unit;
    bool calls = scope[m] == OF_CALL || !strcmp(unit, "launches") || !strcmp(unit, "calls");
    return !calls || !strcmp(unit, "bytes");
}

/* How large a figure of active lanes is if all lanes are active. Lanes can all be active because
 * each does the work of the whole warp anew. */
static double all_lanes(const char *name) {
    return !strcmp(name, "active_lanes_avg")      ? SIM_WARP_LANES
           : !strcmp(name, "lane_efficiency_pct") ? 100
                                                  : INFINITY;
}

/* Reads the figure of launch r. Returns false if r has no such figure. */
static bool metric_of(const grade_goal *g, size_t m, const dev_record *r, double *v) {
    *v = 0;
    if (!grade_launch_counts(g, r)) return false;
    if (m < METRICS) {
        *v = of_launch(m, r, metric_asks_for_more(g, m));
        return true;
    }
    if (!r->result || undefined_ratio(&r->result->counters, g->name))
        return false; /* another launch loads */
    sim_counter_get(&r->result->counters, g->name, v);
    if (metric_asks_for_more(g, m)) *v = fmin(*v, all_lanes(g->name) * leading_threads(r));
    return true;
}

/* Finds the launch that decides an "at least" goal. The value is NaN, which meets no goal, if
 * memory ran out. */
static metric_part metric_least(const grade_goal *g, size_t m, const grade_call_log *log) {
    metric_part *all = calloc(log->count + 1, sizeof *all), least = {.value = NAN};
    double stored = 0, executed = 0, total = 0, any = 0;
    size_t n = 0;
    bool gives = false;
    for (size_t k = 0; k < log->count; k++) gives |= log->records[k].gives;
    for (size_t k = 0; all && k < log->count; k++) {
        const dev_record *r = &log->records[k];
        metric_part *p = &all[n];
        if (!metric_of(g, m, r, &p->value)) continue;
        p->of = r;
        n++;
        if (!r->result) continue;
        p->executed = (double)r->result->counters.warp_inst;
        total += p->executed;
        if (r->gives || !gives)
            sim_counter_get(&r->result->counters, "global_store_bytes", &p->stored);
        any += p->stored;
    }
    if (n) qsort(all, n, sizeof *all, metric_by_value);
    bool hardly = any < SPARED * log->out_bytes; /* almost nothing is stored: take the worst */
    for (size_t k = 0; k < n && !hardly && !least.of; k++) {
        stored += all[k].stored, executed += all[k].executed;
        if (stored >= SPARED * log->out_bytes || (total > 0 && executed >= MOST * total))
            least = all[k];
    }
    if (!least.of && n) least = all[0];
    free(all);
    return least;
}

/* Finds the launch that decides an "at most" goal: the worst of all. */
static metric_part metric_most(const grade_goal *g, size_t m, const grade_call_log *log) {
    metric_part most = {.value = NAN};
    for (size_t k = 0; k < log->count; k++) {
        double v;
        if (metric_of(g, m, &log->records[k], &v) && (!most.of || v > most.value))
            most = (metric_part){.value = v, .of = &log->records[k]};
    }
    return most;
}

static bool metric_at_most(const grade_goal *g) {
    return g->relation == GRADE_LE || g->relation == GRADE_LT || g->relation == GRADE_EQ;
}

/* Returns whether one launch decides, and not all of them together. */
static bool metric_of_one(const grade_goal *g, size_t m, const grade_call_log *log) {
    if (m < METRICS) return scope[m] == OF_LAUNCH;
    return (g->per && !strcmp(g->per, "max")) ||
           (!metric_at_most(g) && log->out_bytes > 0 && is_ratio(g->name));
}

static metric_part metric_decides(const grade_goal *g, size_t m, const grade_call_log *log) {
    return (metric_at_most(g) ? metric_most : metric_least)(g, m, log);
}

/* Returns whether the figure is that of kernels that overlap, more than that of a launch alone. */
static bool metric_together(const grade_goal *g, const grade_call_log *log, double alone,
                            double *value) {
    if (strcmp(g->name, "achieved_occupancy_pct") != 0) return false;
    *value = occupancy_together(log);
    return *value > alone;
}

bool grade_metric_launch(const grade_goal *g, const grade_call_log *log, dev_record *of) {
    size_t m = metric_find(g->name);
    metric_leading leading;
    bool part = metric_asks_for_more(g, m) && metric_lead(log, &leading);
    const grade_call_log *judged = part ? &leading.log : log;
    metric_part one = {0};
    double all;
    if (metric_of_one(g, m, judged)) one = metric_decides(g, m, judged);
    const dev_record *r = metric_together(g, judged, one.value, &all) ? NULL : one.of;
    if (r) *of = *r;
    if (r && part) of->result = NULL;
    if (part) metric_lead_free(&leading);
    return r;
}

/* A kernel that is launched in several pieces takes as long as all of them; time in which several
 * of them run counts once. */
static bool metric_adds_time(const grade_goal *g, size_t m) {
    return g->kernel && metric_at_most(g) && m < METRICS && !strcmp(metrics[m].name, "kernel_us");
}
double grade_metric_time(const grade_goal *g, const grade_call_log *log, uint64_t with) {
    dev_record *own = malloc((log->count + 1) * sizeof *own);
    grade_call_log of = {.records = own};
    if (!own) return NAN;
    for (size_t k = 0; k < log->count; k++)
        if (grade_launch_counts(g, &log->records[k]) || (log->records[k].kernel_bit & with))
            own[of.count++] = log->records[k];
    double us = metric_busy(&of, ENGINE_DEVICE);
    free(own);
    return us;
}

static metric_status metric_value(const grade_goal *g, size_t m, const grade_call_log *log,
                                  double *value) {
    size_t launches = 0, results = 0;
    sim_counters sum = {0};
    if (m < METRICS && scope[m] != OF_LAUNCH) {
        *value = scope[m] == OF_CALL ? of_call(m, log) : of_whole(m, log);
        return METRIC_OK;
    }
    bool one = metric_of_one(g, m, log);
    if (!one && !g->kernel && !of_instructions(g->name)) add_moves(&sum, log);
    for (size_t k = 0; k < log->count; k++) {
        const dev_record *r = &log->records[k];
        if (!grade_launch_counts(g, r)) continue;
        launches++;
        if (!r->result) continue;
        results++;
        sim_counters_add(&sum, &r->result->counters);
    }
    if (!launches) return METRIC_NO_LAUNCH;
    if (m == METRICS && !results) return METRIC_UNDEFINED;
    if (one) {
        metric_part part = metric_decides(g, m, log);
        if (!part.of) return METRIC_UNDEFINED;
        if (metric_adds_time(g, m)) *value = grade_metric_time(g, log, 0);
        else if (!metric_together(g, log, part.value, value)) *value = part.value;
        return METRIC_OK;
    }
    sim_counter_get(&sum, g->name, value);
    return undefined_ratio(&sum, g->name) ? METRIC_UNDEFINED : METRIC_OK;
}

/* Returns whether work for show could lower the figure of an "at most" goal, as it can lower a
 * mean. Then the figures of all work and of what leads to the outputs must both be low. */
static bool metric_of_both(const grade_goal *g) {
    return (g->relation == GRADE_LE || g->relation == GRADE_LT) && is_ratio(g->name);
}

bool grade_metric_leads(const grade_goal *g) {
    return g->relation == GRADE_GE || g->relation == GRADE_GT || metric_of_both(g);
}

metric_status grade_metric(const grade_goal *g, const grade_call_log *log, double *value) {
    size_t m = metric_find(g->name);
    metric_leading leading;
    *value = 0;
    if (m == METRICS && !grade_metric_known(g->name)) return METRIC_UNKNOWN;
    bool both = metric_of_both(g);
    if (!(both || metric_asks_for_more(g, m)) || !metric_lead(log, &leading))
        return metric_value(g, m, log, value);
    metric_status status = metric_value(g, m, &leading.log, value);
    if (both) {
        double own = *value;
        bool known = status == METRIC_OK;
        status = metric_value(g, m, log, value);
        if (known && status == METRIC_OK) *value = fmax(*value, own);
        metric_lead_free(&leading);
        return status;
    }
    /* there was some, but it led nowhere */
    if (status == METRIC_NO_LAUNCH || status == METRIC_UNDEFINED) {
        *value = 0;
        if (metric_value(g, m, log, &(double){0}) == METRIC_OK) status = METRIC_OK;
    }
    metric_lead_free(&leading);
    return status;
}

double grade_metric_threads(const grade_goal *g, const grade_call_log *log) {
    size_t m = metric_find("grid_threads");
    double sum = 0;
    for (size_t k = 0; k < log->count; k++) {
        const dev_record *r = &log->records[k];
        if (grade_launch_counts(g, r) && !r->idle) sum += of_launch(m, r, true);
    }
    return sum;
}

bool grade_metric_sum(const char *name) {
    return grade_metric_known(name) && metric_find(name) == METRICS && !is_ratio(name);
}

/* ---- all figures of a call ---- */

double *grade_figures(const grade_call_log *log) {
    size_t counters = sim_counter_count(), n = counters + METRICS;
    double *all = malloc(n * sizeof *all);
    sim_counters own = {
        0}; /* of kernels only: copies have no requests, so they would distort ratios */
    for (size_t k = 0; k < log->count; k++)
        if (log->records[k].op == DEV_OP_LAUNCH && log->records[k].result)
            sim_counters_add(&own, &log->records[k].result->counters);
    for (size_t i = 0; all && i < n; i++) {
        const sim_counter_info *info = i < counters ? sim_counter_at(i) : &metrics[i - counters];
        grade_goal goal = {.name = info->name, .relation = GRADE_EQ}; /* of all work */
        all[i] = NAN;
        double v;
        if (i < counters && undefined_ratio(&own, info->name)) continue;
        if (grade_metric(&goal, log, &v) == METRIC_OK) all[i] = v;
    }
    return all;
}

double *grade_figures_copy(const double *figures) {
    size_t bytes = (sim_counter_count() + METRICS) * sizeof *figures;
    double *copy = figures ? malloc(bytes) : NULL;
    return copy ? memcpy(copy, figures, bytes) : NULL;
}

bool grade_figure(const grade_result *r, bool baseline, const char *name, double *v) {
    const double *all = r->figures[baseline];
    size_t counters = sim_counter_count();
    for (size_t i = 0; all && i < counters + METRICS; i++) {
        const sim_counter_info *info = i < counters ? sim_counter_at(i) : &metrics[i - counters];
        if (strcmp(info->name, name) != 0) continue;
        *v = all[i];
        return !isnan(all[i]);
    }
    return false;
}
