/* Grading at the prompt.
 *
 *   check    the whole lab --grading_run--> grade_result --> cases, goals, findings on the screen
 *   run      the lab's public cases */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/say.h"
#include "runner/base/sha256.h"
#include "runner/lesson/quiz.h"
#include "runner/repl/draw.h"
#include "runner/repl/prompt.h"
#include "runner/repl/steps.h"
#include "grader/figure.h"
#include "grader/goal/goal.h"
#include "words/repl.h"

enum {
    SOURCE_BYTES = 1 << 20,
    FINDINGS = 3,
    OUTPUT_LINES = 10,
    LOG_LINES = 24,
    WARNING_LINES = 12
};

/* ---- results ---- */

/* As `debug --case` and a lesson write them: without separators. */
static void put_params(const grade_case_result *c, char *out, size_t n) {
    out[0] = 0;
    for (size_t i = 0; i < c->param_count; i++) {
        size_t used = strlen(out);
        snprintf(out + used, n - used, "%s%s = %.15g", i ? ", " : "", c->params[i].name,
                 c->params[i].value);
    }
}

/* Prints the map of wrong outputs, in more rows on a narrow terminal. */
static void put_map(repl *r, const char *map) {
    size_t n = strlen(map), room = r->out.width > 37 ? (size_t)r->out.width - 5 : 32;
    size_t row = n <= room ? n : 32;
    for (size_t at = 0; at < n; at += row)
        text_put(&r->out, TEXT_DIM, "   %c%.*s%s\n", at ? ' ' : '[', (int)row, map + at,
                 at + row >= n ? "]" : "");
}

/* told: the findings above have told what went wrong; key: the map's signs are explained. */
static void put_case(repl *r, const grade_case_result *c, bool told, bool key) {
    char params[200], found[96];
    put_params(c, params, sizeof params);
    text_put(&r->out, c->pass ? TEXT_GOOD : TEXT_BAD, "%s ", c->pass ? ":)" : ":(");
    if (c->hidden) text_put(&r->out, TEXT_PLAIN, "%s\n", lib_word(r->lang, W_REPL_CASE_HIDDEN));
    else {
        text_put_words(&r->out, TEXT_PLAIN, r->lang, w_repl_case_ok(params));
        text_put(&r->out, TEXT_PLAIN, "\n");
    }
    if (c->pass) return;
    if (c->has_mismatch) {
        SAY(found, "%s%s", c->actual_text,
            c->unwritten ? lib_word(r->lang, W_REPL_NEVER_WRITTEN) : "");
        text_words(&r->out, TEXT_PLAIN, 3, r->lang,
                   w_repl_mismatch(c->mismatch_arg ? c->mismatch_arg : "",
                                   (unsigned long long)c->index, c->expected_text, found,
                                   (unsigned long long)c->wrong, (unsigned long long)c->total));
        if (c->picture[0]) {
            put_map(r, c->picture);
            if (key) text_line(&r->out, TEXT_DIM, 3, "%s", lib_word(r->lang, W_REPL_MISMATCH_KEY));
        }
    } else if (!told) {
        text_words(&r->out, TEXT_PLAIN, 3, r->lang, lib_message_words(&c->message));
    }
}

static void put_refused(repl *r, const grade_result *g) {
    if (grade_result_nothing_ran(g))
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_LAUNCH_REFUSED));
}

/* Prints a line of source in one row. Text that does not fit is cut, because wrapped code is
 * misleading. */
static void put_code(repl *r, unsigned line, const char *s, size_t n) {
    enum { BEFORE = 11 }; /* columns */
    int room = r->out.width - BEFORE;
    bool cut = text_width_n(s, n) > room;
    if (cut) {
        char *own = lib_format("%.*s", (int)n, s);
        n = text_fit(own, room - 4);
        free(own);
    }
    text_put(&r->out, TEXT_CODE, "    %4u | %.*s%s\n", line, (int)n, s, cut ? " ..." : "");
}

/* by: the command that lists them all. */
static void put_findings(repl *r, const grade_result *g, const char *by, bool all) {
    size_t shown = all ? g->finding_count : FINDINGS;
    if (!g->finding_count) return;
    text_line(&r->out, TEXT_BAD, 0, "%s", lib_word(r->lang, W_REPL_FINDINGS));
    size_t first = measured_first_finding(g);
    for (size_t k = 0; k < g->finding_count && k < shown; k++) {
        size_t i = !k ? first : k <= first ? k - 1 : k; /* the first, then the others */
        char *text = grade_finding_text(&g->findings[i], r->lang);
        text_put(&r->out, TEXT_PLAIN, "  - ");
        text_hang(&r->out, TEXT_PLAIN, 4, "%s", text);
        free(text);
        /* The line itself, if it is in the student's file. */
        if (!g->findings[i].line) continue;
        lib_message msg;
        size_t n;
        char *source = lib_read_file(r->file, SOURCE_BYTES, &n, &msg);
        const char *s = source;
        for (unsigned at = 1; s && at < g->findings[i].line; at++) {
            s = strchr(s, '\n');
            if (s) s++;
        }
        if (s) {
            s += strspn(s, " \t");
            put_code(r, g->findings[i].line, s, strcspn(s, "\n"));
        }
        free(source);
    }
    if (g->finding_count > shown) {
        text_put(&r->out, TEXT_DIM, "  ");
        text_put_words(&r->out, TEXT_DIM, r->lang,
                       w_repl_findings_more((long long)(g->finding_count - shown), by));
        text_put(&r->out, TEXT_DIM, "\n");
    }
}

/* Prints what ended the program before outputs could be compared. Returns false if there is nothing
 * to print. */
static bool put_end(repl *r, const grade_result *g) {
    if (!g->build_ok) {
        text_line(&r->out, TEXT_BAD, 0, "%s", lib_word(r->lang, W_REPL_BUILD_FAILED));
        if (g->build_log) text_raw(&r->out, g->build_log, strlen(g->build_log), 2, LOG_LINES);
        if (g->build_blame)
            text_words(&r->out, TEXT_BAD, 0, r->lang, lib_message_words(&g->message));
        return true;
    }
    bool ended = g->verdict == GRADE_ERROR || g->verdict == GRADE_SUSPECT;
    if (ended || lib_message_any(&g->message))
        text_words(&r->out, TEXT_BAD, 0, r->lang,
                   g->verdict == GRADE_ERROR     ? w_repl_could_not_grade(&g->message)
                   : g->verdict == GRADE_SUSPECT ? w_repl_verdict_suspect(&g->message)
                                                 : lib_message_words(&g->message));
    return ended;
}

static void put_output(repl *r, const grade_result *g) {
    if (!g->output || !g->output_len) return;
    text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_PRINTED));
    text_raw(&r->out, g->output, g->output_len, 2, OUTPUT_LINES);
    if (g->output_cut)
        text_words(&r->out, TEXT_DIM, 2, r->lang, w_repl_printed_cut(g->output_len / 1024));
}

/* Prints the compiler's warnings about a file that it accepted. */
static void put_warnings(repl *r, const grade_result *g) {
    if (!g->build_ok || !g->build_log || !strstr(g->build_log, "warning")) return;
    text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_BUILD_WARNS));
    /* Host and device code are compiled separately, and each compiler prints the same warnings. */
    const char *log = g->build_log, *again = NULL;
    size_t n = strlen(log), first = strcspn(log, "\n");
    if (first && log[first]) again = memmem(log + first, n - first, log, first);
    if (again) n = (size_t)(again - log);
    while (n && strchr(" \n", log[n - 1])) n--;
    text_raw(&r->out, log, n, 2, WARNING_LINES);
}

static void put_cases(repl *r, const grade_result *g) {
    size_t good = 0, told = 0;
    for (size_t i = 0; i < g->case_count; i++) good += g->cases[i].pass;
    /* Only the first failure: the student should look at it first. */
    for (size_t i = 0; i < g->case_count && !told; i++)
        if (!g->cases[i].pass) put_case(r, &g->cases[i], g->finding_count > 0, true), told++;
    text_put(&r->out, good == g->case_count && good ? TEXT_GOOD : TEXT_PLAIN,
             good == g->case_count && good ? ":) " : "   ");
    text_put_words(&r->out, TEXT_PLAIN, r->lang, w_repl_cases_ok(good, g->case_count));
    text_put(&r->out, TEXT_PLAIN, "\n");
}

static void put_goals(repl *r, const grade_result *g) {
    for (size_t i = 0; i < g->goal_count; i++) {
        const grade_goal_result *o = &g->goals[i];
        bool correct = grade_goal_correctness(o->goal);
        if (correct && o->pass) continue;
        text_put(&r->out, o->pass ? TEXT_GOOD : TEXT_BAD, "%s ", o->pass ? ":)" : ":(");
        /* The findings are printed above. */
        text_hang_words(&r->out, TEXT_PLAIN, 3, r->lang,
                        correct && g->finding_count ? w_repl_by_luck()
                                                    : lib_message_words(&o->message));
    }
}

static void put_time(repl *r, const grade_result *g) {
    if (g->time_us <= 0 || g->baseline_us <= 0) return;
    char factor[32];
    SAY(factor, "%.3g", g->speedup);
    text_words(&r->out, TEXT_DIM, 0, r->lang,
               !strcmp(factor, "1")
                   ? w_repl_time_same(g->time_us, g->device, g->baseline_us)
                   : w_repl_time_is(g->time_us, g->device, g->baseline_us, g->speedup));
}

/* Returns whether the outputs of all cases are right. */
static bool agrees(const grade_result *g) {
    bool all = g->case_count > 0;
    for (size_t i = 0; i < g->case_count; i++) all &= g->cases[i].pass;
    return all;
}

/* Returns whether they are right, and not only by luck. */
static bool correct(const grade_result *g) {
    return agrees(g) && grade_result_correct(g);
}

/* Prints which questions were answered, and the score. */
static int check_quiz(repl *r) {
    quiz_score q;
    bool first = !r->state.passed;
    for (size_t i = 0; i < r->lab->step_count; i++) {
        const lab_step *s = &r->lab->steps[i];
        if (!lab_step_asks(s)) continue;
        char key[LAB_QUESTION_KEY];
        progress_question a;
        lab_question_key(s, key);
        progress_question_get(r->progress, r->lab->id, key, &a);
        text_put(&r->out,
                 a.first   ? TEXT_GOOD
                 : a.tries ? TEXT_BAD
                           : TEXT_DIM,
                 "%s ",
                 a.first   ? ":)"
                 : a.tries ? ":("
                           : " -");
        text_hang_words(&r->out, TEXT_PLAIN, 3, r->lang,
                        w_repl_quiz_row(i + 1, a.first   ? lib_word(r->lang, W_REPL_QUIZ_FIRST)
                                               : a.right ? lib_word(r->lang, W_REPL_QUIZ_LATER)
                                               : a.tries ? lib_word(r->lang, W_REPL_QUIZ_WRONG)
                                                         : lib_word(r->lang, W_REPL_QUIZ_OPEN)));
    }
    quiz_count(r->lab, r->progress, &q);
    progress_lab *p = &r->state;
    p->checks++;
    if (q.score > p->best_score) p->best_score = q.score;
    p->max_score = q.points;
    p->passed |= q.passed;
    progress_put(r->progress, p);
    text_words(&r->out, q.passed ? TEXT_GOOD : TEXT_WARN, 0, r->lang,
               q.passed ? w_repl_verdict_pass(q.score, q.points)
                        : w_repl_verdict_fail(q.score, q.points));
    if (q.passed && first) repl_passed(r);
    else if (q.answered < q.total)
        text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_QUIZ_GO_ON));
    else if (!q.passed) text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_QUIZ_AGAIN));
    return !q.passed;
}

/* The counters that show how a program changed, and the factor that counts as a change. */
static const char *const rung_counters[] = {"warp_inst",
                                            "gld_sectors",
                                            "gst_sectors",
                                            "shared_ld_requests",
                                            "shared_st_requests",
                                            "shared_ld_conflicts",
                                            "shared_st_conflicts",
                                            "barriers",
                                            "shuffles",
                                            "divergent_branches",
                                            "atom_global_requests",
                                            "atom_shared_requests",
                                            "dram_read",
                                            "inst_div"};
enum { RUNG_COUNTERS = sizeof rung_counters / sizeof *rung_counters, RUNG_SHOWN = 3 };
static const double rung_change = 1.1;

static void rung_count(const grade_result *g, progress_rung *w) {
    size_t n = 0;
    for (size_t i = 0; i < RUNG_COUNTERS; i++) {
        double v = 0;
        char one[64];
        sim_counter_get(&g->counters, rung_counters[i], &v);
        snprintf(one, sizeof one, "%s%s=%.0f", n ? " " : "", rung_counters[i], v);
        if (n + strlen(one) < sizeof w->counters)
            n += (size_t)snprintf(w->counters + n, sizeof w->counters - n, "%s", one);
    }
}

/* Returns false if the rung lacks the counter. */
static bool rung_value(const progress_rung *w, const char *name, double *v) {
    size_t n = strlen(name);
    for (const char *p = w->counters; p && *p; p = strchr(p, ' '), p += p != NULL)
        if (!strncmp(p, name, n) && p[n] == '=') {
            *v = strtod(p + n + 1, NULL);
            return true;
        }
    return false;
}

/* Returns the factor of the change, in either direction: 1 is no change. */
static double rung_factor(double was, double is) {
    if (!(was > 0) || !(is > 0)) return was > 0 || is > 0 ? INFINITY : 1;
    return was > is ? was / is : is / was;
}

/* Prints the counters that changed most. */
static void put_changed(repl *r, const progress_rung *before, const progress_rung *w) {
    double most[RUNG_SHOWN] = {0};
    size_t at[RUNG_SHOWN], n = 0;
    for (size_t i = 0; i < RUNG_COUNTERS; i++) {
        double was, is;
        if (!rung_value(before, rung_counters[i], &was) || !rung_value(w, rung_counters[i], &is))
            continue;
        double f = rung_factor(was, is);
        if (f < rung_change) continue;
        size_t k = n < RUNG_SHOWN ? n++ : RUNG_SHOWN - 1;
        if (n == RUNG_SHOWN && k == RUNG_SHOWN - 1 && most[k] >= f && most[k] > 0) continue;
        for (; k && most[k - 1] < f; k--) most[k] = most[k - 1], at[k] = at[k - 1];
        most[k] = f, at[k] = i;
    }
    for (size_t k = 0; k < n; k++) {
        double was = 0, is = 0;
        char a[32], b[32];
        rung_value(before, rung_counters[at[k]], &was), rung_value(w, rung_counters[at[k]], &is);
        text_put(&r->out, TEXT_DIM, "       %-22s %s -> %s\n", rung_counters[at[k]],
                 show_number(a, was), show_number(b, is));
    }
    if (!n && before->counters[0] && w->counters[0])
        text_line(&r->out, TEXT_DIM, 7, "%s", lib_word(r->lang, W_REPL_LADDER_SAME));
}

/* Adds a right version to the student's ladder as a rung. */
static void keep_rung(repl *r, const grade_result *g) {
    lib_message msg;
    size_t n;
    char *text = lib_read_source(r->file, SOURCE_BYTES, &n, &msg);
    progress_rung w = {.time_us = g->time_us, .speedup = g->speedup, .score = g->score};
    const grade_launch *longest = NULL;
    for (size_t i = 0; i < g->launch_count; i++)
        if (!longest || g->launches[i].time_us > longest->time_us) longest = &g->launches[i];
    if (!text || !longest || g->time_us <= 0) {
        free(text);
        return;
    }
    lib_sha256 h;
    lib_sha256_init(&h);
    lib_sha256_add(&h, text, n);
    lib_sha256_end_hex(&h, w.text);
    snprintf(w.device, sizeof w.device, "%s", g->device);
    snprintf(w.limiter, sizeof w.limiter, "%s", longest->limiter);
    rung_count(g, &w);
    progress_rung_add(r->progress, r->lab->id, &w);
    free(text);
}

int repl_ladder(repl *r, char *argument) {
    (void)argument;
    progress_rung *v;
    size_t n = progress_rungs(r->progress, r->lab->id, r->device, &v), best = 0;
    if (!n) text_words(&r->out, TEXT_PLAIN, 0, r->lang, w_repl_ladder_none(r->device));
    else {
        text_words(&r->out, TEXT_STRONG, 0, r->lang, w_repl_ladder_head(r->device));
        text_cell(&r->out, TEXT_DIM, -5, "%s", lib_word(r->lang, W_REPL_LADDER_COLUMN_RUNG));
        text_cell(&r->out, TEXT_DIM, -13, "%s", lib_word(r->lang, W_REPL_LADDER_COLUMN_TIME));
        text_cell(&r->out, TEXT_DIM, -12, "%s", lib_word(r->lang, W_REPL_LADDER_COLUMN_STEP));
        text_cell(&r->out, TEXT_DIM, -14, "%s", lib_word(r->lang, W_REPL_LADDER_COLUMN_SPEEDUP));
        text_put(&r->out, TEXT_DIM, "  %s\n", lib_word(r->lang, W_REPL_LADDER_COLUMN_LIMITER));
    }
    for (size_t i = 1; i < n; i++)
        if (v[i].time_us < v[best].time_us) best = i;
    for (size_t i = 0; i < n; i++) {
        char time[32], step[32] = "-";
        if (i) snprintf(step, sizeof step, "%.2fx", v[i - 1].time_us / v[i].time_us);
        text_put(&r->out, TEXT_PLAIN, "%5zu%13s%12s%13.2fx", i + 1, show_number(time, v[i].time_us),
                 step, v[i].speedup);
        text_put(&r->out, TEXT_PLAIN, "  ");
        text_cell(&r->out, TEXT_PLAIN, 10, "%s", grade_limiter_word(v[i].limiter, r->lang));
        bool narrow = r->out.width < 72;
        text_put(&r->out, TEXT_GOOD, "%s%s\n", i == best && narrow ? "\n     " : "",
                 i == best ? lib_word(r->lang, W_REPL_LADDER_BEST) : "");
        if (i) put_changed(r, &v[i - 1], &v[i]);
    }
    free(v);
    return 0;
}

static void record(repl *r, const grade_result *g) {
    progress_lab *p = &r->state;
    if (g->verdict == GRADE_ERROR) return;
    p->started = true;
    p->checks++;
    if (g->score > p->best_score || p->max_score <= 0) p->best_score = g->score;
    p->max_score = g->max_score;
    if (g->verdict == GRADE_PASS) {
        p->passed = true;
        if (g->speedup > p->best_speedup) p->best_speedup = g->speedup;
    }
    progress_put(r->progress, p);
}

void check_keep(repl *r, const grade_result *g) {
    record(r, g);
    if (r->lab->grade.entry && correct(g)) keep_rung(r, g);
}

/* Prints cases, goals and points. */
static void put_graded(repl *r, const grade_result *g, bool all) {
    if (put_end(r, g)) return;
    put_findings(r, g, "check", all);
    if (r->lab->grade.entry) put_cases(r, g);
    if (!r->lab->grade.entry || agrees(g)) {
        put_goals(r, g);
        put_time(r, g);
    } else {
        put_refused(r, g);
        text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_FROWN_FIRST));
    }
    bool pass = g->verdict == GRADE_PASS;
    if (g->verdict == GRADE_AMBIGUOUS)
        text_line(&r->out, TEXT_WARN, 0, "%s", lib_word(r->lang, W_REPL_VERDICT_AMBIGUOUS));
    else
        text_words(&r->out, pass ? TEXT_GOOD : TEXT_WARN, 0, r->lang,
                   pass ? w_repl_verdict_pass(g->score, g->max_score)
                        : w_repl_verdict_fail(g->score, g->max_score));
}

static void say_file_gone(repl *r) {
    text_words(&r->out, TEXT_WARN, 0, r->lang, w_repl_file_gone(r->file));
}

int repl_check(repl *r, char *argument) {
    if (r->lab->quiz) return check_quiz(r);
    if (access(r->file, R_OK)) {
        say_file_gone(r);
        return 1;
    }
    bool first = !r->state.passed, kept;
    const grade_result *g = measured_check(r, !strcmp(argument, "again"), &kept);
    if (!g) return 1;
    bool pass = g->verdict == GRADE_PASS;
    if (!kept) check_keep(r, g);
    put_graded(r, g, !strcmp(argument, "all"));
    put_warnings(r, g);
    put_output(r, g);
    if (kept) text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_CHECK_KEPT));
    if (pass && first) repl_passed(r);
    else if (!pass) text_line(&r->out, TEXT_DIM, 0, "%s", lib_word(r->lang, W_REPL_AFTER_FAIL));
    return !pass;
}

int repl_run(repl *r, char *argument) {
    if (access(r->file, R_OK)) {
        say_file_gone(r);
        return 1;
    }
    /* Only the public cases, and only whether outputs are right. */
    grade_lab narrow = r->lab->grade;
    grade_goal goal = {.kind = GRADE_GOAL_CORRECT, .points = 1};
    narrow.goals = &goal;
    narrow.goal_count = 1;
    narrow.slowest.threshold = 0;
    narrow.range_count = narrow.hidden_cases = 0;
    grading_options o;
    measured_options(r, &o);
    o.shown_as = strrchr(r->file, '/') + 1;
    grade_result g;
    measured_grade(r, &narrow, r->file, &o, &g);
    bool ok = false;
    if (!lib_cancel_flag) {
        if (!put_end(r, &g)) {
            put_findings(r, &g, "run", !strcmp(argument, "all"));
            bool key = true;
            for (size_t i = 0; i < g.case_count; i++) {
                put_case(r, &g.cases[i], g.finding_count > 0, key);
                key &= !g.cases[i].picture[0];
            }
            ok = correct(&g);
            if (ok) put_time(r, &g);
            text_line(&r->out, ok ? TEXT_GOOD : TEXT_WARN, 0, "%s",
                      ok           ? lib_word(r->lang, W_REPL_RUN_AGREES)
                      : agrees(&g) ? lib_word(r->lang, W_REPL_RUN_FOUND)
                                   : lib_word(r->lang, W_REPL_RUN_DIFFERS));
        }
        put_warnings(r, &g);
        put_output(r, &g);
    }
    grade_result_free(&g);
    return !ok;
}
