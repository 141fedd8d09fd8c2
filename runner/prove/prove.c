/* Proves lessons (`warplab check`): what an author claims is run and compared.
 *
 *   lesson --lab_load--> every field, both languages
 *          text and shape: TODO, wide characters, code width, questions
 *          on each device: skeleton               -> FAIL
 *                          answer                 -> PASS, with room
 *                          each trap              -> what its first lines say, and its kind
 *                          each measured question -> a number
 *
 * One line a claim, "ok LAB WHAT" or "not ok LAB WHAT: why"; a lab's lines stand together. Labs are
 * proved side by side, one process each (a fork before any thread exists), because most of the time
 * goes into nvcc and that is one thread a file. */
#include "runner/prove/prove.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/clock.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "runner/lesson/twins.h"
#include "runner/term/i18n.h"
#include "runner/term/text.h"
#include "runner/grade/grading.h"
#include "runner/lesson/lab.h"
#include "runner/lesson/measure.h"

enum { SOURCE_BYTES = 1 << 20, EXPECTATIONS = 8, TRAPS = 32, CODE_WIDTH = 76 };

/* What is wrong with a trap ("// kind: slow"). A lab needs one of each but the last. */
typedef enum { KIND_RAGGED, KIND_SLOW, KIND_UNSAFE, KIND_CHEAT, KIND_WRONG, KIND_COUNT } trap_kind;
static const char *const kind_names[KIND_COUNT] = {"ragged", "slow", "unsafe", "cheat", "wrong"};
static const char *const kind_meaning[KIND_COUNT] = {
    "right at some sizes, wrong at ragged ones", "correct, but slow or only half of the technique",
    "racy or out of bounds", "a cheat", "wrong otherwise"};

typedef struct {
    const prove_options *o;
    lab *l;
    FILE *to;
    const char *device;
    int good, bad;
} prover;

static bool claim(prover *p, bool ok, const char *why, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
static bool claim(prover *p, bool ok, const char *why, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (ok) p->good++;
    else p->bad++;
    if (!ok || p->o->verbose) {
        fprintf(p->to, "%sok %s ", ok ? "" : "not ", p->l ? p->l->id : "");
        vfprintf(p->to, fmt, ap);
        if (!ok && why && *why) fprintf(p->to, ": %s", why);
        fputc('\n', p->to);
    }
    va_end(ap);
    return ok;
}

/* ---- text ---- */

static bool has_wide(const char *s) {
    for (size_t i = 0, n = strlen(s); i < n;) {
        uint32_t cp;
        i += text_decode(s + i, n - i, &cp);
        if (text_cp_width(cp) == 2) return true;
    }
    return false;
}

/* Verbatim lines are not wrapped: they must fit a terminal of 80 columns. */
static bool code_fits(const char *s, char *why, size_t n) {
    for (const char *p = s; p && *p;) {
        size_t len = strcspn(p, "\n");
        if (!strncmp(p, "    ", 4) && text_width_n(p, len) > CODE_WIDTH) {
            snprintf(why, n, "a line of code is wider than %d columns: %.*s", CODE_WIDTH, (int)len,
                     p);
            return false;
        }
        p = p[len] ? p + len + 1 : NULL;
    }
    return true;
}

/* {name} must be drawn by the step, in either language. */
static bool braces_known(const lab_step *s, const char *text, char *why, size_t n) {
    for (const char *p = text; (p = strchr(p, '{')); p++) {
        size_t len = 0;
        while (isalnum((unsigned char)p[1 + len]) || p[1 + len] == '_') len++;
        if (!len || p[1 + len] != '}') continue;
        bool known = false;
        for (size_t i = 0; s && i < s->draw_count; i++)
            known |= strlen(s->draws[i].name) == len && !strncmp(s->draws[i].name, p + 1, len);
        if (!known) {
            snprintf(why, n, "%.*s is not drawn by this step", (int)len + 2, p);
            return false;
        }
    }
    return true;
}

static void prove_text(prover *p, const lab_text *t, const lab_step *s, const char *what,
                       unsigned line, bool optional) {
    if (optional && !t->text[0]) return;
    char why[300] = "", where[64];
    snprintf(where, sizeof where, line ? "%s (line %u)" : "%s", what, line);
    /* A choice such as "32" is the same in both languages. */
    bool same = !strcmp(t->text[LIB_EN], t->text[LIB_ZH]);
    if (!same) {
        claim(p, has_wide(t->text[LIB_ZH]), "the Chinese text has no Chinese character",
              "%s is Chinese in zh", where);
        claim(p, !has_wide(t->text[LIB_EN]), "the English text has wide characters",
              "%s is English in en", where);
    } else if (!optional) {
        claim(p, false, "the Chinese text is the English one", "%s is translated", where);
    }
    for (int i = 0; i < LIB_LANGS; i++) {
        bool ok = code_fits(t->text[i], why, sizeof why);
        if (ok) ok = braces_known(s, t->text[i], why, sizeof why);
        claim(p, ok, why, "%s can be shown (%s)", where, i18n_name((lib_lang)i));
    }
}

/* ---- the lesson by itself ---- */

/* A reply is to a wrong answer: not to one that is right whatever is drawn. */
static void prove_replies(prover *p, lab *l, const lab_step *s) {
    const lab_question *q = &s->question;
    if (q->kind != LAB_ANSWER_NUMBER && q->kind != LAB_ANSWER_TEXT) return;
    for (size_t k = 0; k < q->reply_count; k++) {
        bool wrong = false;
        for (uint64_t seed = 1; !wrong && seed <= 20; seed++) {
            lab_drawn d;
            lib_message msg = {0};
            char text[64];
            double truth = 0, v = q->replies[k].number;
            lab_step_draw(s, seed, &d);
            if (q->kind == LAB_ANSWER_NUMBER && !lab_step_number(l, s, &d, &truth, &msg)) break;
            if (q->replies[k].ref && !lab_number_of(l, q->replies[k].ref, &d, &v, &msg)) break;
            snprintf(text, sizeof text, "%.10g", v);
            const char *said = q->kind == LAB_ANSWER_TEXT ? q->replies[k].accept[0] : text;
            wrong = lab_question_judge(q, &d, said, truth, NULL) == 0;
        }
        claim(p, wrong, "that answer is always right", "reply %zu (line %u) is to a wrong answer",
              k + 1, s->line);
    }
}

static void prove_steps(prover *p, lab *l) {
    int asks = 0, predictions = 0, pictures = 0;
    for (size_t i = 0; i < l->step_count; i++) {
        const lab_step *s = &l->steps[i];
        const char *kind = lab_step_name[s->kind];
        asks += s->kind == LAB_ASK;
        predictions += s->kind == LAB_PREDICT;
        pictures += s->kind == LAB_SHOW && !s->show.model_ref;
        prove_text(p, &s->text, s, kind, s->line, false);
        prove_text(p, &s->question.because, s, "because", s->line, true);
        for (size_t k = 0; k < s->question.choice_count; k++) {
            const lab_choice *c = &s->question.choices[k];
            if (strcmp(c->text.text[0], c->text.text[1]) != 0)
                prove_text(p, &c->text, s, "choice", s->line, false);
            prove_text(p, &c->because, s, "because", s->line, true);
        }
        for (size_t k = 0; k < s->question.reply_count; k++)
            prove_text(p, &s->question.replies[k].text, s, "reply", s->line, false);
        prove_replies(p, l, s);
        /* Every function of the lesson, on several draws. */
        lib_message msg = {0};
        bool ok = true;
        for (uint64_t seed = 1; ok && seed <= 20; seed++) {
            lab_drawn d;
            double v;
            lab_step_draw(s, seed, &d);
            grade_param params[MEASURE_PARAMS];
            size_t n;
            if (s->kind == LAB_ASK && s->question.kind == LAB_ANSWER_NUMBER) {
                ok = lab_step_number(l, s, &d, &v, &msg);
                char text[64];
                snprintf(text, sizeof text, "%.10g", v);
                if (ok && lab_question_judge(&s->question, &d, text, v, NULL) != 1) {
                    ok = false;
                    snprintf(msg.text, sizeof msg.text, "its own answer %s is not accepted", text);
                }
            }
            for (size_t k = 0; ok && k < s->question.reply_count; k++)
                ok = !s->question.replies[k].ref ||
                     lab_number_of(l, s->question.replies[k].ref, &d, &v, &msg);
            if (ok)
                ok = lab_measure_params(l, &s->question.measure, &d, params, MEASURE_PARAMS, &n,
                                        &msg);
            if (ok)
                ok = lab_measure_params(l, &s->show.measure, &d, params, MEASURE_PARAMS, &n, &msg);
            for (unsigned k = 0; ok && s->show.model_ref && k < s->show.lanes; k++)
                ok = lab_show_model(l, &s->show, &d, k, 0, &v, &msg);
        }
        claim(p, ok, msg.text, "%s (line %u) computes", kind, s->line);
    }
    if (l->quiz) {
        claim(p, asks + predictions <= 20, "at most 20 questions are expected",
              "a quiz of %d questions", asks + predictions);
        return;
    }
    claim(p, asks >= 2 && asks <= 5, "2 to 5 questions are expected", "asks %d questions", asks);
    if (!l->grade.entry) return; /* nothing of the student's is run */
    claim(p, predictions >= 1, "none is there", "asks for a prediction");
    claim(p, pictures >= 1, "expected a `show` whose picture is measured",
          "shows a picture of the student's own counters");
}

/* Every line that is still to be written: what `warplab new` left, or its author. */
static void prove_written(prover *p, const lab *l) {
    lib_message msg = {0};
    char *text = lib_read_file(l->lesson_path, SOURCE_BYTES, NULL, &msg);
    unsigned at = 1, left = 0;
    for (char *line = text; line && *line; at++) {
        char *end = strchr(line, '\n');
        if (end) *end = 0;
        const char *todo = strstr(line, "TODO");
        if (todo && left++ < 40) claim(p, false, todo, "labs/%s.lua:%u is written", l->id, at);
        line = end ? end + 1 : NULL;
    }
    free(text);
    if (!left) claim(p, true, "", "the lesson has no TODO");
}

/* What a lab builds on must not lead back to it: nobody could start either. */
static void prove_order(prover *p, const lab *l) {
    lab_header *all;
    size_t n = lab_list(p->o->root, &all);
    bool *behind = calloc(n + 1, sizeof *behind), more = behind != NULL;
    char why[200] = "";
    for (size_t i = 0; more && i < n; i++)
        for (size_t k = 0; k < l->need_count; k++) behind[i] |= !strcmp(all[i].id, l->needs[k]);
    while (more) {
        more = false;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; behind[i] && j < n; j++) {
                bool needed = false;
                for (size_t k = 0; k < all[i].need_count; k++)
                    needed |= !strcmp(all[i].needs[k], all[j].id);
                if (!needed || behind[j]) continue;
                behind[j] = more = true;
                if (!strcmp(all[j].id, l->id))
                    snprintf(why, sizeof why, "%s, which it builds on, builds on it", all[i].id);
            }
    }
    claim(p, !*why, why, "builds on labs that do not build on it");
    free(behind);
    free(all);
}

static void prove_files(prover *p, const lab *l) {
    static const char *const what[] = {"skeleton", "answer", "baseline"};
    const char *paths[] = {l->skeleton_path, l->answer_path, l->baseline_path};
    int files = l->quiz ? 0 : l->grade.entry ? 3 : 2;
    for (int i = 0; i < files; i++) {
        lib_message msg = {0};
        size_t n;
        char *text = lib_read_file(paths[i], SOURCE_BYTES, &n, &msg);
        bool todo = text && strstr(text, "TODO");
        if (!claim(p, text != NULL, msg.text, "has its %s", what[i])) continue;
        size_t wrong = lib_not_utf8(text, n);
        snprintf(msg.text, sizeof msg.text, "line %zu has a byte that is not", wrong);
        claim(p, !wrong, msg.text, "the %s is UTF-8", what[i]);
        if (i == 0)
            claim(p, todo, "the skeleton does not say TODO where the work is",
                  "the skeleton has its TODO");
        else claim(p, !todo, "there is a TODO left", "the %s has no TODO", what[i]);
        size_t orphan = twins_orphan(text);
        snprintf(msg.text, sizeof msg.text, "line %zu has no English comment before it", orphan);
        claim(p, !orphan, msg.text, "each `// zh:` of the %s has its English", what[i]);
        free(text);
    }
    for (size_t i = 0; i < l->need_count; i++)
        claim(p, lab_exists(p->o->root, l->needs[i]), "there is no such lab", "builds on %s",
              l->needs[i]);
    if (l->need_count) prove_order(p, l);
}

/* ---- runs ---- */

static void prover_options(const char *device, const char *path, const char *baseline,
                           grading_options *o) {
    grading_options_init(o);
    o->device = device;
    o->seed = 1;
    o->mode = SANDBOX_IF_ANY;
    o->shown_as = strrchr(path, '/') + 1;
    o->baseline = baseline;
}

static grade_verdict grade_on(const char *device, const grade_lab *g, const char *path,
                              const char *baseline, grade_result *r) {
    grading_options o;
    prover_options(device, path, baseline, &o);
    return grading_run(g, path, &o, r);
}

static grade_verdict grade(prover *p, const char *path, grade_result *r) {
    grading_options o;
    prover_options(p->device, path, p->l->baseline_path, &o);
    return lab_grade(p->l, path, &o, r);
}

/* Why it got its verdict, in one line. */
static void reason(const grade_result *r, char *out, size_t n) {
    int used = snprintf(out, n, "%s, %g of %g points", grade_verdict_name(r->verdict), r->score,
                        r->max_score);
    if (!r->build_ok && r->build_log)
        snprintf(out + used, n - (size_t)used, "; it does not compile: %.300s", r->build_log);
    else if (r->message[0]) snprintf(out + used, n - (size_t)used, "; %s", r->message);
    else {
        for (size_t i = 0; i < r->case_count; i++)
            if (!r->cases[i].pass && r->cases[i].message[0]) {
                used += snprintf(out + used, n - (size_t)used, "; %.200s", r->cases[i].message);
                break;
            }
        for (size_t i = 0; i < r->goal_count && (size_t)used < n; i++)
            if (!r->goals[i].pass)
                used += snprintf(out + used, n - (size_t)used, "; %s", r->goals[i].message[LIB_EN]);
        if (r->finding_count && (size_t)used < n)
            snprintf(out + used, n - (size_t)used, "; %s", r->findings[0].text);
    }
    for (char *s = out; *s; s++)
        if (*s == '\n') *s = ' ';
}

/* Whole calls ("launches is 1, >= 1 was asked") are met exactly or not at all. */
static bool counts_calls(const grade_goal *g) {
    static const char *const units[] = {"launches", "copies", "calls"};
    for (size_t i = 0; g->kind == GRADE_GOAL_COUNTER && i < grade_metric_count(); i++) {
        const sim_counter_info *m = grade_metric_at(i);
        if (strcmp(m->name, g->name) != 0) continue;
        for (size_t k = 0; k < sizeof units / sizeof *units; k++)
            if (!strcmp(m->unit, units[k])) return true;
    }
    return false;
}

/* A percentage of a whole. */
static bool is_share(const char *name) {
    size_t n = strlen(name);
    return n > 4 && !strcmp(name + n - 4, "_pct");
}

/* The answer must not pass by a hair: a student's own way, another toolchain or a better model of
 * time would then fail. */
static void prove_room(prover *p, const grade_result *r) {
    static const double room = 1.3;
    for (size_t i = 0; i < r->goal_count; i++) {
        const grade_goal_result *g = &r->goals[i];
        double want = g->expected, got = g->actual;
        if (g->goal->kind == GRADE_GOAL_CORRECT || g->goal->kind == GRADE_GOAL_ANSWER ||
            counts_calls(g->goal))
            continue;
        bool at_most = g->goal->kind == GRADE_GOAL_COUNTER &&
                       (g->goal->relation == GRADE_LE || g->goal->relation == GRADE_LT);
        if (g->goal->kind == GRADE_GOAL_COUNTER && g->goal->relation == GRADE_EQ) continue;
        if (!at_most && want > 50 && g->goal->kind == GRADE_GOAL_COUNTER && is_share(g->goal->name))
            at_most = true, want = 100 - want, got = 100 - got; /* what misses counts */
        claim(p, at_most ? got * room <= want || got == 0 : got >= want * room, g->message[LIB_EN],
              "the answer has room of %g beyond the goal %s (%s)", room,
              g->goal->name ? g->goal->name : "speedup", p->device);
    }
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

/* The expectations of a trap's first comment lines; -1 and why when one makes no sense. `here`: it
 * is meant for this device. */
static int read_expectations(const prover *p, const char *text, expectation *e, trap_kind *kind,
                             bool *here, char *why, size_t size) {
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
        for (int i = 0; i < GRADE_GOAL_KINDS; i++)
            goal |= !strcmp(x->goal, grade_goal_kind_name((grade_goal_kind)i));
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
            snprintf(why, size, ok ? "the lab has no such goal: %s" : "not understood: expect: %s",
                     x->text);
            return -1;
        }
    }
    *here = !only || named;
    if (!n) snprintf(why, size, "its first lines do not say `// expect: ...`");
    if (*kind == KIND_COUNT) {
        snprintf(why, size,
                 "its first lines do not say `// kind: `ragged, slow, unsafe, cheat or wrong");
        return -1;
    }
    return n ? n : -1;
}

/* Is the trap what it says it is? A slow one is right, an unsafe one is found out by the device, a
 * ragged one is right at some size; no trap passes. */
static bool is_of_kind(trap_kind kind, const grade_result *r) {
    bool right = true, some = false;
    for (size_t i = 0; i < r->case_count; i++) some |= r->cases[i].pass;
    for (size_t i = 0; i < r->goal_count; i++)
        if (r->goals[i].goal->kind == GRADE_GOAL_CORRECT) right &= r->goals[i].pass;
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

/* Returns its kind, or KIND_COUNT. */
static trap_kind prove_trap(prover *p, const char *name) {
    char path[800], why[1500] = "";
    snprintf(path, sizeof path, "%s/%.200s", p->l->traps_dir, name);
    lib_message msg = {0};
    size_t size;
    char *text = lib_read_file(path, SOURCE_BYTES, &size, &msg);
    if (!claim(p, text != NULL, msg.text, "trap %s can be read", name)) return KIND_COUNT;
    expectation e[EXPECTATIONS];
    trap_kind kind;
    bool here = true;
    int n = read_expectations(p, text, e, &kind, &here, why, sizeof why);
    free(text);
    if (n < 0) {
        claim(p, false, why, "trap %s states its kind and its verdict", name);
        return kind;
    }
    if (!here) return kind;
    grade_result r;
    grade(p, path, &r);
    reason(&r, why, sizeof why);
    for (int i = 0; i < n; i++)
        claim(p, holds(&e[i], &r), why, "trap %s: %s (%s)", name, e[i].text, p->device);
    claim(p, is_of_kind(kind, &r), why, "trap %s is %s (%s)", name, kind_meaning[kind], p->device);
    grade_result_free(&r);
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
    /* Nothing of a sheet of answers is run: it can only be wrong. */
    int from = p->l->grade.entry ? 0 : KIND_WRONG, to = p->l->grade.entry ? KIND_WRONG : KIND_COUNT;
    for (int k = from; k < to && !lib_cancel_flag; k++)
        claim(p, seen[k], "none of its traps is", "has a trap that is %s", kind_meaning[k]);
}

/* What a step has measured that no grading of the answer measures: questions and predictions, and
 * pictures of files of the lesson's own. */
static const lab_measure *measured_by(const lab_step *s) {
    if (lab_step_asks(s))
        return s->question.kind == LAB_ANSWER_MEASURED ? &s->question.measure : NULL;
    bool drawn = (s->kind == LAB_SHOW || s->kind == LAB_COMPARE) && !s->show.model_ref;
    return drawn && s->show.measure.of == LAB_OF_FILE ? &s->show.measure : NULL;
}

/* Everything that the device answers. */
static void prove_measures(prover *p, lab *l) {
    for (size_t i = 0; i < l->step_count && !lib_cancel_flag; i++) {
        const lab_step *s = &l->steps[i];
        if (!measured_by(s)) continue;
        lab_drawn d;
        grade_param params[MEASURE_PARAMS];
        size_t n = 0;
        lib_message msg = {0};
        lab_step_draw(s, 1, &d);
        measure *m = lib_malloc(sizeof *m);
        bool ok = lab_measure_params(l, measured_by(s), &d, params, MEASURE_PARAMS, &n, &msg);
        char path[800], why[1500];
        snprintf(why, sizeof why, "%s", msg.text);
        if (ok) {
            const lab_measure *of = measured_by(s);
            const char *counter = of->counter ? of->counter : "warp_inst";
            char baseline[800];
            measure_init(m, l, of->program, params, n, &counter, 1);
            measure_source(l, of, l->answer_path, path, sizeof path);
            measure_baseline(l, of, baseline, sizeof baseline);
            grade_result r;
            grade_on(of->device ? of->device : p->device, &m->lab, path, baseline, &r);
            ok = measure_ran(&r);
            reason(&r, why, sizeof why);
            grade_result_free(&r);
        }
        claim(p, ok, why, "%s (line %u) can be measured (%s)", lab_step_name[s->kind], s->line,
              p->device);
        free(m);
    }
}

static void prove_device(prover *p, lab *l) {
    grade_result r;
    char why[1500];
    grade(p, l->skeleton_path, &r);
    reason(&r, why, sizeof why);
    claim(p, r.build_ok && r.verdict == GRADE_FAIL, why,
          l->grade.entry ? "the skeleton compiles, runs and fails (%s)" : "the skeleton fails (%s)",
          p->device);
    grade_result_free(&r);
    grade(p, l->answer_path, &r);
    reason(&r, why, sizeof why);
    if (claim(p, r.verdict == GRADE_PASS, why, "the answer passes every goal (%s)", p->device))
        prove_room(p, &r);
    grade_result_free(&r);
    if (!lib_cancel_flag) prove_traps(p);
}

static int prove_one(const prove_options *o, const char *id, FILE *to, int *good) {
    static const char *const usual[] = {"sim:h200", "sim:t4"};
    lib_message msg = {0};
    prover p = {.o = o, .to = to};
    double start = lib_now();
    lab *l = lab_load(o->root, id, &msg);
    if (!l) {
        fprintf(to, "not ok %s the lesson loads: %s\n", id, msg.text);
        *good = 0;
        return 1;
    }
    p.l = l;
    claim(&p, true, "", "the lesson loads: types, fields, both languages, hints");
    prove_text(&p, &l->title, NULL, "title", 0, false);
    prove_text(&p, &l->after, NULL, "after", 0, false);
    prove_text(&p, &l->more, NULL, "more", 0, false);
    for (int i = 0; i < LAB_HINTS; i++) prove_text(&p, &l->hints[i], NULL, "hint", 0, l->quiz);
    prove_steps(&p, l);
    prove_written(&p, l);
    prove_files(&p, l);
    unsigned devices = o->device_count ? o->device_count : 2;
    for (unsigned i = 0; i < devices && !lib_cancel_flag; i++) {
        p.device = o->device_count ? o->devices[i] : usual[i];
        if (!l->quiz) prove_device(&p, l);
        if (i == 0) prove_measures(&p, l);
    }
    fprintf(to, "%s %s: %d claims hold, %d do not (%.1f s)\n", p.bad ? "FAILED" : "proved", id,
            p.good, p.bad, lib_now() - start);
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

int lab_prove(const prove_options *o) {
    lib_message msg = {0};
    const lib_paths *paths = lib_paths_get(&msg);
    size_t count = o->lab_count;
    char **all = o->lab_count || !paths ? NULL : lib_lab_names(paths, &count);
    if (!paths || !count) {
        fprintf(stdout, "not ok no labs were found: %s\n", msg.text);
        return 1;
    }
    score *scores = mmap(NULL, count * sizeof *scores, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    job *jobs = calloc(count, sizeof *jobs);
    if (scores == MAP_FAILED || !jobs) abort();
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = o->jobs     ? o->jobs
                  : cores > 1 ? (size_t)cores
                              : 1,
           started = 0, running = 0, printed = 0;
    if (most > 64) most = 64;
    fflush(stdout);
    while (printed < count) {
        while (started < count && running < most && !lib_cancel_flag) {
            job *j = &jobs[started];
            j->out = tmpfile();
            if (!j->out) abort();
            j->pid = fork();
            if (j->pid == 0) {
                const char *id = all ? all[started] : o->labs[started];
                score *s = &scores[started];
                s->bad = prove_one(o, id, j->out, &s->good);
                s->done = true;
                fflush(j->out);
                _exit(0);
            }
            started++;
            running += j->pid > 0;
        }
        if (!running) break;
        pid_t pid = waitpid(-1, NULL, 0);
        if (pid < 0 && errno != EINTR) break;
        for (size_t i = 0; pid > 0 && i < started; i++)
            if (jobs[i].pid == pid) jobs[i].pid = 0, running--;
        while (printed < started && jobs[printed].pid == 0) {
            print_file(jobs[printed].out);
            fclose(jobs[printed].out);
            if (!scores[printed].done) {
                fprintf(stdout, "not ok %s the prover ended before it was done\n",
                        all ? all[printed] : o->labs[printed]);
                scores[printed].bad++;
            }
            printed++;
        }
    }
    int good = 0, bad = 0;
    for (size_t i = 0; i < printed; i++) good += scores[i].good, bad += scores[i].bad;
    fprintf(stdout, "%zu lab%s: %d claims hold, %d do not\n", printed, printed == 1 ? "" : "s",
            good, bad);
    if (printed < count) bad++;
    munmap(scores, count * sizeof *scores);
    free(jobs);
    if (all) lib_lab_names_free(all, count);
    return bad;
}
