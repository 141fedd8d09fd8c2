/* `warplab grade LAB FILE.cu`: grades one submission; prints the verdict and writes reports in the
 * chosen formats. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/say.h"
#include "runner/base/cancel.h"
#include "runner/base/clock.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/term/i18n.h"
#include "runner/term/text.h"
#include "runner/grade/failures.h"
#include "runner/grade/grading.h"
#include "runner/lesson/lab.h"
#include "runner/lesson/measure.h"
#include "runner/cli/cli.h"
#include "grader/report.h"
#include "grader/result.h"
#include "words/cli.h"

/* ---- the terminal's report ---- */

/* Prints text of several lines from a program or a source. */
static void print_plain(FILE *to, const char *text, size_t n, const char *indent, int max_lines) {
    char *shown = lib_shown(text, n);
    int lines = 0;
    for (const char *p = shown; p && *p && lines < max_lines;) {
        size_t length = strcspn(p, "\n");
        fprintf(to, "%s%.*s\n", indent, (int)length, p);
        p += length + (p[length] == '\n');
        if (++lines == max_lines && *p) fprintf(to, "%s[...]\n", indent);
    }
    free(shown);
}

/* Hashes a message without its numbers: cases that fail in the same way have their message only
 * once. */
static uint64_t alike(const char *text) {
    uint64_t h = 14695981039346656037u;
    for (bool number = false; *text; text++) {
        bool digit = isxdigit((unsigned char)*text) && (number || isdigit((unsigned char)*text));
        if (!digit) h = (h ^ (unsigned char)*text) * 1099511628211u;
        number = digit || (number && (*text == 'x' || *text == '.'));
    }
    return h;
}

typedef struct {
    uint64_t seen[8];
    size_t count;
} told;

static bool told_before(told *t, const char *message) {
    uint64_t h = alike(message);
    for (size_t i = 0; i < t->count; i++)
        if (t->seen[i] == h) return true;
    if (t->count < sizeof t->seen / sizeof *t->seen) t->seen[t->count++] = h;
    return false;
}

static void print_case(const grade_case_result *c, lib_lang lang, bool for_students, told *t) {
    if (c->hidden && for_students) {
        lib_print(stdout, "  %s %s\n", c->pass ? "ok  " : "FAIL",
                  lib_word(lang, c->pass           ? W_CLI_GRADE_HIDDEN_CASE
                                 : c->has_mismatch ? W_CLI_GRADE_HIDDEN_WRONG
                                                   : W_CLI_GRADE_HIDDEN_NO_END));
        return;
    }
    char params[300] = "";
    for (size_t i = 0, used = 0; i < c->param_count && used < sizeof params; i++)
        used += (size_t)snprintf(params + used, sizeof params - used, "%s%s = %.15g", i ? ", " : "",
                                 c->params[i].name, c->params[i].value);
    char *said = lib_words_take(lang, lib_message_words(&c->message));
    const char *message = said;
    /* The grader's messages include the sizes of the case, but here they are on the line
     * already. */
    char lead[sizeof params + 8];
    lib_words_text(lead, sizeof lead, lang, w_cli_grade_case_lead(params));
    if (!strncmp(message, lead, strlen(lead))) message += strlen(lead);
    bool again = !c->pass && *message && !c->has_mismatch && told_before(t, message);
    lib_print(stdout, "  %s %s%s%s\n", c->pass ? "ok  " : "FAIL",
              c->hidden ? lib_word(lang, W_CLI_GRADE_HIDDEN_CASE) : params,
              lib_word(lang, c->timed ? W_CLI_GRADE_TIMED : 0),
              lib_word(lang, again ? W_CLI_GRADE_SAME : 0));
    if (!again && !c->pass && *message) print_plain(stdout, message, strlen(message), "       ", 6);
    if (!c->pass && c->has_mismatch && *c->picture) lib_print(stdout, "       %s\n", c->picture);
    free(said);
}

/* for_students: leaves out what hidden cases contain, as the other reports for students do. */
static void print_result(const grade_result *r, const char *shown_as, lib_lang lang,
                         bool for_students) {
    static const lib_word_id verdict[] = {[GRADE_PASS] = W_CLI_VERDICT_PASS,
                                          [GRADE_FAIL] = W_CLI_VERDICT_FAIL,
                                          [GRADE_ERROR] = W_CLI_VERDICT_ERROR,
                                          [GRADE_AMBIGUOUS] = W_CLI_VERDICT_AMBIGUOUS,
                                          [GRADE_SUSPECT] = W_CLI_VERDICT_SUSPECT};
    lib_print(stdout, "%s  %s  %s\n", r->lab->id, shown_as, r->device);
    if (!r->build_ok && r->build_log && *r->build_log)
        print_plain(stdout, r->build_log, strlen(r->build_log), "  ", 60);
    told cases = {0};
    for (size_t i = 0; i < r->case_count; i++) print_case(&r->cases[i], lang, for_students, &cases);
    size_t findings = r->finding_count;
    /* Of the findings in hidden cases, only the first kind is printed. Their number and other
     * findings depend on hidden data. */
    for (size_t i = 0; for_students && i < findings; i++)
        if (grade_finding_hidden(r, i)) findings = i + 1;
    for (size_t i = 0; i < findings && i < 8; i++) {
        sim_finding once = r->findings[i];
        if (for_students) once.count = 1;
        char *text = for_students && grade_finding_hidden(r, i)
                         ? lib_words_take(lang, w_cli_grade_finding_hidden(
                                                    lib_word(lang, grade_finding_title(once.kind))))
                         : grade_finding_text(&once, lang);
        lib_print(stdout, "  ! ");
        print_plain(stdout, text, strlen(text), "", 1);
        free(text);
    }
    if (findings > 8) cli_line(stdout, lang, w_cli_grade_more_findings((long long)findings - 8));
    for (size_t i = 0; i < r->goal_count; i++) {
        const grade_goal_result *g = &r->goals[i];
        if (r->verdict == GRADE_ERROR) lib_print(stdout, "  -       -/%-4.3g ", g->goal->points);
        else
            lib_print(stdout, "  %s %4.3g/%-4.3g ", g->pass ? "ok  " : "FAIL", g->points,
                      g->goal->points);
        char *text = lib_words_take(lang, lib_message_words(&g->message));
        print_plain(stdout, text, strlen(text), "", 1);
        free(text);
    }
    if (r->time_us > 0) {
        lib_words_print(stdout, lang, w_cli_grade_time(r->time_us));
        if (r->baseline_us > 0)
            lib_words_print(stdout, lang, w_cli_grade_baseline(r->baseline_us, r->speedup));
        putchar('\n');
    }
    char *message =
        lib_words_take(lang, for_students ? grade_result_said(r) : lib_message_words(&r->message));
    if (*message && !told_before(&cases, message))
        print_plain(stdout, message, strlen(message), "  ", 12);
    free(message);
    /* A program may print its inputs. */
    if (r->output_len && r->verdict != GRADE_PASS && !for_students) {
        lib_print(stdout, "  %s\n", lib_word(lang, W_CLI_GRADE_PRINTED));
        print_plain(stdout, r->output, r->output_len, "  | ", 12);
    }
    if (r->verdict == GRADE_ERROR) /* no score, never zero points */
        lib_print(stdout, "%s  %s\n", lib_word(lang, verdict[r->verdict]),
                  lib_word(lang, W_CLI_GRADE_NO_SCORE));
    else
        lib_print(stdout, "%s  %.4g/%.4g\n", lib_word(lang, verdict[r->verdict]), r->score,
                  r->max_score);
}

/* ---- options ---- */

static bool read_seed(const char *text, uint64_t *seed) {
    char *end;
    if (!text) return true;
    errno = 0;
    *seed = strtoull(text, &end, 0);
    return !errno && *text && *text != '-' && !*end;
}

static bool read_seconds(const char *text, double *seconds) {
    char *end;
    if (!text) return true;
    *seconds = strtod(text, &end);
    return !*end && *seconds > 0 && *seconds <= 86400;
}

/* The results of racing blocks depend on how many blocks run at the same time. Therefore a result
 * with wrong outputs or a race is graded again with one block after another, as in a batch: then it
 * does not depend on the number of cores. Two blocks that store equal values are no race, but on
 * several cores they may look like one: a block that checks its store may find the mark of the
 * other, and not yet its value. With one block after another each check finds the values of all
 * stores before it. */
static grade_verdict grade_same_everywhere(lab *l, const char *source, grading_options *o,
                                           grade_result *r) {
    grade_verdict v = lab_grade(l, source, o, r);
    bool wrong = false;
    for (size_t i = 0; i < r->case_count; i++) wrong = wrong || r->cases[i].has_mismatch;
    for (size_t i = 0; i < r->finding_count; i++)
        wrong = wrong || r->findings[i].kind == SIM_FIND_RACE;
    if (!wrong || lib_cancel_flag || strncmp(r->device, "sim:", 4) || lib_cores() < 2) return v;
    grade_result_free(r);
    o->threads = 1;
    return lab_grade(l, source, o, r);
}

/* Words that may be in the place of a lab's id. No lab may have such a name. */
static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} verbs[] = {{"status", cmd_grade_status},
             {"explain", cmd_grade_explain},
             {"regrade", cmd_grade_again},
             {"exam", cmd_grade_exam}};

typedef struct {
    const char *device, *seed, *secret, *limit, *compile;
    const char *report[GRADE_REPORT_FORMATS]; /* path of each report; "-": stdout */
    bool no_sandbox, quiet, first_failure;
    lib_lang lang;
} grade_args;

/* Returns -1, or the exit status of a message. */
static int write_reports(const char *const *path, const grade_result *r, lib_lang lang) {
    int status = -1;
    for (unsigned i = 0; i < GRADE_REPORT_FORMATS; i++) {
        if (!path[i]) continue;
        char *text = grade_report(r, i, lang);
        lib_message msg;
        if (!text) status = cli_fail(CLI_ERROR, w_cli_out_of_memory());
        else if (!lib_write_file(path[i], text, strlen(text), &msg))
            status = cli_say(CLI_ERROR, &msg);
        else if (!strcmp(path[i], "-") && *text && text[strlen(text) - 1] != '\n') putchar('\n');
        free(text);
    }
    return status;
}

/* Reads the values into *o. Returns -1, or the exit status of a message. */
static int read_values(grade_args *a, grading_options *o) {
    grading_options_init(o);
    if (!read_seed(a->seed, &o->seed)) return cli_fail(CLI_USAGE, w_cli_grade_seed(a->seed));
    if (!read_seed(a->secret, &o->secret))
        return cli_fail(CLI_USAGE, w_cli_grade_secret(a->secret));
    /* With --seed a grading can be repeated, including the choice of sampled blocks. */
    o->sample = o->seed + 1;
    if (!a->seed && getrandom(&o->sample, sizeof o->sample, 0) != sizeof o->sample)
        return cli_fail(CLI_ERROR, w_cli_no_random_numbers(errno));
    if (!read_seconds(a->limit, &o->time_limit_s))
        return cli_fail(CLI_USAGE, w_cli_grade_time_limit(a->limit));
    if (!read_seconds(a->compile, &o->compile_limit_s))
        return cli_fail(CLI_USAGE, w_cli_grade_compile_limit(a->compile));
    o->device = a->device;
    o->mode = a->no_sandbox ? SANDBOX_NONE : SANDBOX_REQUIRED;
    o->first_failure_only = a->first_failure;
    return -1;
}

/* Returns the lab of the submission `file`; or NULL and the exit status of a message. */
static lab *lab_to_grade(const char *typed, const char *file, int *status) {
    lib_message msg = {0};
    char *id = cli_lab(typed, &msg);
    if (!id) return *status = cli_say(CLI_USAGE, &msg), NULL;
    if (access(file, R_OK)) {
        free(id);
        return *status = cli_fail(CLI_USAGE, w_cli_cannot_read(file, errno)), NULL;
    }
    lab *l = lab_load(lib_paths_get(&msg)->root, id, &msg);
    free(id);
    if (!l) return *status = cli_say(CLI_ERROR, &msg), NULL;
    if (!l->quiz) return l;
    *status = cli_fail(CLI_USAGE, w_cli_grade_quiz(l->id, l->grade.goals[0].points));
    lab_free(l);
    return NULL;
}

static int grade_file(const char *id, const char *file, grade_args *a) {
    grading_options o;
    grade_result r;
    int status = read_values(a, &o);
    if (status >= 0) return status;
    lab *l = lab_to_grade(id, file, &status);
    if (!l) return status;
    o.shown_as = file;
    grade_verdict verdict = grade_same_everywhere(l, file, &o, &r);
    failures_add_result(&r);
    bool stdout_taken = false;
    for (unsigned i = 0; i < GRADE_REPORT_FORMATS; i++)
        stdout_taken = stdout_taken || (a->report[i] && !strcmp(a->report[i], "-"));
    if (!stdout_taken && !a->quiet) print_result(&r, file, a->lang, o.secret != 0);
    else if (verdict == GRADE_ERROR) cli_fail(CLI_ERROR, lib_message_words(&r.message));
    status = write_reports(a->report, &r, a->lang);
    if (status < 0) status = lib_cancel_flag ? CLI_ERROR : grading_status(verdict);
    grade_result_free(&r);
    lab_free(l);
    return status;
}

int cmd_grade(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--batch", 7)) return cmd_grade_batch(argc, argv);
    for (size_t k = 0; argc > 1 && k < sizeof verbs / sizeof *verbs; k++)
        if (!strcmp(argv[1], verbs[k].name)) {
            argv[1] = argv[0]; /* --help looks this name up */
            return verbs[k].run(argc - 1, argv + 1);
        }
    grade_args a = {0};
    cli_option options[10 + GRADE_REPORT_FORMATS] = {
        {.name = "device", .value = &a.device},
        {.name = "seed", .value = &a.seed},
        {.name = "secret", .value = &a.secret},
        {.name = "lang", .lang = &a.lang},
        {.name = "time-limit", .value = &a.limit},
        {.name = "no-sandbox", .flag = &a.no_sandbox},
        {.name = "quiet", .flag = &a.quiet},
        {.name = "compile-limit", .value = &a.compile},
        {.name = "first-failure", .flag = &a.first_failure}};
    for (unsigned i = 0; i < GRADE_REPORT_FORMATS; i++)
        options[9 + i] = (cli_option){.name = grade_report_at(i)->option, .value = &a.report[i]};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (argc != 3) return cli_fail(CLI_USAGE, w_cli_grade_operands(argc - 1));
    return grade_file(argv[1], argv[2], &a);
}
