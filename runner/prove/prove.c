/* Proves lessons (`warplab check`): runs what an author claims, and compares.
 *
 *   lesson --lab_load--> every field, both languages
 *          prove_text.c: TODO, wide characters, code width, questions, files
 *          on each device: skeleton               -> FAIL
 *                          answer                 -> PASS, with room
 *                          each trap              -> what its first lines say, and its kind
 *                          each measured question -> a number
 *
 * Each claim is one line, "ok LAB WHAT" or "not ok LAB WHAT: why". The lines of a lab stay
 * together. Labs are proved in parallel, one process each (forked before any thread exists),
 * because nvcc takes most of the time and uses one thread per file. */
#include "runner/prove/prove.h"
#include "grader/figure.h"
#include "grader/lab.h"
#include "grader/result.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/clock.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "runner/grade/grading.h"
#include "runner/lesson/measure.h"
#include "runner/prove/prover.h"
#include "grader/goal/goal.h"
#include "words/prove.h"

enum { EXPECTATIONS = 8, TRAPS = 32 };

/* What is wrong with a trap ("// kind: slow"). A lab needs one of each kind except the last. */
typedef enum { KIND_RAGGED, KIND_SLOW, KIND_UNSAFE, KIND_CHEAT, KIND_WRONG, KIND_COUNT } trap_kind;
static const char *const kind_names[KIND_COUNT] = {"ragged", "slow", "unsafe", "cheat", "wrong"};
static const lib_word_id kind_meaning[KIND_COUNT] = {W_PROVE_KIND_RAGGED, W_PROVE_KIND_SLOW,
                                                     W_PROVE_KIND_UNSAFE, W_PROVE_KIND_CHEAT,
                                                     W_PROVE_KIND_WRONG};

/* Stops the proof of this lab: what follows would fail for the same cause, and the author must fix
 * that first. */
static void prove_stop(prover *p, lib_word_id what) {
    p->stopped = true;
    if (lib_cancel_flag) return; /* not the lab's fault */
    fputs("-- ", p->to);
    lib_words_print(p->to, p->o->lang, w_prove_not_tried(p->l->id, what));
    fputc('\n', p->to);
}

/* ---- runs ---- */

/* Returns the number of this check's devices. */
static unsigned prover_devices(const prove_options *o, const char *const **devices) {
    static const char *const usual[] = {"sim:h200", "sim:t4"};
    *devices = o->device_count ? o->devices : usual;
    return o->device_count ? o->device_count : sizeof usual / sizeof *usual;
}

static void prover_options(const prover *p, const char *device, const char *path,
                           const char *baseline, grading_options *o) {
    const char *const *devices;
    grading_options_init(o);
    o->device = device;
    /* nvcc takes most of the time, so compile for a pair of devices at once. */
    if (prover_devices(p->o, &devices) == 2 && !strncmp(devices[0], "sim:", 4) &&
        !strncmp(devices[1], "sim:", 4))
        for (int i = 0; i < 2; i++)
            if (!strcmp(device, devices[i])) o->next_device = devices[1 - i];
    o->seed = 1;
    o->mode = SANDBOX_IF_ANY;
    o->shown_as = strrchr(path, '/') + 1;
    o->baseline = baseline;
}

static grade_verdict grade_on(const prover *p, const char *device, const grade_lab *g,
                              const char *path, const char *baseline, grade_result *r) {
    grading_options o;
    prover_options(p, device, path, baseline, &o);
    return grading_run(g, path, &o, r);
}

static grade_verdict grade(prover *p, const char *path, grade_result *r) {
    grading_options o;
    prover_options(p, p->device, path, p->l->baseline_path, &o);
    o.tests_lab = !strcmp(path, p->l->answer_path); /* once is enough */
    return lab_grade(p->l, path, &o, r);
}

/* Writes the reason of the verdict in one line. */
static void reason(const prover *p, const grade_result *r, char *out, size_t n) {
    lib_lang lang = p->o->lang;
    const char *next = lib_word(lang, W_PROVE_NEXT);
    lib_buffer b = {0};
    lib_words_put(&b, lang,
                  w_prove_verdict(grade_verdict_name(r->verdict), r->score, r->max_score));
    if (!r->build_ok && r->build_log) {
        lib_buffer_puts(&b, next);
        lib_words_put(&b, lang, w_prove_no_compile(r->build_log));
    } else if (lib_message_any(&r->message)) {
        lib_buffer_puts(&b, next);
        lib_words_put(&b, lang, lib_message_words(&r->message));
    } else {
        for (size_t i = 0; i < r->case_count; i++)
            if (!r->cases[i].pass && lib_message_any(&r->cases[i].message)) {
                lib_buffer_puts(&b, next);
                lib_words_put(&b, lang, lib_message_words(&r->cases[i].message));
                break;
            }
        for (size_t i = 0; i < r->goal_count; i++)
            if (!r->goals[i].pass) {
                lib_buffer_puts(&b, next);
                lib_words_put(&b, lang, lib_message_words(&r->goals[i].message));
            }
        if (r->finding_count) {
            lib_buffer_puts(&b, next);
            lib_words_put(&b, lang, lib_message_words(&r->findings[0].said));
        }
    }
    lib_say(out, n, "%s", b.s);
    lib_buffer_free(&b);
    for (char *s = out; *s; s++)
        if (*s == '\n') *s = ' ';
}

static const char *goal_called(const grade_goal *g) {
    return g->name ? g->name : grade_goal_kind_name(g->kind);
}

/* The answer must meet its goals with room. Otherwise it would fail with another student's style,
 * another toolchain or a better model of time. */
static void prove_room(prover *p, const grade_goal_result *g) {
    static const double least = 1.3;
    double room;
    if (!grade_goal_room(g, &room)) {
        prove_measured(p, lib_message_words(&g->message));
        return;
    }
    if (isinf(room)) prove_measured(p, w_prove_any_margin(&g->message));
    else prove_measured(p, w_prove_margin(&g->message, room));
    prove_claim(p, room > least - 1e-9, lib_message_words(&g->message),
                w_prove_answer_room(least, goal_called(g->goal), p->device));
}

/* The answer must earn all points and tiers, and each of them with room. */
static void prove_figures(prover *p, const grade_result *r) {
    for (size_t i = 0; i < r->goal_count; i++) {
        const grade_goal_result *g = &r->goals[i];
        if (!grade_goal_figure(g->goal)) continue;
        prove_room(p, g);
        prove_claim(p, g->points >= g->goal->points, lib_message_words(&g->message),
                    w_prove_answer_points(goal_called(g->goal), p->device));
    }
}

/* The answer must be far from what costs half of the points. */
static void prove_slowest(prover *p, const grade_result *r) {
    const grade_goal *g = &p->l->grade.slowest;
    grade_goal_result own = {.goal = g, .expected = g->threshold};
    if (!(g->threshold > 0) || !(r->time_us > 0) || !(r->baseline_us > 0)) return;
    own.actual = r->time_us / r->baseline_us;
    lib_message_set(&own.message, w_prove_slowest_within(own.actual, g->threshold));
    prove_room(p, &own);
}

typedef struct {
    /* "fail" "counter" "gld_sectors"; "finding" "oob" ""; "pass" "" "" */
    char kind[16], goal[16], name[48];
    char text[128];
} expectation;

static bool goal_matches(const expectation *e, const grade_goal *g) {
    return !strcmp(e->goal, grade_goal_kind_name(g->kind)) &&
           (!e->name[0] || (g->name && !strcmp(e->name, g->name)));
}

/* Reads the expectations in a trap's first comment lines. Returns -1 and *why if one is wrong.
 * `here`: the trap is for this device. */
static int read_expectations(const prover *p, const char *text, expectation *e, trap_kind *kind,
                             bool *here, lib_message *why) {
    static const char *const verdicts[] = {"pass", "fail", "error", "ambiguous", "suspect"};
    int n = 0;
    bool only = false, named = false;
    *kind = KIND_COUNT;
    for (const char *s = text; !strncmp(s, "//", 2);
         s = strchr(s, '\n') ? strchr(s, '\n') + 1 : "") {
        char line[128];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(s, "\r\n"), s);
        char device[64], word[16];
        if (sscanf(line, "// kind: %15s", word) == 1)
            for (int k = 0; k < KIND_COUNT; k++)
                if (!strcmp(word, kind_names[k])) *kind = (trap_kind)k;
        if (sscanf(line, "// on: %63s", device) == 1) {
            only = true;
            named |= !strcmp(device, p->device);
        }
        if (strncmp(line, "// expect:", 10) != 0) continue;
        if (n == EXPECTATIONS) break;
        expectation *x = &e[n++];
        *x = (expectation){0};
        snprintf(x->text, sizeof x->text, "%s", line + 10 + strspn(line + 10, " "));
        int words = sscanf(line, "// expect: %15s %15s %47s", x->kind, x->goal, x->name);
        bool ok = false;
        for (int i = 0; i < 5; i++) ok |= words > 0 && !strcmp(x->kind, verdicts[i]);
        bool verdict = ok, goal = words == 1 && verdict;
        if (!strcmp(x->kind, "met") || !strcmp(x->kind, "missed")) ok = true;
        goal |= grade_goal_kind_find(x->goal) < GRADE_GOAL_KINDS;
        if (ok && !goal) ok = false;
        if (!strcmp(x->kind, "finding")) {
            ok = false;
            for (int k = 0; k < SIM_FIND_COUNT; k++)
                ok |= !strcmp(x->goal, sim_finding_name((sim_finding_kind)k));
        }
        if (!strcmp(x->kind, "compile")) ok = words == 1;
        bool there = words == 1 || !strcmp(x->kind, "finding");
        for (size_t i = 0; i < p->l->grade.goal_count; i++)
            there |= goal_matches(x, &p->l->grade.goals[i]);
        if (!ok || !there) {
            lib_message_set(why,
                            ok ? w_prove_no_such_goal(x->text) : w_prove_expect_unknown(x->text));
            return -1;
        }
    }
    *here = !only || named;
    if (!n) lib_message_set(why, w_prove_no_expect());
    if (*kind == KIND_COUNT) {
        lib_message_set(why, w_prove_no_kind());
        return -1;
    }
    return n ? n : -1;
}

/* Checks a trap's kind: a slow one has right outputs, an unsafe one is found by the device, a
 * ragged one is right at some size; no trap passes. */
static bool is_of_kind(trap_kind kind, const grade_result *r) {
    bool right = grade_result_correct(r), some = false;
    for (size_t i = 0; i < r->case_count; i++) some |= r->cases[i].pass;
    if (r->verdict == GRADE_PASS || r->verdict == GRADE_ERROR) return false;
    switch (kind) {
    case KIND_RAGGED: return some && !right;
    case KIND_SLOW: return right;
    case KIND_UNSAFE:
        for (size_t i = 0; i < r->finding_count; i++)
            if (grade_finding_forbids(r->findings[i].kind)) return true;
        return false;
    case KIND_CHEAT:
    case KIND_WRONG:
    case KIND_COUNT: break;
    }
    return true;
}

static bool holds(const expectation *e, const grade_result *r) {
    if (!strcmp(e->kind, "finding")) {
        for (size_t i = 0; i < r->finding_count; i++)
            if (!strcmp(sim_finding_name(r->findings[i].kind), e->goal)) return true;
        return false;
    }
    if (!strcmp(e->kind, "compile"))
        return r->verdict == GRADE_FAIL && (!r->build_ok || !r->case_count);
    bool met = !strcmp(e->kind, "met");
    if (!met && strcmp(e->kind, "missed") != 0 &&
        strcmp(e->kind, grade_verdict_name(r->verdict)) != 0)
        return false;
    if (!e->goal[0]) return true;
    for (size_t i = 0; i < r->goal_count; i++)
        if (goal_matches(e, r->goals[i].goal) && r->goals[i].pass == met) return true;
    return false;
}

/* Writes only why this expectation is not met, not what else the grading found. */
static void missed(const prover *p, const expectation *e, const grade_result *r, char *out,
                   size_t n) {
    lib_lang lang = p->o->lang;
    bool met = !strcmp(e->kind, "met");
    lib_buffer b = {0};
    if (!strcmp(e->kind, "finding"))
        lib_words_put(&b, lang,
                      r->finding_count
                          ? w_prove_other_finding(sim_finding_name(r->findings[0].kind))
                          : w_prove_no_finding());
    for (size_t i = 0; !b.n && e->goal[0] && i < r->goal_count; i++)
        if (goal_matches(e, r->goals[i].goal))
            lib_words_put(&b, lang,
                          w_prove_goal_was(e->goal, met ? W_PROVE_MET : W_PROVE_MISSED,
                                           r->goals[i].pass ? W_PROVE_MET : W_PROVE_MISSED));
    if (b.n) lib_buffer_puts(&b, lib_word(lang, W_PROVE_NEXT));
    char why[1000];
    reason(p, r, why, sizeof why);
    lib_buffer_puts(&b, why);
    lib_say(out, n, "%s", b.s);
    lib_buffer_free(&b);
}

/* ---- kept gradings ---- */

typedef struct {
    char key[KEEP_KEY];
    int good, bad, notes;
} keeping;

/* Returns a file's path as an author knows it: "answers/first.cu". */
static const char *own_path(const prover *p, const char *path) {
    size_t n = strlen(p->l->root);
    return !strncmp(path, p->l->root, n) && path[n] == '/' ? path + n + 1 : path;
}

/* Sets the name of the grading, for messages. */
static void keep_name(prover *p, const char *what, const char *on) {
    p->what = what;
    p->on = on;
    lib_buffer_free(&p->measured);
}

/* Returns true if all its claims held before, and nothing on which they depend has changed. */
static bool keep_begin(prover *p, keeping *k, const char *program, const char *baseline,
                       const char *more) {
    *k = (keeping){.good = p->good, .bad = p->bad, .notes = p->notes};
    keep_key(p, program, baseline, p->on, more, k->key);
    char *measured = NULL;
    int held = p->o->again ? -1 : keep_get(k->key, &measured);
    if (held >= 0) {
        p->good += held;
        p->kept++;
        if (p->o->verbose) {
            lib_print(p->to, "ok %s ", p->l->id);
            lib_words_print(p->to, p->o->lang, w_prove_as_before(p->what, p->on));
            fputc('\n', p->to);
        }
        prove_measured_before(p, measured);
    }
    free(measured);
    return held >= 0;
}

static void keep_end(prover *p, const keeping *k) {
    char *measured = p->measured.n ? lib_buffer_take(&p->measured) : NULL;
    if (p->bad == k->bad && p->notes == k->notes && !lib_cancel_flag)
        keep_put(k->key, p->good - k->good, measured ? measured : "");
    free(measured);
}

/* What does not depend on the device is reported only on the first one. */
static bool prover_first(const prover *p) {
    const char *const *devices;
    return !prover_devices(p->o, &devices) || p->device == devices[0];
}

/* Returns the trap's kind, or KIND_COUNT. */
static trap_kind prove_trap(prover *p, const char *name) {
    char path[800], why[1500] = "";
    lib_message odd = {0};
    snprintf(path, sizeof path, "%s/%.200s", p->l->traps_dir, name);
    lib_message msg = {0};
    size_t size;
    char *text = lib_read_file(path, PROVE_SOURCE_BYTES, &size, &msg);
    if (prover_first(p))
        prove_claim(p, text != NULL, lib_message_words(&msg), w_prove_trap_readable(name));
    if (!text) return KIND_COUNT;
    expectation e[EXPECTATIONS];
    trap_kind kind;
    bool here = true;
    int n = read_expectations(p, text, e, &kind, &here, &odd);
    free(text);
    if (n < 0 || kind == KIND_COUNT) {
        if (prover_first(p))
            prove_claim(p, false, lib_message_words(&odd), w_prove_trap_states(name));
        return kind;
    }
    if (!here) return kind;
    grade_result r;
    keeping k;
    keep_name(p, own_path(p, path), p->device);
    if (keep_begin(p, &k, path, p->l->baseline_path, "trap")) return kind;
    grade(p, path, &r);
    for (int i = 0; i < n; i++) {
        missed(p, &e[i], &r, why, sizeof why);
        prove_claim(p, holds(&e[i], &r), prove_said(why),
                    w_prove_trap_expects(name, e[i].text, p->device));
    }
    reason(p, &r, why, sizeof why);
    /* A slip in the trap would make it fail, too: its build must succeed unless a compile error is
     * expected. */
    bool slip = p->l->grade.entry && !r.build_ok && r.build_log && *r.build_log;
    for (int i = 0; i < n; i++) slip &= strcmp(e[i].kind, "compile") != 0;
    if (slip) prove_claim(p, false, prove_said(why), w_prove_trap_compiles(name, p->device));
    prove_claim(p, is_of_kind(kind, &r), prove_said(why),
                w_prove_trap_kind(name, kind_meaning[kind], p->device));
    grade_result_free(&r);
    keep_end(p, &k);
    return kind;
}

static int trap_by_name(const void *a, const void *b) {
    return strcmp(a, b);
}

static void prove_traps(prover *p) {
    char names[TRAPS][128];
    int n = 0;
    DIR *d = opendir(p->l->traps_dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t len = strlen(e->d_name);
        if (len > 3 && !strcmp(e->d_name + len - 3, ".cu") && len < sizeof names[0] && n < TRAPS)
            snprintf(names[n++], sizeof names[0], "%.127s", e->d_name);
    }
    if (d) closedir(d);
    qsort(names, (size_t)n, sizeof names[0], trap_by_name);
    bool seen[KIND_COUNT + 1] = {false};
    for (int i = 0; i < n && !lib_cancel_flag; i++) seen[prove_trap(p, names[i])] = true;
    /* If a trap's header is wrong, it may be of the missing kind. Report this one mistake only
     * once. */
    if (seen[KIND_COUNT] || !prover_first(p)) return;
    /* A sheet of answers does not run. Its traps can only be wrong. */
    int from = p->l->grade.entry ? 0 : KIND_WRONG, to = p->l->grade.entry ? KIND_WRONG : KIND_COUNT;
    for (int k = from; k < to && !lib_cancel_flag; k++)
        prove_claim(p, seen[k], w_prove_no_trap(), w_prove_has_trap(kind_meaning[k]));
}

/* Returns what a step measures in addition to the gradings of the answer: questions, predictions,
 * and pictures of the lesson's own files. */
static const lab_measure *measured_by(const lab_step *s) {
    if (lab_step_asks(s))
        return s->question.kind == LAB_ANSWER_MEASURED ? &s->question.measure : NULL;
    bool drawn = (s->kind == LAB_SHOW || s->kind == LAB_COMPARE) && !s->show.model_ref;
    return drawn && s->show.measure.of == LAB_OF_FILE ? &s->show.measure : NULL;
}

/* Describes on what a measurement depends besides its files. */
static char *measure_text(const lab_step *s, const grade_param *params, size_t n,
                          const char *counter) {
    lib_buffer b = {0};
    lib_buffer_printf(&b, "measure %s %016llx", counter, (unsigned long long)s->hash);
    for (size_t i = 0; i < n; i++)
        lib_buffer_printf(&b, " %s=%.17g", params[i].name, params[i].value);
    return lib_buffer_take(&b);
}

/* Reports the value for one draw: "gld_sectors is 18 sectors for answers/first.cu with n =
 * 1003". */
static void tell_value(prover *p, const lab_step *s, const lab_measure *of, const grade_result *r,
                       const char *path, const grade_param *params, size_t n) {
    char number[32];
    const char *unit = s->question.unit ? s->question.unit : "";
    lib_buffer b = {0}, value = {0};
    lib_buffer_printf(&value, "%s%s%s", lib_number(number, r->goal_count ? r->goals[0].actual : 0),
                      *unit ? " " : "", unit);
    for (size_t i = 0; i < n; i++)
        lib_buffer_printf(&b, "%s%s = %s", i ? ", " : "", params[i].name,
                          lib_number(number, params[i].value));
    prove_measured(p, n ? w_prove_value_with(of->counter, value.s, path, b.s)
                        : w_prove_value(of->counter, value.s, path));
    lib_buffer_free(&b);
    lib_buffer_free(&value);
}

static void prove_measure(prover *p, const lab_step *s, const lab_measure *of,
                          const grade_param *params, size_t n) {
    lab *l = p->l;
    char path[800], baseline[800], why[1500];
    const char *counter = of->counter ? of->counter : "warp_inst",
               *device = of->device ? of->device : p->device;
    measure *m = lib_malloc(sizeof *m);
    measure_init(m, l, of->program, params, n, &counter, 1);
    measure_source(l, of, l->answer_path, path, sizeof path);
    measure_baseline(l, of, baseline, sizeof baseline);
    keeping k;
    char *more = measure_text(s, params, n, counter),
         *what = lib_words_take(p->o->lang, w_prove_at_line(lab_step_name[s->kind], s->line));
    keep_name(p, what, device);
    if (!keep_begin(p, &k, path, baseline, more ? more : "")) {
        grade_result r;
        grade_on(p, device, &m->lab, path, baseline, &r);
        reason(p, &r, why, sizeof why);
        bool ran =
            prove_claim(p, measure_ran(&r), prove_said(why), w_prove_measured_on(what, device));
        if (ran && of->counter) tell_value(p, s, of, &r, own_path(p, path), params, n);
        grade_result_free(&r);
        keep_end(p, &k);
    }
    free(what);
    free(more);
    free(m);
}

/* Measures everything that the lesson asks the device. */
static void prove_measures(prover *p, lab *l) {
    for (size_t i = 0; i < l->step_count && !lib_cancel_flag; i++) {
        const lab_step *s = &l->steps[i];
        const lab_measure *of = measured_by(s);
        lab_drawn d;
        grade_param params[MEASURE_PARAMS];
        size_t n = 0;
        lib_message msg = {0};
        if (!of) continue;
        lab_step_draw(s, 1, &d);
        if (lab_measure_params(l, of, &d, params, MEASURE_PARAMS, &n, &msg))
            prove_measure(p, s, of, params, n);
        else
            prove_claim(p, false, lib_message_words(&msg),
                        w_prove_step_measured_on(lab_step_name[s->kind], s->line, p->device));
    }
}

/* ---- one lab ---- */

enum { WHY = 1500 };

/* Grades a file of the lab and writes the reason of its verdict. Returns false if an earlier proof
 * of it still holds. */
static bool prove_graded(prover *p, keeping *k, const char *path, const char *what, grade_result *r,
                         char why[WHY]) {
    keep_name(p, own_path(p, path), p->device);
    if (keep_begin(p, k, path, p->l->baseline_path, what)) return false;
    grade(p, path, r);
    reason(p, r, why, WHY);
    return true;
}

/* Stops the proof if a later run would be useless: the skeleton does not compile, or the baseline
 * fails. */
static void prove_skeleton(prover *p) {
    const lab *l = p->l;
    grade_result r;
    keeping k;
    char why[WHY];
    if (!prove_graded(p, &k, l->skeleton_path, "skeleton", &r, why)) return;
    prove_claim(p, r.build_ok && grade_fails_surely(&r), prove_said(why),
                l->grade.entry ? w_prove_skeleton_runs(p->device)
                               : w_prove_skeleton_fails(p->device));
    if (l->grade.entry)
        prove_claim(p, r.score <= r.max_score / 2, prove_said(why),
                    w_prove_skeleton_keeps(p->device));
    if (r.verdict == GRADE_ERROR) prove_stop(p, W_PROVE_NOTHING_GRADED);
    else if (!r.build_ok) prove_stop(p, W_PROVE_SKELETON_NO_COMPILE);
    grade_result_free(&r);
    keep_end(p, &k);
}

/* With a tolerance as large as the values, an empty kernel passes. This is only a note, because
 * only the author knows what the values mean. */
static void note_blank(prover *p, const grade_result *r) {
    size_t blank = 0;
    for (size_t i = 0; i < r->case_count; i++) blank += r->cases[i].compared && r->cases[i].blank;
    if (blank && blank == r->case_count) prove_note(p, w_prove_blank(p->device));
}

static void prove_answer(prover *p) {
    const lab *l = p->l;
    grade_result r;
    keeping k;
    char why[WHY];
    if (!prove_graded(p, &k, l->answer_path, "answer", &r, why)) return;
    if (prove_claim(p, r.verdict == GRADE_PASS, prove_said(why), w_prove_answer_passes(p->device)))
        prove_figures(p, &r), prove_slowest(p, &r);
    note_blank(p, &r);
    bool right = r.build_ok && grade_result_correct(&r);
    if (r.verdict == GRADE_ERROR) prove_stop(p, W_PROVE_NOTHING_GRADED);
    else if (!right) prove_stop(p, W_PROVE_ANSWER_NOT_RIGHT);
    grade_result_free(&r);
    keep_end(p, &k);
}

static void prove_device(prover *p) {
    prove_skeleton(p);
    if (!p->stopped && !lib_cancel_flag) prove_answer(p);
    if (!p->stopped && !lib_cancel_flag) prove_traps(p);
}

static void prove_runs(prover *p, lab *l) {
    const char *const *names;
    unsigned devices = prover_devices(p->o, &names);
    for (unsigned i = 0; i < devices && !lib_cancel_flag && !p->stopped; i++) {
        p->device = names[i];
        if (!l->quiz) prove_device(p);
        if (i == 0 && !p->stopped) prove_measures(p, l);
    }
}

/* A program can leave an argument unread that is the same in all cases. */
static void prove_scalars(prover *p) {
    if (!p->l->grade.entry || p->l->quiz) return;
    const char *same = grade_lab_constant_scalar(&p->l->grade);
    prove_claim(p, !same, w_prove_scalar_same(same ? same : ""), w_prove_scalars_vary());
    const char *fixed = grade_lab_fixed_parameter(&p->l->grade);
    prove_claim(p, !fixed, w_prove_parameter_fixed(fixed ? fixed : ""), w_prove_parameters_vary());
}

/* Without a main goal, only a lab that is about right outputs gives its points to those who deserve
 * them. */
static void prove_mains(prover *p) {
    const grade_lab *g = &p->l->grade;
    double correct = 0, all = 0;
    bool some = false;
    if (!g->entry || p->l->quiz) return;
    for (size_t i = 0; i < g->goal_count; i++) {
        some = some || grade_goal_main(g, &g->goals[i]);
        all += g->goals[i].points;
        if (grade_goal_correctness(&g->goals[i])) correct += g->goals[i].points;
    }
    prove_claim(p, some || correct > all / 2, w_prove_main_goal_none(), w_prove_main_goal());
}

static int prove_one(const prove_options *o, const char *id, FILE *to, int *good) {
    lib_message msg = {0};
    prover p = {.o = o, .to = to};
    double start = lib_now();
    lab *l = lab_load(o->root, id, &msg);
    if (!l) {
        lib_print(to, "not ok %s ", id);
        lib_words_print(to, o->lang, w_prove_not_loaded(&msg));
        fputc('\n', to);
        *good = 0;
        return 1;
    }
    p.l = l;
    prove_claim(&p, true, (lib_words){0}, w_prove_lesson_loads());
    prove_texts(&p);
    int before = p.bad;
    prove_files(&p);
    prove_scalars(&p);
    prove_mains(&p);
    if (p.bad > before && !o->texts) prove_stop(&p, W_PROVE_FILE_UNSOUND);
    if (!o->texts && !p.stopped) prove_runs(&p, l);
    bool cut = lib_cancel_flag || p.cut;
    lib_word_id how = p.bad      ? W_PROVE_FAILED
                      : cut      ? W_PROVE_CUT
                      : o->texts ? W_PROVE_TEXTS_HOLD
                                 : W_PROVE_PROVED;
    lib_words_print(to, o->lang, w_prove_sum(how, id, p.good, p.bad));
    if (cut) lib_words_print(to, o->lang, w_prove_others_not_tried());
    if (p.kept) lib_words_print(to, o->lang, w_prove_kept(p.kept));
    lib_words_print(to, o->lang, w_prove_seconds(lib_now() - start));
    fputc('\n', to);
    lib_buffer_free(&p.measured);
    lab_free(l);
    *good = p.good;
    return p.bad;
}

/* ---- labs side by side ---- */

typedef struct {
    int good, bad;
    bool done;
} score;

typedef struct {
    pid_t pid;
    FILE *out; /* an unlinked temporary file */
} job;

static void print_file(FILE *f) {
    char buf[4096];
    rewind(f);
    for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;) fwrite(buf, 1, n, stdout);
    fflush(stdout);
}

/* Proves a lab in its own process. */
static void job_start(job *j, const prove_options *o, const char *id, score *s) {
    j->out = tmpfile();
    if (!j->out) abort();
    j->pid = fork();
    if (j->pid == 0) {
        s->bad = prove_one(o, id, j->out, &s->good);
        s->done = true;
        fflush(j->out);
        _exit(0);
    }
}

static void job_print(const job *j, lib_lang lang, const char *id, score *s) {
    print_file(j->out);
    fclose(j->out);
    if (s->done) return;
    bool cut = lib_cancel_flag;
    lib_print(stdout, "%s %s ", cut ? "skip" : "not ok", id);
    lib_words_print(stdout, lang, w_prove_ended());
    if (cut) lib_words_print(stdout, lang, w_prove_stopped());
    fputc('\n', stdout);
    s->bad += !cut;
}

int lab_prove(const prove_options *o) {
    lib_message msg = {0};
    const lib_paths *paths = lib_paths_get(&msg);
    size_t count = o->lab_count;
    char **all = o->lab_count || !paths ? NULL : lib_lab_names(paths, &count);
    const char *const *ids = all ? (const char *const *)all : o->labs;
    if (!paths || !count) {
        fputs("not ok ", stdout);
        lib_words_print(stdout, o->lang, w_prove_no_labs(&msg));
        fputc('\n', stdout);
        return 1;
    }
    score *scores = mmap(NULL, count * sizeof *scores, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    job *jobs = calloc(count, sizeof *jobs);
    if (scores == MAP_FAILED || !jobs) abort();
    size_t most = o->jobs ? o->jobs : lib_cores(), started = 0, running = 0, printed = 0;
    if (most > 64) most = 64;
    bool told = false;
    fflush(stdout);
    while (printed < count) {
        while (started < count && running < most && !lib_cancel_flag) {
            job_start(&jobs[started], o, ids[started], &scores[started]);
            running += jobs[started++].pid > 0;
        }
        if (!running) break;
        /* Not a wait without end: a signal that came just before it would not wake it. */
        pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (!pid) nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        if (pid < 0 && errno != EINTR) break;
        /* A signal to this process is meant for all of them. */
        for (size_t i = 0; lib_cancel_flag && !told && i < started; i++)
            if (jobs[i].pid > 0) kill(jobs[i].pid, SIGINT);
        told = lib_cancel_flag;
        for (size_t i = 0; pid > 0 && i < started; i++)
            if (jobs[i].pid == pid) jobs[i].pid = 0, running--;
        while (printed < started && jobs[printed].pid == 0) {
            job_print(&jobs[printed], o->lang, ids[printed], &scores[printed]);
            printed++;
        }
    }
    int good = 0, bad = 0;
    for (size_t i = 0; i < printed; i++) good += scores[i].good, bad += scores[i].bad;
    lib_words_print(stdout, o->lang, w_prove_all(printed, good, bad));
    fputc('\n', stdout);
    if (lib_cancel_flag) {
        lib_words_print(stdout, o->lang, w_prove_all_stopped(printed, count));
        fputc('\n', stdout);
    }
    if (printed < count) bad++;
    munmap(scores, count * sizeof *scores);
    free(jobs);
    if (all) lib_lab_names_free(all, count);
    return bad;
}
