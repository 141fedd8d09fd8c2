/* `warplab grade --batch`: a folder or archive of submissions, graded by worker processes (grader/course/course.h),
 * and `warplab gradebook`.
 *
 *   options --> grade_batch (who, where, seeds, toolchain)
 *           --grade_batch_run()--> for each submission: lab_load(), grading_run()
 *
 * Progress goes to stderr, a line a submission; the summary to stdout. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/sha256.h"
#include "grader/course/course.h"
#include "runner/grade/failures.h"
#include "runner/grade/grading.h"
#include "runner/lesson/lab.h"
#include "runner/lesson/measure.h"
#include "runner/cli/cli.h"

enum { LABS = 256, SECONDS_OF_WORKER = 420 };

typedef struct {
    const char *root;
    const char *device;
    sandbox_mode mode;
    double time_limit_s;
    struct {
        char id[LAB_ID_MAX];
        char hash[65]; /* "" : there is no such lab */
    } labs[LABS];
    size_t lab_count;
    lab_header *headers; /* of every lab, once somebody asked */
    size_t header_count;
    bool quiet;
} batch_user;

/* ---- the version of a lab: everything that a verdict follows from, but the submission ---- */

static void add_file(lib_sha256 *h, const char *path) {
    size_t n = 0;
    lib_message ignored;
    char *text = lib_read_file(path, 0, &n, &ignored);
    const char *slash = strrchr(path, '/');
    lib_sha256_add_text(h, slash ? slash + 1 : path);
    if (text) lib_sha256_add(h, text, n);
    free(text);
}

static int is_header(const struct dirent *e) {
    size_t n = strlen(e->d_name);
    return (n > 2 && !strcmp(e->d_name + n - 2, ".h")) ||
           (n > 4 && !strcmp(e->d_name + n - 4, ".cuh"));
}

static void hash_lab(const batch_user *u, const char *id, char hex[65]) {
    char path[1200];
    struct dirent **names = NULL;
    lib_sha256 h;
    lib_sha256_init(&h);
    snprintf(path, sizeof path, "%s/labs/%s.lua", u->root, id);
    add_file(&h, path);
    snprintf(path, sizeof path, "%s/kernels/%s.cu", u->root, id);
    add_file(&h, path);
    snprintf(path, sizeof path, "%s/kernels", u->root);
    int n = scandir(path, &names, is_header, alphasort);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/kernels/%s", u->root, names[i]->d_name);
        add_file(&h, path);
        free(names[i]);
    }
    free(names);
    lib_sha256_end_hex(&h, hex);
}

/* Labs that are handed in as a folder. */
static bool folder_of(void *user, const char *id) {
    batch_user *u = user;
    if (!u->headers) u->header_count = lab_list(u->root, &u->headers);
    for (size_t i = 0; i < u->header_count; i++)
        if (!strcmp(u->headers[i].id, id)) return u->headers[i].folder;
    return false;
}

static const char *version_of(void *user, const char *id) {
    batch_user *u = user;
    if (strlen(id) >= LAB_ID_MAX) return NULL;
    size_t i = 0;
    while (i < u->lab_count && strcmp(u->labs[i].id, id) != 0) i++;
    if (i == u->lab_count) {
        if (i == LABS) return NULL; /* nobody has so many labs: names that are none */
        u->lab_count++;
        snprintf(u->labs[i].id, sizeof u->labs[i].id, "%s", id);
        u->labs[i].hash[0] = 0;
        if (lab_exists(u->root, id)) hash_lab(u, id, u->labs[i].hash);
    }
    return u->labs[i].hash[0] ? u->labs[i].hash : NULL;
}

/* ---- one submission, in its worker ---- */

static int grade_one(void *user, const grade_batch *b, const char *id, const char *source,
                     const char *work, grade_result *r, lib_message *msg) {
    batch_user *u = user;
    (void)work;
    lab *l = lab_load(u->root, id, msg);
    if (!l) return -1;
    if (l->quiz) {
        lib_message_set2(msg, "%s is a quiz, scored at the prompt: there is no file to grade",
                         "%s 是测验，在提示符下计分，没有文件可评分", id);
        return -1;
    }
    char shown[LAB_ID_MAX + 4];
    snprintf(shown, sizeof shown, "%s.cu", id);
    grading_options o;
    grading_options_init(&o);
    o.device = u->device;
    o.seed = b->seed;
    o.secret = b->secret;
    o.mode = u->mode;
    o.time_limit_s = u->time_limit_s;
    o.shown_as = shown;
    o.threads = 1; /* the cores are busy with other submissions */
    lab_grade(l, u->root, source, &o, r);
    return 0; /* the lab stays: the result points into it, and the process ends */
}

/* Each record as it is there. */
static void on_record(void *user, size_t done, size_t total, const char *student, const char *id,
                      const char *state, double score, double max_score, const char *why) {
    batch_user *u = user;
    if (!strcmp(state, "infra_error")) failures_add(id, u->device, why);
    if (u->quiet) return;
    fprintf(stderr, "[%zu/%zu] %s %s: %s", done, total, student, id, state);
    if (!strcmp(state, "graded") || !strcmp(state, "suspect"))
        fprintf(stderr, " %.4g/%.4g", score, max_score);
    fputc('\n', stderr);
}

/* ---- the command ---- */

static bool option_number(const char *text, uint64_t max, uint64_t *value) {
    char *end;
    if (!text) return true;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 0);
    if (errno || !*text || *text == '-' || *end || v > max) return false;
    *value = v;
    return true;
}

static int print_summary(const grade_batch_summary *s, int rc, const char *out) {
    printf("%zu submissions: %zu graded, %zu not gradable, %zu to be reviewed, %zu ambiguous, %zu "
           "could not "
           "be graded",
           s->total, s->graded, s->ungradable, s->suspect, s->ambiguous, s->infra_error);
    if (s->skipped) printf("; %zu were done before", s->skipped);
    if (s->refused)
        printf("; %zu files are no submissions (%s/manifest.json says why)", s->refused, out);
    putchar('\n');
    if (s->infra_error + s->ambiguous) printf("start it again to grade what is left\n");
    return rc == 0 ? CLI_PASSED : CLI_ERROR;
}

typedef struct {
    const char *in, *out, *jobs, *device, *seed, *secret, *asked, *shard, *limit, *partition, *time,
        *tasks, *at_once;
    bool slurm, no_sandbox, no_reports, quiet;
} batch_args;

static int on_slurm(grade_batch *b, const batch_args *a, grade_batch_summary *sum,
                    lib_message *msg) {
    char self[PATH_MAX], in[PATH_MAX], seed[32], secret[32];
    uint64_t tasks = 8, at_once = 0;
    if (!option_number(a->tasks, 100000, &tasks) || !tasks ||
        !option_number(a->at_once, 100000, &at_once)) {
        lib_message_set(msg, "--tasks and --at-once take numbers");
        return -1;
    }
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0 || !realpath(a->in, in)) {
        lib_message_set(msg, "cannot open %s: %s", a->in, strerror(errno));
        return -1;
    }
    self[n] = 0;
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)b->seed);
    snprintf(secret, sizeof secret, "%llu", (unsigned long long)b->secret);
    const char *command[24];
    size_t k = 0;
    const char *const fixed[] = {self,     "grade",    "--batch",     in,       "--out",
                                 b->out,   "--device", b->device,     "--seed", seed,
                                 "--jobs", "1",        "--no-reports"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) command[k++] = fixed[i];
    if (b->secret) command[k++] = "--secret", command[k++] = secret;
    if (a->limit) command[k++] = "--time-limit", command[k++] = a->limit;
    if (a->no_sandbox) command[k++] = "--no-sandbox";
    command[k] = NULL;
    grade_slurm s = {.command = command,
                     .partition = a->partition,
                     .time = a->time,
                     .tasks = (unsigned)tasks,
                     .at_once = (unsigned)at_once};
    return grade_slurm_run(b, &s, sum, msg);
}

/* "NVIDIA H200, compute capability 9.0, driver 580.1" of the device that is graded on; "" for a
 * simulated one. */
typedef struct {
    const char *device;
    char text[200];
} gpu_kind;
static void find_kind(void *user, const char *name, const char *what, bool available,
                      const char *why) {
    gpu_kind *k = user;
    (void)why;
    if (!available || strcmp(name, k->device) || strncmp(name, "gpu:", 4)) return;
    const char *id = strstr(what, ", GPU-");
    snprintf(k->text, sizeof k->text, "%.*s", id ? (int)(id - what) : (int)strlen(what), what);
}

static int run_batch(const batch_args *a, lib_lang lang) {
    lib_message msg = {0};
    uint64_t jobs = 0, limit = 0;
    batch_user u = {.device = a->device ? a->device : grading_device(),
                    .mode = a->no_sandbox ? SANDBOX_NONE : SANDBOX_REQUIRED,
                    .quiet = a->quiet};
    grade_batch b = {.in = a->in,
                     .lang = lang,
                     .ingest = !a->shard,
                     .reports = !a->shard && !a->no_reports,
                     .worker_limit_s = SECONDS_OF_WORKER,
                     .cancel = lib_cancel(),
                     .lab_version = version_of,
                     .lab_folder = folder_of,
                     .grade = grade_one,
                     .progress = on_record,
                     .user = &u,
                     .device = u.device};
    if (!option_number(a->jobs, 256, &jobs))
        return cli_fail(CLI_USAGE, "grade: --jobs takes a number up to 256, found %s", a->jobs);
    if (!option_number(a->limit, 3600, &limit))
        return cli_fail(CLI_USAGE, "grade: --time-limit takes seconds up to 3600, found %s",
                        a->limit);
    if (!option_number(a->seed, UINT64_MAX, &b.seed))
        return cli_fail(CLI_USAGE, "grade: --seed takes a number, found %s", a->seed);
    if (!option_number(a->secret, UINT64_MAX, &b.secret))
        return cli_fail(CLI_USAGE, "grade: --secret takes a number, found %s", a->secret);
    if (a->shard && (sscanf(a->shard, "%u/%u", &b.shard, &b.shards) != 2 || b.shard >= b.shards))
        return cli_fail(CLI_USAGE, "grade: --shard takes I/N with I below N, found %s", a->shard);
    if (!build_arch(u.device))
        return cli_fail(CLI_USAGE, "unknown device %s; `warplab devices` shows them all", u.device);
    /* With a seed of one's own and no secret, a grading can be repeated from the command line
     * alone. */
    b.own_secret = !b.secret && !a->seed;
    b.jobs = (unsigned)jobs;
    u.time_limit_s = (double)limit;
    const lib_paths *p = lib_paths_get(&msg);
    const build_toolchain *t = p ? build_toolchain_get(&msg) : NULL;
    if (!t) return cli_fail(CLI_ERROR, "%s", msg.text);
    if (!a->no_sandbox && !sandbox_get()->works)
        return cli_fail(
            CLI_ERROR,
            "submissions are not graded without a sandbox: %s\n--no-sandbox grades them all the "
            "same, with your own rights",
            sandbox_get()->why_not);
    u.root = p->root;
    char tools[320], out[PATH_MAX];
    snprintf(tools, sizeof tools, "nvcc %s sm_%u%s", t->version, build_arch(u.device),
             limit ? a->limit : "");
    /* Two kinds of GPU, or of driver, are two devices: their times are not compared. */
    gpu_kind kind = {.device = u.device};
    dev_list(find_kind, &kind);
    size_t used = strlen(tools);
    if (*kind.text) snprintf(tools + used, sizeof tools - used, " on %s", kind.text);
    b.toolchain = tools;
    if (!lib_make_folders(a->out, &msg)) return cli_fail(CLI_ERROR, "%s", msg.text);
    if (!realpath(a->out, out))
        return cli_fail(CLI_ERROR, "cannot open %s: %s", a->out, strerror(errno));
    b.out = out;
    grade_batch_summary sum = {0};
    int rc = a->slurm ? on_slurm(&b, a, &sum, &msg) : grade_batch_run(&b, &sum, &msg);
    if (*msg.text) cli_fail(CLI_ERROR, "%s", msg.text);
    if (rc < 0) return CLI_ERROR;
    int status = print_summary(&sum, rc, a->out);
    if (b.reports) printf("%s/reports/index.html\n", a->out);
    return status;
}

int cmd_grade_batch(int argc, char **argv) {
    batch_args a = {0};
    const cli_option options[] = {{.name = "batch", .value = &a.in},
                                  {.name = "out", .value = &a.out},
                                  {.name = "jobs", .value = &a.jobs},
                                  {.name = "device", .value = &a.device},
                                  {.name = "seed", .value = &a.seed},
                                  {.name = "secret", .value = &a.secret},
                                  {.name = "lang", .value = &a.asked},
                                  {.name = "shard", .value = &a.shard},
                                  {.name = "time-limit", .value = &a.limit},
                                  {.name = "slurm", .flag = &a.slurm},
                                  {.name = "slurm-partition", .value = &a.partition},
                                  {.name = "slurm-time", .value = &a.time},
                                  {.name = "tasks", .value = &a.tasks},
                                  {.name = "at-once", .value = &a.at_once},
                                  {.name = "no-sandbox", .flag = &a.no_sandbox},
                                  {.name = "no-reports", .flag = &a.no_reports},
                                  {.name = "quiet", .flag = &a.quiet},
                                  {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    lib_lang lang;
    if (status >= 0) return status;
    if (!a.in || !a.out || argc != 1)
        return cli_fail(CLI_USAGE, "usage: warplab grade --batch DIR --out DIR [--jobs N] "
                                   "[--slurm]; --help lists the rest");
    if (!cli_lang(a.asked, &lang))
        return cli_fail(CLI_USAGE, "grade: --lang takes en or zh, found %s", a.asked);
    return run_batch(&a, lang);
}

/* ---- gradebook ---- */

static int print_or_write(char *text, const char *path, const lib_message *why) {
    lib_message msg = {0};
    if (!text) return cli_fail(CLI_ERROR, "%s", why->text);
    bool ok = lib_write_file(path ? path : "-", text, strlen(text), &msg);
    free(text);
    return ok ? CLI_PASSED : cli_fail(CLI_ERROR, "%s", msg.text);
}

int cmd_gradebook(int argc, char **argv) {
    const char *asked = NULL, *only = NULL, *csv = NULL, *json = NULL, *canvas = NULL,
               *moodle = NULL, *roster = NULL;
    const cli_option options[] = {
        {.name = "lang", .value = &asked},    {.name = "lab", .value = &only},
        {.name = "csv", .value = &csv},       {.name = "json", .value = &json},
        {.name = "canvas", .value = &canvas}, {.name = "moodle", .value = &moodle},
        {.name = "roster", .value = &roster}, {.name = NULL}};
    int status = cli_options(&argc, argv, options, false);
    lib_lang lang;
    lib_message msg = {0};
    if (status >= 0) return status;
    if (!cli_lang(asked, &lang))
        return cli_fail(CLI_USAGE, "gradebook: --lang takes en or zh, found %s", asked);
    if (argc == 3 && !strcmp(argv[1], "list"))
        return print_or_write(gradebook_list(argv[2], only, lang, &msg), NULL, &msg);
    if (argc == 4 && !strcmp(argv[1], "compare")) {
        size_t differ = 0;
        status =
            print_or_write(gradebook_compare(argv[2], argv[3], lang, &differ, &msg), NULL, &msg);
        return status == CLI_PASSED && differ ? CLI_FAILED : status;
    }
    if (argc == 3 && !strcmp(argv[1], "export")) {
        if (!csv && !json && !canvas && !moodle) csv = "-";
        if (csv && (status = print_or_write(gradebook_export(argv[2], GRADEBOOK_CSV, &msg), csv,
                                            &msg)) != CLI_PASSED)
            return status;
        if (json && (status = print_or_write(gradebook_export(argv[2], GRADEBOOK_JSON, &msg), json,
                                             &msg)) != CLI_PASSED)
            return status;
        if (canvas && (status = print_or_write(grade_csv_canvas(argv[2], roster, &msg), canvas,
                                               &msg)) != CLI_PASSED)
            return status;
        if (moodle && (status = print_or_write(grade_csv_moodle(argv[2], roster, &msg), moodle,
                                               &msg)) != CLI_PASSED)
            return status;
        return CLI_PASSED;
    }
    if (argc == 3 && !strcmp(argv[1], "rebuild")) {
        if (gradebook_rebuild(argv[2], &msg) || grade_batch_reports(argv[2], lang, &msg))
            return cli_fail(CLI_ERROR, "%s", msg.text);
        return CLI_PASSED;
    }
    return cli_fail(CLI_USAGE,
                    "usage: warplab gradebook list|export|rebuild OUT, or compare OUT OUT; OUT is "
                    "the folder of a batch; --help lists the options");
}
