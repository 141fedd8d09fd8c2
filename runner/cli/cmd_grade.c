/* `warplab grade LAB FILE.cu`: one submission, its verdict on the terminal and in the formats asked
 * for. `warplab check`: a lesson proved. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/term/i18n.h"
#include "runner/term/text.h"
#include "runner/grade/failures.h"
#include "runner/grade/grading.h"
#include "runner/lesson/lab.h"
#include "runner/lesson/measure.h"
#include "runner/lesson/prove.h"
#include "runner/cli/cli.h"

/* ---- the terminal's report ---- */

static const char *say(lib_lang lang, const char *en, const char *zh) {
    return lang == LIB_ZH ? zh : en;
}

/* Text from a program or a source: no control character reaches the terminal. */
static void print_plain(FILE *to, const char *text, size_t n, const char *indent, int max_lines) {
    int lines = 0;
    for (size_t i = 0; i < n && lines < max_lines;) {
        size_t end = i;
        while (end < n && text[end] != '\n') end++;
        fputs(indent, to);
        for (; i < end; i++)
            fputc(iscntrl((unsigned char)text[i]) && text[i] != '\t' ? '?' : text[i], to);
        fputc('\n', to);
        i = end + 1;
        lines++;
        if (lines == max_lines && i < n) fprintf(to, "%s[...]\n", indent);
    }
}

/* What a message says when its numbers are left out: cases that fail alike say it once. */
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
        printf("  %s %s%s\n", c->pass ? "ok  " : "FAIL", say(lang, "a hidden case", "隐藏用例"),
               c->pass           ? ""
               : c->has_mismatch ? say(lang, ": a wrong output", "：输出错误")
                                 : say(lang, ": it did not come to a right end", "：没有正常结束"));
        return;
    }
    char params[300] = "";
    for (size_t i = 0, used = 0; i < c->param_count && used < sizeof params; i++)
        used += (size_t)snprintf(params + used, sizeof params - used, "%s%s = %.15g", i ? ", " : "",
                                 c->params[i].name, c->params[i].value);
    const char *message = lang == LIB_ZH && *c->message_zh ? c->message_zh : c->message;
    /* The grader's messages stand alone; here the case's sizes are on the line already. */
    const char *colon = lang == LIB_ZH ? "：" : ": ";
    if (!strncmp(message, params, strlen(params)) &&
        !strncmp(message + strlen(params), colon, strlen(colon)))
        message += strlen(params) + strlen(colon);
    bool again = !c->pass && *message && !c->has_mismatch && told_before(t, message);
    printf("  %s %s%s%s\n", c->pass ? "ok  " : "FAIL",
           c->hidden ? say(lang, "a hidden case", "隐藏用例") : params,
           c->timed ? say(lang, " (timed)", "（计时）") : "",
           again ? say(lang, ": the same", "：同上") : "");
    if (again) return;
    if (!c->pass && *message) print_plain(stdout, message, strlen(message), "       ", 6);
    if (!c->pass && c->has_mismatch && *c->picture) printf("       %s\n", c->picture);
}

/* for_students: what a hidden case was is left out, as in the other reports that students read. */
static void print_result(const grade_result *r, const char *shown_as, lib_lang lang,
                         bool for_students) {
    static const char *const verdict[][2] = {[GRADE_PASS] = {"PASS", "通过"},
                                             [GRADE_FAIL] = {"FAIL", "未通过"},
                                             [GRADE_ERROR] = {"COULD NOT GRADE", "无法评分"},
                                             [GRADE_AMBIGUOUS] = {"AMBIGUOUS", "无法判定"},
                                             [GRADE_SUSPECT] = {"SUSPECT", "可疑"}};
    printf("%s  %s  %s\n", r->lab->id, shown_as, r->device);
    if (!r->build_ok && r->build_log && *r->build_log)
        print_plain(stdout, r->build_log, strlen(r->build_log), "  ", 60);
    told cases = {0};
    for (size_t i = 0; i < r->case_count; i++) print_case(&r->cases[i], lang, for_students, &cases);
    size_t findings = r->finding_count;
    /* Of what hidden cases found the first kind is told; how often, and what else, goes with their
     * data. */
    for (size_t i = 0; for_students && i < findings; i++)
        if (grade_finding_hidden(r, i)) findings = i + 1;
    for (size_t i = 0; i < findings && i < 8; i++) {
        sim_finding once = r->findings[i];
        if (for_students) once.count = 1;
        char *text = for_students && grade_finding_hidden(r, i)
                         ? lib_format("%s%s", grade_finding_title(once.kind, lang),
                                      say(lang, ", in a hidden case", "（在隐藏用例中）"))
                         : grade_finding_text(&once, lang);
        printf("  ! ");
        print_plain(stdout, text, strlen(text), "", 1);
        free(text);
    }
    if (findings > 8)
        printf("  ! %zu %s\n", findings - 8, say(lang, "more findings", "处问题未列出"));
    for (size_t i = 0; i < r->goal_count; i++) {
        const grade_goal_result *g = &r->goals[i];
        printf("  %s %4.3g/%-4.3g ", g->pass ? "ok  " : "FAIL", g->points, g->goal->points);
        const char *text = *g->message[lang] ? g->message[lang] : g->message[LIB_EN];
        print_plain(stdout, text, strlen(text), "", 1);
    }
    if (r->time_us > 0) {
        printf("  %s %.2f us", say(lang, "time", "用时"), r->time_us);
        if (r->baseline_us > 0)
            printf(", %s %.2f us, %s %.2fx", say(lang, "baseline", "基线"), r->baseline_us,
                   say(lang, "speedup", "加速"), r->speedup);
        putchar('\n');
    }
    const char *message = for_students                       ? grade_result_said(r, lang)
                          : lang == LIB_ZH && *r->message_zh ? r->message_zh
                                                             : r->message;
    if (*message && !told_before(&cases, message))
        print_plain(stdout, message, strlen(message), "  ", 12);
    /* A program may print what it is called with. */
    if (r->output_len && r->verdict != GRADE_PASS && !for_students) {
        printf("  %s\n", say(lang, "it printed:", "程序输出："));
        print_plain(stdout, r->output, r->output_len, "  | ", 12);
    }
    printf("%s  %.4g/%.4g\n", verdict[r->verdict][lang], r->score, r->max_score);
}

/* ---- options ---- */

static bool read_seed(const char *text, uint64_t *seed) {
    char *end;
    if (!text) return true;
    errno = 0;
    *seed = strtoull(text, &end, 0);
    return !errno && *text && *text != '-' && !*end;
}

typedef struct {
    const char *path;
    char *(*make)(const grade_result *r, lib_lang lang);
} report;

static char *make_json(const grade_result *r, lib_lang lang) {
    return grade_report_json(r, lang, true);
}

static char *make_html(const grade_result *r, lib_lang lang) {
    return grade_report_html(r, lang, true);
}

static char *make_student_html(const grade_result *r, lib_lang lang) {
    return grade_report_html(r, lang, false);
}

static int write_reports(const report *reports, size_t n, const grade_result *r, lib_lang lang) {
    int status = -1;
    for (size_t i = 0; i < n; i++) {
        if (!reports[i].path) continue;
        char *text = reports[i].make(r, lang);
        lib_message msg;
        if (!text) status = cli_fail(CLI_ERROR, "out of memory");
        else if (!lib_write_file(reports[i].path, text, strlen(text), &msg))
            status = cli_fail(CLI_ERROR, "%s", msg.text);
        else if (!strcmp(reports[i].path, "-") && *text && text[strlen(text) - 1] != '\n')
            putchar('\n');
        free(text);
    }
    return status;
}

/* What blocks that race leave in memory depends on how many of them run at once. So a result with
 * wrong outputs is found again with one block after another, as a batch does it: then it is the
 * same on any number of cores. */
static grade_verdict grade_same_everywhere(lab *l, const char *root, const char *source,
                                           grading_options *o, grade_result *r) {
    grade_verdict v = lab_grade(l, root, source, o, r);
    bool wrong = false;
    for (size_t i = 0; i < r->case_count; i++) wrong = wrong || r->cases[i].has_mismatch;
    if (!wrong || lib_cancel_flag || strncmp(r->device, "sim:", 4) ||
        sysconf(_SC_NPROCESSORS_ONLN) < 2)
        return v;
    grade_result_free(r);
    o->threads = 1;
    return lab_grade(l, root, source, o, r);
}

/* Words that stand where a lab's id would: no lab may be called so. */
static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} verbs[] = {{"status", cmd_grade_status},
             {"explain", cmd_grade_explain},
             {"regrade", cmd_grade_again},
             {"exam", cmd_grade_exam}};

int cmd_grade(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--batch", 7)) return cmd_grade_batch(argc, argv);
    for (size_t k = 0; argc > 1 && k < sizeof verbs / sizeof *verbs; k++)
        if (!strcmp(argv[1], verbs[k].name)) {
            argv[1] = argv[0]; /* what --help looks up */
            return verbs[k].run(argc - 1, argv + 1);
        }
    const char *device = NULL, *seed = NULL, *json = NULL, *junit = NULL, *gradescope = NULL,
               *asked = NULL, *secret = NULL, *prairielearn = NULL, *classroom = NULL,
               *autolab = NULL, *html = NULL, *limit = NULL, *student_html = NULL;
    bool no_sandbox = false, quiet = false;
    const cli_option options[] = {{.name = "device", .value = &device},
                                  {.name = "seed", .value = &seed},
                                  {.name = "secret", .value = &secret},
                                  {.name = "json", .value = &json},
                                  {.name = "junit", .value = &junit},
                                  {.name = "gradescope", .value = &gradescope},
                                  {.name = "lang", .value = &asked},
                                  {.name = "no-sandbox", .flag = &no_sandbox},
                                  {.name = "quiet", .flag = &quiet},
                                  {.name = "prairielearn", .value = &prairielearn},
                                  {.name = "html", .value = &html},
                                  {.name = "student-html", .value = &student_html},
                                  {.name = "classroom", .value = &classroom},
                                  {.name = "autolab", .value = &autolab},
                                  {.name = "time-limit", .value = &limit},
                                  {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    grading_options o;
    grading_options_init(&o);
    lib_lang lang;
    if (argc != 3)
        return cli_fail(
            CLI_USAGE,
            "grade takes a lab and a .cu file, found %d argument%s\nusage: warplab grade LAB "
            "FILE.cu [options]; --help lists them",
            argc - 1, argc == 2 ? "" : "s");
    if (!cli_lang(asked, &lang))
        return cli_fail(CLI_USAGE, "grade: --lang takes en or zh, found %s", asked);
    if (!read_seed(seed, &o.seed))
        return cli_fail(CLI_USAGE, "grade: --seed takes a number, found %s", seed);
    if (!read_seed(secret, &o.secret))
        return cli_fail(CLI_USAGE, "grade: --secret takes a number, found %s", secret);
    if (limit) {
        char *end;
        o.time_limit_s = strtod(limit, &end);
        if (*end || !(o.time_limit_s > 0) || o.time_limit_s > 86400)
            return cli_fail(CLI_USAGE, "grade: --time-limit takes seconds, found %s", limit);
    }
    lib_message msg = {0};
    char *lesson = cli_lesson_path(argv[1], &msg);
    if (!lesson) return cli_fail(CLI_USAGE, "%s", msg.text);
    free(lesson);
    if (access(argv[2], R_OK))
        return cli_fail(CLI_USAGE, "cannot read %s: %s", argv[2], strerror(errno));
    const lib_paths *p = lib_paths_get(&msg);
    lab *l = p ? lab_load(p->root, argv[1], &msg) : NULL;
    if (!l) return cli_fail(CLI_ERROR, "%s", msg.text);
    if (l->quiz) {
        status = cli_fail(CLI_USAGE,
                          say(lang,
                              "%s is a quiz: there is no file to grade. Its %g points are "
                              "scored by its questions at the prompt: `warplab`, then "
                              "`start %s`",
                              "%s 是测验，没有文件可评分。它的 %g 分由提示符下的提问计分：先运行 "
                              "`warplab`，再输入 `start %s`"),
                          l->id, l->grade.goals[0].points, l->id);
        lab_free(l);
        return status;
    }
    o.device = device;
    o.shown_as = argv[2];
    o.mode = no_sandbox ? SANDBOX_NONE : SANDBOX_REQUIRED;
    grade_result r;
    grade_verdict verdict = grade_same_everywhere(l, p->root, argv[2], &o, &r);
    failures_add_result(&r);
    const report reports[] = {{json, make_json},
                              {junit, grade_report_junit},
                              {gradescope, grade_report_gradescope},
                              {html, make_html},
                              {student_html, make_student_html},
                              {classroom, grade_report_classroom},
                              {prairielearn, grade_report_prairielearn},
                              {autolab, grade_report_autolab}};
    enum { REPORTS = sizeof reports / sizeof *reports };
    bool stdout_taken = false;
    for (size_t i = 0; i < REPORTS; i++)
        stdout_taken = stdout_taken || (reports[i].path && !strcmp(reports[i].path, "-"));
    if (!stdout_taken && !quiet) print_result(&r, argv[2], lang, o.secret != 0);
    else if (verdict == GRADE_ERROR) cli_fail(CLI_ERROR, "%s", r.message);
    status = write_reports(reports, REPORTS, &r, lang);
    if (status < 0) status = lib_cancel_flag ? CLI_ERROR : grading_status(verdict);
    grade_result_free(&r);
    lab_free(l);
    return status;
}

/* ---- check ---- */

int cmd_check(int argc, char **argv) {
    const char *device = NULL, *asked = NULL, *jobs = NULL;
    bool verbose = false;
    const cli_option options[] = {{.name = "device", .value = &device},
                                  {.name = "lang", .value = &asked},
                                  {.name = "jobs", .value = &jobs},
                                  {.name = "verbose", .flag = &verbose},
                                  {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    prove_options o = {.verbose = verbose};
    if (jobs) {
        char *end;
        unsigned long n = strtoul(jobs, &end, 10);
        if (*end || n < 1 || n > 64)
            return cli_fail(CLI_USAGE, "check: --jobs takes a number from 1 to 64, found %s", jobs);
        o.jobs = (unsigned)n;
    }
    if (!cli_lang(asked, &o.lang))
        return cli_fail(CLI_USAGE, "check: --lang takes en or zh, found %s", asked);
    lib_message msg;
    for (int i = 1; i < argc; i++) {
        char *path = cli_lesson_path(argv[i], &msg);
        if (!path) return cli_fail(CLI_USAGE, "%s", msg.text);
        free(path);
    }
    const lib_paths *p = lib_paths_get(&msg);
    if (!p) return cli_fail(CLI_ERROR, "%s", msg.text);
    o.root = p->root;
    o.labs = (const char *const *)(argv + 1);
    o.lab_count = (unsigned)(argc - 1);
    /* "sim:h200,sim:t4": one after the other. */
    const char *devices[16];
    char *list = device ? lib_strdup(device) : NULL, *save = NULL;
    for (char *d = list ? strtok_r(list, ",", &save) : NULL; d && o.device_count < 16;
         d = strtok_r(NULL, ",", &save)) {
        if (!build_arch(d)) {
            status = cli_fail(CLI_USAGE,
                              "check: unknown device %s; `warplab devices` shows them all", d);
            free(list);
            return status;
        }
        devices[o.device_count++] = d;
    }
    o.devices = devices;
    int failures = lab_prove(&o);
    free(list);
    return lib_cancel_flag ? CLI_ERROR : failures ? CLI_FAILED : CLI_PASSED;
}
