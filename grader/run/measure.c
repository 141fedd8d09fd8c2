/* Times and counters of the measured calls, and the limits that no device can exceed.
 *
 *   both programs' logs --> run_take_metrics(): values of the goals, figures, launches, times
 *                       --> run_check_floor(), run_check_peaks(): suspect if it is too good */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/say.h"
#include "runner/device/sim/profile.h"
#include "runner/device/server/device.h"
#include "grader/judge/metrics.h"
#include "grader/judge/result_fill.h"
#include "grader/run/run.h"
#include "words/run.h"
#include "words/said.h"

void run_device_peaks(const run *u, grade_evidence *e) {
    const sim_profile *p = dev_session_profile(u->session, 0);
    if (!p) return;
    e->copy_gbs = p->dram_gbs * p->dram_efficiency;
    e->fp32_gflops = p->sms * p->rate_fp32 * 32 * 2 * p->clock_ghz;
}

/* Only bytes that cannot have been in a cache count: the inputs of a run that begins with a cold
 * L2, and the part of the outputs that exceeds the L2. */
void run_check_peaks(run *u, const grade_buffers *b, double time_us) {
    static const double margin = 1.05;
    const sim_profile *p = dev_session_profile(u->session, 0);
    grade_evidence e = {0};
    run_device_peaks(u, &e);
    for (size_t i = 0; p && time_us > 0 && i < u->lab->goal_count; i++) {
        const grade_goal *g = &u->lab->goals[i];
        const goal_bound *bound = grade_goal_bound(g);
        if (!bound) continue;
        double kept = b->out_bytes - (double)p->l2_bytes;
        e.useful_bytes = (u->lab->warm ? 0 : b->in_bytes) + (kept > 0 ? kept : 0);
        e.useful_flops = u->useful_flops;
        double share = grade_goal_share(g, &e, time_us);
        if (share <= margin) continue;
        run_suspect(u, w_run_over_peak(100 * share, bound->called));
    }
}

/* A lower bound for any schedule: the longest launch, or what the call's launches, copies and
 * memsets together ask of one unit (memory, a direction of the link, each unit of SIM_UNIT_MAP),
 * whichever is longer. */
static double floor_of(const sim_profile *p, const grade_call_log *log) {
    enum { LONGEST, DRAM, FP32, IN, OUT, LINK, OTHERS, UNITS = OTHERS + SIM_UNIT_COUNT };
    double us[UNITS] = {0}, most = 0;
    for (size_t i = 0; i < log->count; i++) {
        const dev_record *r = &log->records[i];
        if (r->result) {
            if (r->result->time_floor_us > us[LONGEST]) us[LONGEST] = r->result->time_floor_us;
            us[DRAM] += r->result->dram_floor_us;
            us[FP32] += r->result->fp32_floor_us;
            for (unsigned k = 0; k < SIM_UNIT_COUNT; k++)
                us[OTHERS + k] += r->result->busy[k] * r->result->time_us;
        }
        if (!p) continue;
        if (r->result) /* at best both directions at once */
            us[LINK] += r->result->link_bytes / (1e3 * (p->h2d_pinned_gbs + p->d2h_pinned_gbs));
        us[DRAM] += (double)(r->read_sectors + r->write_sectors) * 32 / (1e3 * p->dram_gbs);
        if (r->op == DEV_OP_H2D) us[IN] += (double)r->bytes / (1e3 * p->h2d_pinned_gbs);
        if (r->op == DEV_OP_D2H) us[OUT] += (double)r->bytes / (1e3 * p->d2h_pinned_gbs);
    }
    for (unsigned k = 0; k < UNITS; k++)
        if (us[k] > most) most = us[k];
    return most;
}

void run_check_floor(run *u, const grade_call_log *log, double time_us) {
    double one = floor_of(dev_session_profile(u->session, 0), log);
    if (one > 0) u->r->floor_us = one;
    /* from the run of the same submission on the simulated device */
    else if (u->o->explained) one = u->o->explained->floor_us;
    if (!(one > 0) || time_us >= 0.95 * one) return;
    run_suspect(u, w_run_below_floor(time_us, one));
}

/* What makes the time of a launch doubtful: its blocks differ from those sampled, or it is timed by
 * its counters although machine code was asked for. The counters give the least time that they
 * allow. */
typedef bool doubt(const sim_result *r);
static bool is_unlike(const sim_result *r) {
    return r->unlike > 0.25;
}
static bool is_by_counters(const sim_result *r) {
    return r->machine_refusal != NULL;
}

/* Returns a launch for which there is the doubt, if all such launches take at least a tenth of
 * `all`, or of their own time (all: 0); otherwise NULL. kernel: only launches of this kernel; NULL:
 * of every kernel. */
static const sim_result *doubtful(const grade_call_log *log, doubt *is, const char *kernel,
                                  double all) {
    const double part = 0.1;
    const grade_goal named = {.kernel = kernel};
    const sim_result *one = NULL;
    double us = 0, own = 0;
    for (size_t i = 0; i < log->count; i++) {
        const sim_result *r = log->records[i].result;
        if (!r || !grade_launch_counts(&named, &log->records[i])) continue;
        own += r->time_us;
        if (is(r)) us += r->time_us, one = r;
    }
    return us > part * (all > 0 ? all : own) ? one : NULL;
}

/* A goal on the time of one kernel does not ask how much of the call it takes. */
static const sim_result *doubtful_for_goal(const run *u, const grade_call_log *log, doubt *is) {
    const sim_result *one = NULL;
    for (size_t i = 0; !one && i < u->lab->goal_count; i++) {
        const grade_goal *g = &u->lab->goals[i];
        if (!grade_goal_counted(g) || !g->kernel || strcmp(g->name, "kernel_us") != 0) continue;
        one = doubtful(log, is, g->kernel, 0);
        if (!one && g->than) one = doubtful(log, is, g->than, 0);
    }
    return one;
}

bool run_is_unlike(const run *u) {
    grade_call_log log = run_call_log(&u->student);
    return doubtful(&log, is_unlike, NULL, log.busy_us) || doubtful_for_goal(u, &log, is_unlike);
}

/* A goal without points, such as `slowest`, only finds what is far slower. */
static bool asks_for_time(const grade_lab *lab) {
    for (size_t i = 0; i < lab->goal_count; i++) {
        const grade_goal *g = &lab->goals[i];
        if (g->points > 0 &&
            (grade_goal_timed(g) || (grade_goal_counted(g) && strcmp(g->name, "kernel_us") == 0)))
            return true;
    }
    return false;
}

void run_check_doubts(run *u) {
    grade_call_log log = run_call_log(&u->student), base = run_call_log(&u->baseline);
    bool fast = u->r->time_us < u->r->baseline_us;
    if (doubtful_for_goal(u, &log, is_unlike) ||
        (fast && doubtful(&log, is_unlike, NULL, log.busy_us)))
        run_suspect(u, w_run_blocks_unlike());
    if (!asks_for_time(u->lab)) return;
    const sim_result *one = doubtful(&base, is_by_counters, NULL, base.busy_us);
    if (one) {
        run_infra(u, w_run_baseline_by_counters(one->machine_refusal));
        return;
    }
    one = doubtful_for_goal(u, &log, is_by_counters);
    if (!one && fast) one = doubtful(&log, is_by_counters, NULL, log.busy_us);
    if (one) run_suspect(u, w_run_by_counters(one->machine_refusal));
}

static double kernels_us(const grade_call_log *log) {
    double us = 0;
    for (size_t i = 0; i < log->count; i++)
        if (log->records[i].op == DEV_OP_LAUNCH && log->records[i].result)
            us += log->records[i].result->time_us;
    return us;
}

static void say_dim3(char to[40], const unsigned v[3]) {
    if (v[1] == 1 && v[2] == 1) lib_say(to, 40, "%u", v[0]);
    else lib_say(to, 40, "(%u, %u, %u)", v[0], v[1], v[2]);
}

/* If the call has several launches, notes which of them has the value. */
static void name_launch(grade_metric_value *v, const grade_goal *g, const grade_call_log *log) {
    dev_record r;
    bool one = grade_metric_launch(g, log, &r);
    char grid[40], block[40];
    size_t launches = 0;
    for (size_t i = 0; i < log->count; i++) launches += log->records[i].op == DEV_OP_LAUNCH;
    v->launch[0] = 0;
    if (!one || launches < 2 || !r.kernel) return;
    say_dim3(grid, r.grid), say_dim3(block, r.block);
    SAY(v->launch, "%.60s<<<%s, %s>>>", r.kernel, grid, block);
}

/* The launches took `us` in another run. This time counts if it is much longer than the measured
 * one. */
static void take_time(run *u, double us) {
    /* The change of time that other inputs and other addresses can cause in an honest kernel. */
    const double much = 1.25, little_us = 2;
    grade_result *r = u->r;
    if (us <= much * u->kernels_us + little_us) return;
    r->time_us += us - u->kernels_us;
    r->speedup = r->time_us > 0 ? r->baseline_us / r->time_us : 0;
}

static bool is_worse(const grade_goal *g, double value, double than) {
    return g->relation == GRADE_GE || g->relation == GRADE_GT ? value < than : value > than;
}

void run_keep_call(run *u) {
    memcpy(u->call, u->mine, u->lab->goal_count * sizeof *u->call);
    u->call_us = run_is_unlike(u) ? 0 : u->kernels_us;
}

/* How long the threads of a new process take to start moves what the first call overlaps. */
static bool of_timeline(const char *name) {
    const char *unit = grade_metric_unit(name);
    return !strcmp(unit, "us") || !strcmp(unit, "kernels") || !strcmp(name, "overlap_pct");
}

void run_take_call(run *u) {
    for (size_t i = 0; i < u->lab->goal_count; i++) {
        const grade_goal *g = &u->lab->goals[i];
        if (!grade_goal_counted(g) || u->o->explained ||
            (grade_metric_of_call(g->name) && (u->replay || of_timeline(g->name))) ||
            u->mine[i].status != METRIC_OK || u->call[i].status != METRIC_OK ||
            g->relation == GRADE_EQ || g->than || !is_worse(g, u->call[i].value, u->mine[i].value))
            continue;
        u->mine[i] = u->call[i];
    }
    take_time(u, u->call_us);
}

void run_take_proof(run *u) {
    const dev_record *launches;
    size_t n = dev_client_proof(u->student.client, &launches);
    grade_call_log call = run_call_log(&u->student), log = {0};
    /* The call's copies, allocations and waits, with the launches of the proof. */
    dev_record *all = malloc((call.count + n + 1) * sizeof *all);
    if (!all) {
        run_infra(u, w_said_out_of_memory());
        return;
    }
    for (size_t i = 0; i < call.count; i++)
        if (call.records[i].op != DEV_OP_LAUNCH) all[log.count++] = call.records[i];
    if (n) memcpy(all + log.count, launches, n * sizeof *all);
    log.count += n;
    log.records = all;
    log.out_bytes = u->out_bytes;
    for (size_t i = 0; i < u->lab->goal_count; i++) {
        const grade_goal *g = &u->lab->goals[i];
        double *value = &u->mine[i].value, proof;
        if (!grade_goal_counted(g) || u->o->explained || u->mine[i].status != METRIC_OK ||
            grade_metric_of_call(g->name) || grade_metric(g, &log, &proof) != METRIC_OK)
            continue;
        if (g->relation != GRADE_EQ && !is_worse(g, proof, *value)) continue;
        *value = proof;
        name_launch(&u->mine[i], g, &log);
    }
    double us = kernels_us(&log);
    free(all);
    take_time(u, us);
}

/* Returns the share of the launch's work that leads to what it stored, taken from the unit where
 * this share is smallest; *inst: the share of its instructions. Negative: unknown. */
static double leading_part(const grade_goal *g, const grade_call_log *log, double *inst) {
    dev_record r;
    double part = *inst = -1;
    if (!grade_metric_launch(g, log, &r) || !r.result || !r.leading) return part;
    const sim_counters *all = &r.result->counters, *leads = &r.leading->counters;
#define UNIT(name)                                                                                 \
    { (double)leads->name, (double)all->name }
    const double units[][2] = {UNIT(warp_inst),
                               UNIT(gld_sectors),
                               UNIT(gst_sectors),
                               UNIT(tex_sectors),
                               UNIT(shared_ld_wavefronts),
                               UNIT(shared_st_wavefronts),
                               UNIT(inst_sfu),
                               UNIT(inst_fp64),
                               UNIT(atom_global_sectors)};
#undef UNIT
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        double of = units[k][1] > 0 ? units[k][0] / units[k][1] : 1;
        if (!k) *inst = of;
        if (part < 0 || of < part) part = of;
    }
    return part;
}

/* A kernel with which another is compared must not be slow by useless work. Its time counts only
 * for the share of its work that leads to something, relative to the same share of the other
 * kernel. Checks that always hold lead to nothing, and a small kernel has many: a tenth is
 * allowed. */
static void weigh_measure(const grade_goal *g, const grade_goal *measure, const grade_call_log *log,
                          grade_metric_value *base) {
    const double little = 0.9, most = 0.5;
    bool less = g->relation == GRADE_LE || g->relation == GRADE_LT;
    double inst, other, part = leading_part(measure, log, &inst),
                        than = leading_part(g, log, &other);
    base->part = 0;
    if (!less || strcmp(g->name, "kernel_us") != 0 || part < 0) return;
    if (inst < most) base->status = METRIC_FOR_SHOW;
    else if (than > 0 && part < little * than) base->part = part / than;
    if (base->part > 0) base->value *= base->part;
}

/* Returns the time of the goal's launches one after the other, if nothing else ran and no managed
 * memory moved; NaN: unknown. */
static double alone_us(const grade_goal *g, const grade_call_log *log) {
    double sum = 0;
    for (size_t i = 0; i < log->count; i++) {
        const dev_record *r = &log->records[i];
        if (!grade_launch_counts(g, r)) continue;
        sum += r->alone_us > 0 ? r->alone_us : NAN;
    }
    return sum;
}

/* Work that only the goal's kernel needs, and not the kernel with which it is compared, belongs to
 * the goal's kernel, whatever the kernel is called that does it. */
static void add_feeders(const grade_goal *g, const grade_goal *measure, const grade_call_log *log,
                        grade_metric_value *mine) {
    uint64_t mine_fed = 0, other = 0;
    if (mine->status != METRIC_OK || strcmp(g->name, "kernel_us") != 0) return;
    for (size_t i = 0; i < log->count; i++) {
        const dev_record *r = &log->records[i];
        if (grade_launch_counts(measure, r)) other |= r->kernel_bit | r->fed_by;
        if (grade_launch_counts(g, r)) mine_fed |= r->fed_by;
    }
    double us = grade_metric_time(g, log, mine_fed & ~other);
    if (us > mine->value) mine->value = us;
}

/* The kernel with which another is compared: its launches that lead to nothing add no time, nor
 * does what makes the same kernel slower than it is alone. */
static metric_status take_measure(const grade_goal *g, const grade_call_log *log, double *value) {
    dev_record *some = malloc((log->count + 1) * sizeof *some);
    grade_call_log leads = *log;
    if (!some) return METRIC_UNDEFINED;
    leads.records = some, leads.count = 0;
    for (size_t i = 0; i < log->count; i++)
        if (!log->records[i].idle) some[leads.count++] = log->records[i];
    metric_status status = grade_metric(g, &leads, value);
    if (status == METRIC_NO_LAUNCH) status = grade_metric(g, log, value);
    if (status == METRIC_OK && !strcmp(g->name, "kernel_us"))
        *value = fmin(*value, alone_us(g, &leads)); /* fmin() leaves out NaN */
    free(some);
    return status;
}

/* Returns whether a launch of the goal's kernel has read what the kernel stored with which it is
 * compared: then it need not do the work of that kernel. */
static bool fed_by_measure(const grade_goal *g, const grade_goal *measure,
                           const grade_call_log *log) {
    uint64_t other = 0, fed = 0;
    for (size_t i = 0; i < log->count; i++) {
        if (grade_launch_counts(measure, &log->records[i])) other |= log->records[i].kernel_bit;
        if (grade_launch_counts(g, &log->records[i])) fed |= log->records[i].fed_by;
    }
    return g->kernel && (fed & other);
}

/* Returns whether the host gave the goal's kernel much that it did not give the other: then the
 * host may have done a part of the kernel's work. A table of a few coefficients is none. */
static bool helped_by_host(const grade_goal *g, const grade_goal *measure,
                           const grade_call_log *log, const player *p) {
    enum { TABLE = 1024 };
    uint64_t mine = 0, other = 0;
    for (size_t i = 0; i < log->count; i++) {
        const dev_record *r = &log->records[i];
        if (grade_launch_counts(measure, r)) other |= r->kernel_bit;
        if (grade_launch_counts(g, r)) mine |= r->kernel_bit;
    }
    return g->kernel && dev_client_given(p->client, mine, other) > TABLE;
}

/* A goal per thread: sums over the grid are also small if few threads do the work of many in the
 * old way. */
static void weigh_threads(const grade_goal *g, const grade_goal *of_base, grade_metric_value *mine,
                          const grade_call_log *log, const grade_call_log *base) {
    double here = grade_metric_threads(g, log), there = grade_metric_threads(of_base, base);
    mine->fewer = 0;
    if (!grade_goal_per_thread(g) || !(here > 0) || here >= there) return;
    mine->fewer = there / here;
    mine->value *= mine->fewer;
}

/* Notes in the log what only the case's buffers tell. */
static void add_buffers(grade_call_log *log, const grade_lab *lab, const player *p,
                        const grade_buffers *b) {
    dev_bytes *known = calloc(lab->arg_count + 1, sizeof *known);
    size_t n = 0;
    for (size_t i = 0; known && i < lab->arg_count; i++) {
        const grade_buffer *x = &b->buffer[i];
        if (x->arg && x->arg->host && x->in) known[n++] = (dev_bytes){x->in, x->bytes};
    }
    log->out_bytes = b->out_bytes;
    log->computed = known && n ? (double)dev_client_computed(p->client, known, n) : 0;
    log->variables = (double)dev_client_variables(p->client);
    free(known);
}

/* Finds the values of the counted goals, which both programs' logs give. */
static void take_values(const run *u, const grade_call_log *mine, const grade_call_log *base,
                        grade_metric_value *of_mine, grade_metric_value *of_base) {
    for (size_t i = 0; i < u->lab->goal_count; i++) {
        const grade_goal *g = &u->lab->goals[i];
        if (!grade_goal_counted(g) || u->o->explained) continue;
        grade_goal there = *g;
        of_mine[i].status = grade_metric(g, mine, &of_mine[i].value);
        name_launch(&of_mine[i], g, mine);
        if (g->than) { /* compared with another kernel of the submission */
            there.kernel = g->than;
            of_base[i].status = take_measure(&there, mine, &of_base[i].value);
            if (of_base[i].status == METRIC_OK) weigh_measure(g, &there, mine, &of_base[i]);
            if (fed_by_measure(g, &there, mine)) of_base[i].status = METRIC_FED;
            if (helped_by_host(g, &there, mine, &u->student)) of_base[i].status = METRIC_HELPED;
            if (u->unchecked) of_base[i].status = METRIC_UNCHECKED;
            add_feeders(g, &there, mine, &of_mine[i]);
            continue;
        }
        of_base[i].status = grade_metric(&there, base, &of_base[i].value);
        if (of_base[i].status == METRIC_NO_LAUNCH &&
            g->kernel) { /* the baseline's kernel has another name */
            there.kernel = NULL;
            of_base[i].status = grade_metric(&there, base, &of_base[i].value);
        }
        weigh_threads(g, &there, &of_mine[i], mine, base);
    }
}

bool run_take_near(run *u, const grade_buffers *b, bool note) {
    grade_call_log mine = run_call_log(&u->student), base = run_call_log(&u->baseline);
    size_t n = u->lab->goal_count;
    bool any = false;
    if (!dev_session_sim(u->session, 0)) return false; /* a single time is not sure */
    grade_metric_value *values = calloc(2 * n + 1, sizeof *values);
    if (!values) {
        run_infra(u, w_said_out_of_memory());
        return false;
    }
    add_buffers(&mine, u->lab, &u->student, b);
    add_buffers(&base, u->lab, &u->baseline, b);
    take_values(u, &mine, &base, values, values + n);
    double us = run_log_time(u, &mine);
    goal_near near = {.speedup = us > 0 ? run_log_time(u, &base) / us : 0};
    for (size_t i = 0; i < n; i++) {
        near.mine = &values[i], near.base = &values[n + i], near.timed = &u->base[i];
        bool far = grade_goal_far(&u->lab->goals[i], &near);
        any = any || far;
        u->far[i] = u->far[i] || (note && far);
    }
    free(values);
    return any;
}

void run_take_metrics(run *u, const grade_buffers *b) {
    grade_call_log mine = run_call_log(&u->student), base = run_call_log(&u->baseline);
    grade_result *r = u->r;
    u->out_bytes = b->out_bytes;
    add_buffers(&mine, u->lab, &u->student, b);
    add_buffers(&base, u->lab, &u->baseline, b);
    take_values(u, &mine, &base, u->mine, u->base);
    if (!u->o->explained) {
        free(r->figures[0]);
        free(r->figures[1]);
        r->figures[0] = grade_figures(&mine);
        r->figures[1] = grade_figures(&base);
    }
    result_set_launches(r, mine.records, mine.count);
    if (!u->replay) result_set_ops(r, mine.records, mine.count);
    memset(&r->baseline_counters, 0, sizeof r->baseline_counters);
    for (size_t i = 0; i < base.count; i++)
        if (base.records[i].op == DEV_OP_LAUNCH && base.records[i].result)
            sim_counters_add(&r->baseline_counters, &base.records[i].result->counters);
    r->time_us = run_log_time(u, &mine);
    u->kernels_us = kernels_us(&mine);
    r->baseline_us = run_log_time(u, &base);
    r->speedup = r->time_us > 0 ? r->baseline_us / r->time_us : 0;
    u->useful_bytes = b->in_bytes + b->out_bytes;
    u->useful_flops =
        (double)(u->o->explained ? &u->o->explained->baseline_counters : &r->baseline_counters)
            ->flop_sp;
    u->measured = true;
    run_check_floor(u, &mine, r->time_us);
    run_check_peaks(u, b, r->time_us);
}
