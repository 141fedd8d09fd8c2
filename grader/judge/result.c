/* The life of a result: made empty (goal/goals.c), filled by the room run and the judges, freed. It
 * copies what it keeps from the device's log, because the log is freed first. */
#include "grader/judge/metrics.h"
#include "runner/base/buffer.h"
#include "grader/judge/result_fill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/say.h"
#include "grader/grade.h"
#include "words/judge.h"

enum { MAX_FINDINGS = 64, MAX_LINES = 4096 };

const char *grade_verdict_name(grade_verdict v) {
    static const char *const name[] = {"pass", "fail", "error", "ambiguous", "suspect"};
    return name[v];
}

void grade_result_fail(grade_result *r, lib_words message, const char *build_log) {
    r->verdict = GRADE_FAIL;
    r->score = 0;
    lib_message_set(&r->message, message);
    if (build_log) {
        r->build_ok = false;
        free(r->build_log);
        r->build_log = strdup(build_log);
    }
    for (size_t i = 0; i < r->goal_count; i++) {
        r->goals[i].pass = false;
        r->goals[i].points = 0;
        lib_message_set(&r->goals[i].message, build_log ? w_judge_not_judged_no_compile()
                                                        : w_judge_not_judged(&r->message));
    }
}

static void forget_ptx(grade_result *r) {
    for (size_t i = 0; i < r->ptx_count; i++) free(r->ptx[i].rows), free(r->ptx[i].machine);
    free(r->ptx);
    r->ptx = NULL, r->ptx_count = 0;
}

void grade_result_free(grade_result *r) {
    for (size_t i = 0; i < r->case_count; i++) {
        for (size_t p = 0; p < r->cases[i].param_count; p++)
            free((char *)r->cases[i].params[p].name);
        free(r->cases[i].params);
    }
    free(r->cases);
    free(r->goals);
    free(r->build_log);
    free(r->findings);
    free(r->lines);
    free(r->launches);
    free(r->costs);
    forget_ptx(r);
    free(r->ops);
    free(r->figures[0]);
    free(r->figures[1]);
    for (size_t i = 0; i < r->string_count; i++) free(r->strings[i]);
    free(r->strings);
    free(r->output);
    memset(r, 0, sizeof *r);
}

const char *result_string(grade_result *r, const char *s) {
    if (!s || !*s) return "";
    for (size_t i = 0; i < r->string_count; i++)
        if (!strcmp(r->strings[i], s)) return r->strings[i];
    if (!lib_grow_one(&r->strings, r->string_count, sizeof *r->strings)) return "";
    char *copy = strdup(s);
    if (!copy) return "";
    return r->strings[r->string_count++] = copy;
}

lib_word_id grade_hidden_message(bool ungraded) {
    return ungraded ? W_JUDGE_HIDDEN_UNGRADED : W_JUDGE_HIDDEN_FAILED;
}

lib_words grade_result_said(const grade_result *r) {
    return lib_message_any(&r->message) && r->message_hidden
               ? lib_words_of(grade_hidden_message(r->verdict == GRADE_ERROR))
               : lib_message_words(&r->message);
}

bool grade_result_nothing_ran(const grade_result *r) {
    bool nothing = false;
    for (size_t i = 0; i < r->case_count; i++) {
        const grade_case_result *c = &r->cases[i];
        nothing |= !c->pass && c->has_mismatch && c->unwritten && c->wrong == c->total;
    }
    return nothing && !r->finding_count && !r->launch_count;
}

bool grade_finding_forbids(sim_finding_kind k) {
    switch (k) {
    case SIM_FIND_LEAK:        /* untidy, but not wrong: reported, not judged */
    case SIM_FIND_CALL:        /* the program may have expected the error; its outputs will show */
    case SIM_FIND_UNSUPPORTED: /* the device's limitation, not the submission's fault */
        return false;
    default: return true;
    }
}

bool grade_finding_hidden(const grade_result *r, size_t i) {
    bool hidden = false;
    for (size_t k = 0; k < r->case_count; k++) hidden = hidden || r->cases[k].hidden;
    return hidden && i >= r->finding_public;
}

static bool same_site(const sim_finding *a, const sim_finding *b) {
    return a->kind == b->kind && a->line == b->line && a->other_line == b->other_line &&
           a->write == b->write && !strcmp(a->file, b->file) && !strcmp(a->kernel, b->kernel) &&
           !strcmp(a->alloc_name, b->alloc_name) &&
           (a->kind != SIM_FIND_CALL || lib_message_same(&a->said, &b->said));
}

void result_add_findings(grade_result *r, const sim_finding *f, size_t n) {
    for (size_t i = 0; i < n; i++) {
        sim_finding c = f[i];
        c.kernel = result_string(r, c.kernel);
        c.file = result_string(r, c.file);
        c.space = result_string(r, c.space);
        c.alloc_name = result_string(r, c.alloc_name);
        c.other_file = result_string(r, c.other_file);
        size_t k = 0;
        while (k < r->finding_count && !same_site(&r->findings[k], &c)) k++;
        if (k < r->finding_count) {
            r->findings[k].count += c.count;
            r->findings[k].across |= c.across;
            continue;
        }
        if (r->finding_count == MAX_FINDINGS) return;
        if (!lib_grow_one(&r->findings, r->finding_count, sizeof *r->findings)) return;
        r->findings[r->finding_count++] = c;
    }
}

static void add_line(grade_result *r, const sim_line *l) {
    const char *file = result_string(r, l->file);
    for (size_t i = 0; i < r->line_count; i++)
        if (r->lines[i].line == l->line && r->lines[i].file == file) {
            sim_counters_add(&r->lines[i].counters, &l->counters);
            for (unsigned k = 0; k < SIM_STALL_COUNT; k++)
                r->lines[i].stall_us[k] += l->stall_us[k];
            return;
        }
    if (r->line_count == MAX_LINES) return;
    if (!lib_resize(&r->lines, r->line_count + 1, sizeof *r->lines)) return;
    r->lines[r->line_count] = *l;
    r->lines[r->line_count++].file = file;
}

static int line_order(const void *a, const void *b) {
    const sim_line *x = a, *y = b;
    int c = strcmp(x->file, y->file);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

static void add_launch(grade_result *r, const dev_record *d) {
    if (r->launch_count == GRADE_LAUNCHES) return;
    if (!r->launches) r->launches = calloc(GRADE_LAUNCHES, sizeof *r->launches);
    if (!r->launches) return;
    grade_launch *l = &r->launches[r->launch_count++];
    lib_say(l->kernel, sizeof l->kernel, "%s", d->kernel ? d->kernel : "");
    memcpy(l->grid, d->grid, sizeof l->grid);
    memcpy(l->block, d->block, sizeof l->block);
    l->registers = d->info ? d->info->registers : 0;
    l->shared = (d->info ? d->info->static_shared : 0) + d->dynamic_shared;
    l->time_us = d->end_us - d->start_us;
    if (!d->result) return;
    l->occupancy = d->result->occupancy;
    l->occupancy.limiter = result_string(r, l->occupancy.limiter);
    l->achieved_occupancy_pct = d->result->achieved_occupancy_pct;
    lib_say(l->limiter, sizeof l->limiter, "%s", d->result->limiter ? d->result->limiter : "");
    l->by_machine_code = d->result->by_machine_code;
    if (d->result->machine_refusal) l->by_counters_why = *d->result->machine_refusal;
}

void result_set_ops(grade_result *r, const dev_record *records, size_t n) {
    r->op_count = r->op_total = 0;
    if (!r->ops) r->ops = calloc(GRADE_OPS, sizeof *r->ops);
    for (size_t i = 0; r->ops && i < n; i++) {
        const dev_record *d = &records[i];
        bool work = d->op <= DEV_OP_MEMSET;
        if (!work || d->end_us <= d->start_us) continue;
        r->op_total++;
        if (r->op_count == GRADE_OPS) continue;
        grade_op *o = &r->ops[r->op_count++];
        *o = (grade_op){d->op, d->stream, d->start_us, d->end_us, ""};
        if (d->kernel)
            lib_say(o->kernel, sizeof o->kernel, "%.*s", (int)strcspn(d->kernel, "("), d->kernel);
    }
}

/* Finds the launch with the what-if answers for launch i: itself, or the one that it repeats. */
static const dev_record *asked_of(const dev_record *records, size_t i) {
    for (size_t k = i + 1; k--;) {
        const dev_record *d = &records[k];
        if (d->op != DEV_OP_LAUNCH || !d->result || !d->result->what_if || !d->kernel ||
            !records[i].kernel || strcmp(d->kernel, records[i].kernel) != 0)
            continue;
        if (!memcmp(d->grid, records[i].grid, sizeof d->grid) &&
            !memcmp(d->block, records[i].block, sizeof d->block))
            return d;
    }
    return NULL;
}

static void add_costs(grade_result *r, const dev_record *records, size_t i) {
    const dev_record *asked = asked_of(records, i);
    double us = records[i].result ? records[i].result->time_us : 0;
    if (!asked || us <= 0 || asked->result->time_us <= 0) return;
    if (!r->costs) r->costs = calloc(SIM_COST_COUNT, sizeof *r->costs);
    if (!r->costs) return;
    r->costs_us += us;
    const sim_result *s = asked->result;
    for (unsigned k = 0; k < SIM_COST_COUNT; k++) {
        grade_cost *c = &r->costs[k];
        const sim_what_if *w = &s->what_if[k];
        double saves = us * (1 - w->time_us / s->time_us);
        c->saves_us += saves;
        if (saves <= c->most_us) continue;
        c->most_us = saves;
        c->line_count = 0;
        for (unsigned x = 0; x < w->line_count && w->line[x] < s->line_count; x++) {
            c->file[x] = result_string(r, s->lines[w->line[x]].file);
            c->line[x] = s->lines[w->line[x]].line;
            c->part[x] = (double)w->part[x];
            c->line_count++;
        }
    }
}

/* Of launches that were not executed as machine code it has nothing. */
static void add_counts(grade_kernel_ptx *k, const sim_result *s) {
    if (s->machine_refusal) k->machine_why = *s->machine_refusal;
    if (!s->machine) return;
    if (k->machine) {
        sim_machine_counts_add(k->machine, k->machine_count, s->machine, s->machine_count);
        return;
    }
    k->machine = calloc(s->machine_count + 1, sizeof *k->machine);
    if (!k->machine) return;
    k->machine_count = s->machine_count;
    memcpy(k->machine, s->machine, s->machine_count * sizeof *k->machine);
}

/* All launches of a kernel have the same rows in the same order. */
static void add_ptx(grade_result *r, const dev_record *d) {
    const sim_result *s = d->result;
    if (!s->ptx || !d->info) return;
    grade_kernel_ptx *k = NULL;
    for (size_t i = 0; i < r->ptx_count && !k; i++)
        if (!strcmp(r->ptx[i].name, d->info->name) && r->ptx[i].count == s->ptx_count)
            k = &r->ptx[i];
    for (size_t i = 0; k && i < k->count; i++) {
        k->rows[i].warps += s->ptx[i].warps;
        k->rows[i].lanes += s->ptx[i].lanes;
    }
    if (k) add_counts(k, s);
    if (k || r->ptx_count == GRADE_KERNELS) return;
    if (!r->ptx) r->ptx = calloc(GRADE_KERNELS, sizeof *r->ptx);
    sim_ptx_count *rows = r->ptx ? calloc(s->ptx_count + 1, sizeof *rows) : NULL;
    if (!rows) return;
    for (size_t i = 0; i < s->ptx_count; i++) {
        rows[i] = s->ptx[i];
        rows[i].file = result_string(r, s->ptx[i].file);
    }
    k = &r->ptx[r->ptx_count++];
    *k = (grade_kernel_ptx){.kernel = result_string(r, d->kernel),
                            .name = result_string(r, d->info->name),
                            .rows = rows,
                            .count = s->ptx_count};
    add_counts(k, s);
}

void result_set_launches(grade_result *r, const dev_record *records, size_t n) {
    memset(&r->counters, 0, sizeof r->counters);
    r->line_count = r->launch_count = 0;
    free(r->costs);
    r->costs = NULL, r->costs_us = 0;
    forget_ptx(r);
    for (size_t i = 0; i < n; i++) {
        if (records[i].op != DEV_OP_LAUNCH) continue;
        add_launch(r, &records[i]);
        add_costs(r, records, i);
        const sim_result *s = records[i].result;
        if (!s) continue;
        sim_counters_add(&r->counters, &s->counters);
        add_ptx(r, &records[i]);
        for (size_t k = 0; k < s->line_count; k++) add_line(r, &s->lines[k]);
    }
    if (r->line_count) qsort(r->lines, r->line_count, sizeof *r->lines, line_order);
}

void result_explain(grade_result *r, const grade_result *by) {
    SAY(r->counters_from, "%s", by->device);
    r->counters = by->counters;
    r->baseline_counters = by->baseline_counters;
    r->modelled_us = by->time_us;
    r->modelled_speedup = by->speedup;
    r->floor_us = by->floor_us;
    for (int i = 0; i < 2; i++) {
        free(r->figures[i]);
        r->figures[i] = grade_figures_copy(by->figures[i]);
    }
    result_add_findings(r, by->findings, by->finding_count);
    sim_line *lines = calloc(by->line_count + 1, sizeof *lines);
    if (lines) {
        free(r->lines);
        r->lines = lines;
        r->line_count = by->line_count;
        for (size_t i = 0; i < by->line_count; i++) {
            lines[i] = by->lines[i];
            lines[i].file = result_string(r, by->lines[i].file);
        }
    }
    free(r->costs);
    r->costs = by->costs ? malloc(SIM_COST_COUNT * sizeof *r->costs) : NULL;
    r->costs_us = by->costs_us;
    for (unsigned k = 0; r->costs && k < SIM_COST_COUNT; k++) {
        r->costs[k] = by->costs[k];
        for (unsigned x = 0; x < r->costs[k].line_count; x++)
            r->costs[k].file[x] = result_string(r, by->costs[k].file[x]);
    }
    /* Take occupancy and limiter of each launch, but keep the measured time. */
    if (r->launch_count != by->launch_count) return;
    for (size_t i = 0; i < r->launch_count; i++) {
        grade_launch *l = &r->launches[i];
        l->achieved_occupancy_pct = by->launches[i].achieved_occupancy_pct;
        memcpy(l->limiter, by->launches[i].limiter, sizeof l->limiter);
    }
}
