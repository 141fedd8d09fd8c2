/* `warplab grade --batch`: grades a folder or archive of submissions in worker processes
 * (grader/course/course.h). Also `grade regrade`.
 *
 *   options --> grade_batch (who, where, seeds, toolchain)
 *           --grade_batch_run()--> for each submission: lab_load(), grading_run()
 *
 * Progress goes to stderr, one line per submission; the summary goes to stdout. */
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/cancel.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/base/paths.h"
#include "runner/base/say.h"
#include "runner/base/sha256.h"
#include "runner/base/clock.h"
#include "grader/course/course.h"
#include "grader/intake/intake.h"
#include "grader/intake/when.h"
#include "grader/result.h"
#include "runner/course/course_file.h"
#include "runner/grade/failures.h"
#include "runner/grade/grading.h"
#include "runner/lesson/lab.h"
#include "runner/lesson/measure.h"
#include "runner/lesson/pack.h"
#include "runner/cli/cli.h"
#include "words/cli.h"

enum { LABS = 256, SECONDS_OF_WORKER = 420 };

typedef struct {
    const char *root;
    const char *pack; /* the pack whose labs take precedence; NULL: Warplab's own */
    const char *device;
    sandbox_mode mode;
    double time_limit_s, compile_limit_s;
    struct {
        char id[LAB_ID_MAX];
        char hash[65]; /* "": there is no such lab */
    } labs[LABS];
    size_t lab_count;
    lab_header *headers; /* of all labs; NULL: not read yet */
    size_t header_count;
    bool quiet, dry;
    lib_lang lang;
    double begin;      /* start of the grading, for its rate */
    size_t todo, told; /* submissions to grade; submissions reported */
} batch_user;

/* ---- the version of a lab: everything on which a verdict depends, except the submission ---- */

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

/* Returns the full id of a lab. Submissions use the lab's short name, even for a pack's lab.
 * malloc'ed; NULL: there is no such lab. */
static char *full_id(const batch_user *u, const char *id) {
    lib_message ignored;
    char *own = u->pack ? lib_format("%s/%s", u->pack, id) : NULL;
    if (own && lab_exists(u->root, own)) return own;
    free(own);
    return lab_find(u->root, id, &ignored);
}

/* Returns the folder with the lab's labs/ and kernels/, and in *name the lab's name there. */
static char *lab_home(const batch_user *u, const char *full, const char **name) {
    const char *slash = strchr(full, '/');
    *name = slash ? slash + 1 : full;
    if (!slash) return lib_strdup(u->root);
    char *pack = lib_format("%.*s", (int)(slash - full), full), *home = pack_folder(pack);
    free(pack);
    return home;
}

static void hash_lab(const batch_user *u, const char *full, char hex[65]) {
    char path[1200];
    struct dirent **names = NULL;
    lib_sha256 h;
    lib_sha256_init(&h);
    const char *id;
    char *home = lab_home(u, full, &id);
    snprintf(path, sizeof path, "%s/labs/%s.lua", home, id);
    add_file(&h, path);
    snprintf(path, sizeof path, "%s/kernels/%s.cu", home, id);
    add_file(&h, path);
    snprintf(path, sizeof path, "%s/kernels", home);
    int n = scandir(path, &names, is_header, alphasort);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/kernels/%s", home, names[i]->d_name);
        add_file(&h, path);
        free(names[i]);
    }
    free(names);
    free(home);
    lib_sha256_end_hex(&h, hex);
}

/* Skeleton and baseline: what a submission shares with them does not make it similar to others. */
static char *given_of(void *user, const char *id) {
    const batch_user *u = user;
    char path[1200];
    lib_buffer b = {0};
    lib_message ignored;
    static const char *const folders[] = {"labs", "kernels"};
    const char *name = id;
    char *full = full_id(u, id), *home = lab_home(u, full ? full : id, &name);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t n;
        snprintf(path, sizeof path, "%s/%s/%s.cu", home, folders[i], name);
        char *text = lib_read_file(path, 1 << 20, &n, &ignored);
        lib_buffer_puts(&b, text ? text : "");
        lib_buffer_puts(&b, "\n");
        free(text);
    }
    free(home);
    free(full);
    return lib_buffer_take(&b);
}

static const lab_header *header_of(batch_user *u, const char *id) {
    if (!u->headers) u->header_count = lab_list(u->root, &u->headers);
    char *full = full_id(u, id);
    const lab_header *h = NULL;
    for (size_t i = 0; full && i < u->header_count; i++)
        if (!strcmp(u->headers[i].id, full)) h = &u->headers[i];
    free(full);
    return h;
}

/* Returns whether a lab is handed in as a folder. */
static bool folder_of(void *user, const char *id) {
    const lab_header *h = header_of(user, id);
    return h && h->folder;
}

static bool quiz_of(void *user, const char *id) {
    const lab_header *h = header_of(user, id);
    return h && h->quiz;
}

static const char *version_of(void *user, const char *id) {
    batch_user *u = user;
    if (strlen(id) >= LAB_ID_MAX) return NULL;
    size_t i = 0;
    while (i < u->lab_count && strcmp(u->labs[i].id, id) != 0) i++;
    if (i == u->lab_count) {
        if (i == LABS) return NULL; /* too many labs: these are misspelt names */
        u->lab_count++;
        snprintf(u->labs[i].id, sizeof u->labs[i].id, "%s", id);
        u->labs[i].hash[0] = 0;
        char *full = full_id(u, id);
        if (full) hash_lab(u, full, u->labs[i].hash);
        free(full);
    }
    return u->labs[i].hash[0] ? u->labs[i].hash : NULL;
}

/* ---- one submission, in its worker ---- */

static int grade_one(void *user, const grade_batch *b, const char *id, const char *source,
                     const char *work, grade_result *r, lib_message *msg) {
    batch_user *u = user;
    (void)work;
    char *full = full_id(u, id);
    lab *l = lab_load(u->root, full ? full : id, msg);
    free(full);
    if (!l) return -1;
    char shown[LAB_ID_MAX + 4];
    snprintf(shown, sizeof shown, "%s.cu", id);
    grading_options o;
    grading_options_init(&o);
    o.device = u->device;
    o.seed = b->seed;
    o.secret = b->secret;
    o.sample = b->seed + 1;
    o.mode = u->mode;
    o.time_limit_s = u->time_limit_s;
    o.compile_limit_s = u->compile_limit_s;
    o.shown_as = shown;
    o.threads = 1; /* the other cores grade other submissions */
    lab_grade(l, source, &o, r);
    return 0; /* the lab is not freed: the result points into it, and the process ends soon */
}

/* Prints what will be graded, and why earlier results are graded again. */
static void on_plan(void *user, const grade_batch_plan *p) {
    batch_user *u = user;
    FILE *to = u->dry ? stdout : stderr;
    u->begin = lib_now();
    u->todo = p->fresh + p->changed + p->again;
    if (u->quiet && !u->dry) return;
    cli_line(to, u->lang,
             w_cli_batch_plan((long long)u->todo, (long long)p->fresh, (long long)p->changed,
                              (long long)p->again, (long long)p->done));
    if (!*p->why) return;
    cli_line(to, u->lang, w_cli_batch_what_changed());
    lib_print_text(to, p->why);
}

/* "(1.8 a second, about 2 min 5 s left)" */
static void print_rate(const batch_user *u) {
    double took = lib_now() - u->begin, rate = (double)u->told / took;
    if (!(took > 0.5) || !u->told || u->told >= u->todo) return;
    lib_message left;
    when_say_span((double)(u->todo - u->told) / rate + 0.5, &left);
    lib_words_print(stderr, u->lang,
                    rate >= 1 ? w_cli_batch_rate_second(rate, &left)
                              : w_cli_batch_rate_minute(60 * rate, &left));
}

/* Prints a new record. */
static void on_record(void *user, size_t done, size_t total, const char *student, const char *id,
                      const char *state, double score, double max_score, const char *why) {
    batch_user *u = user;
    u->told = done;
    if (!strcmp(state, "infra_error")) failures_add(id, u->device, why);
    if (u->quiet) return;
    lib_words_print(stderr, u->lang,
                    w_cli_batch_record((long long)done, (long long)total, student, id,
                                       course_state_word(state, u->lang)));
    if (!strcmp(state, "graded") || !strcmp(state, "suspect"))
        lib_print(stderr, " %.4g/%.4g", score, max_score);
    print_rate(u);
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

typedef struct {
    lib_lang lang;
    const char *in, *out, *jobs, *device, *seed, *secret, *shard, *limit, *partition, *time, *tasks,
        *at_once, *from, *lab, *roster, *at, *prefix, *course, *pack, *compile;
    bool slurm, no_sandbox, no_reports, quiet, changed, dry;
} batch_args;

/* Prints what a person must look at. Returns true if there is anything; the exit status is then 3,
 * so that a script stops. The task of a cluster takes nothing in; these messages were printed where
 * that was done. */
static bool print_left(const grade_batch_summary *s, const batch_args *a) {
    if (a->shard) return false;
    if (a->in && !*s->importer) {
        char *all = intake_importers(a->lang);
        cli_line(stdout, a->lang, w_cli_batch_layout_unknown(a->in, all));
        free(all);
    }
    if (s->left) {
        cli_line(stdout, a->lang, w_cli_batch_left_over((long long)s->left, a->out));
        for (size_t i = 0; i < 3 && i < s->left; i++) {
            fputs("  ", stdout);
            lib_words_print(stdout, a->lang, lib_message_words(&s->first_left[i]));
            putchar('\n');
        }
        if (s->left > 3) lib_print(stdout, "  ...\n");
    }
    return s->left || (a->in && !*s->importer);
}

/* Prints extensions of unknown students, perhaps misspelt. This is only a warning, because the
 * student may hand in later. */
static void print_strangers(const batch_args *a, const char *rules) {
    char *text = a->shard ? NULL : course_strangers(a->out, rules, a->lang);
    if (text) lib_print_text(stdout, text);
    free(text);
}

static int print_summary(const grade_batch_summary *s, int rc, const batch_args *a) {
    if (*s->importer) cli_line(stdout, a->lang, w_cli_batch_layout(a->in, s->layout));
    lib_words_print(stdout, a->lang,
                    w_cli_batch_summary((long long)s->total, (long long)s->graded,
                                        (long long)s->ungradable, (long long)s->suspect,
                                        (long long)s->ambiguous, (long long)s->infra_error));
    if (s->skipped)
        lib_words_print(stdout, a->lang, w_cli_batch_done_before((long long)s->skipped));
    if (s->uncounted)
        lib_words_print(stdout, a->lang, w_cli_batch_uncounted((long long)s->uncounted));
    if (s->refused)
        lib_words_print(stdout, a->lang, w_cli_batch_refused((long long)s->refused, a->out));
    putchar('\n');
    if (s->roster)
        cli_line(stdout, a->lang,
                 w_cli_batch_roster((long long)s->without, (long long)s->off_roster));
    bool left = print_left(s, a);
    if (rc && s->infra_error + s->ambiguous) cli_line(stdout, a->lang, w_cli_batch_start_again());
    return rc == 0 && !left ? CLI_PASSED : CLI_ERROR;
}

static int on_slurm(grade_batch *b, const batch_args *a, grade_batch_summary *sum,
                    lib_message *msg) {
    char self[PATH_MAX], in[PATH_MAX], seed[32], secret[32];
    uint64_t tasks = 8, at_once = 0;
    if (!option_number(a->tasks, 100000, &tasks) || !tasks ||
        !option_number(a->at_once, 100000, &at_once)) {
        lib_message_set(msg, w_cli_tasks_take_numbers());
        return -1;
    }
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0 || !realpath(a->in, in)) {
        lib_message_set(msg, w_cli_cannot_open(a->in, errno));
        return -1;
    }
    self[n] = 0;
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)b->seed);
    snprintf(secret, sizeof secret, "%llu", (unsigned long long)b->secret);
    const char *command[26];
    size_t k = 0;
    const char *const fixed[] = {self,     "grade",    "--batch",     in,       "--out",
                                 b->out,   "--device", b->device,     "--seed", seed,
                                 "--jobs", "1",        "--no-reports"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) command[k++] = fixed[i];
    if (b->secret) command[k++] = "--secret", command[k++] = secret;
    if (a->limit) command[k++] = "--time-limit", command[k++] = a->limit;
    if (a->compile) command[k++] = "--compile-limit", command[k++] = a->compile;
    if (a->pack) command[k++] = "--pack", command[k++] = a->pack;
    if (a->no_sandbox) command[k++] = "--no-sandbox";
    command[k] = NULL;
    grade_slurm s = {.command = command,
                     .partition = a->partition,
                     .time = a->time,
                     .tasks = (unsigned)tasks,
                     .at_once = (unsigned)at_once};
    return grade_slurm_run(b, &s, sum, msg);
}

/* "NVIDIA H200, compute capability 9.0, driver 580.1" for the device of this grading; "" for a
 * simulated one. */
typedef struct {
    const char *device;
    char text[200];
} gpu_kind;
static void find_kind(void *user, const char *name, const lib_message *said,
                      const lib_message *why) {
    gpu_kind *k = user;
    char what[512];
    if (why || strcmp(name, k->device) || strncmp(name, "gpu:", 4)) return;
    lib_message_text(what, sizeof what, LIB_EN, said);
    const char *id = strstr(what, ", GPU-");
    snprintf(k->text, sizeof k->text, "%.*s", id ? (int)(id - what) : (int)strlen(what), what);
}

/* ---- the options of a grading, kept for later runs: OUT/settings.json ---- */

static const char *kept_text(const json_t *o, const char *key, const char *given) {
    const char *kept = json_string_value(json_object_get(o, key));
    return given ? given : kept;
}

/* Sets options that were left out to their earlier values. The texts point into the returned
 * object, which the caller releases. */
static json_t *settings_read(batch_args *a) {
    char path[PATH_MAX];
    size_t n;
    lib_message ignored;
    snprintf(path, sizeof path, "%s/settings.json", a->out);
    char *text = lib_read_file(path, 1 << 16, &n, &ignored);
    json_t *o = text ? json_loadb(text, n, 0, NULL) : NULL;
    free(text);
    a->device = kept_text(o, "device", a->device);
    a->seed = kept_text(o, "seed", a->seed);
    a->limit = kept_text(o, "time_limit", a->limit);
    a->compile = kept_text(o, "compile_limit", a->compile);
    a->pack = kept_text(o, "pack", a->pack);
    return o;
}

static char *settings_of(const batch_args *a, const char *device) {
    json_t *o = json_object();
    json_object_set_new(o, "device", json_string(device));
    if (a->seed) json_object_set_new(o, "seed", json_string(a->seed));
    if (a->limit) json_object_set_new(o, "time_limit", json_string(a->limit));
    if (a->compile) json_object_set_new(o, "compile_limit", json_string(a->compile));
    if (a->pack) json_object_set_new(o, "pack", json_string(a->pack));
    char *text = json_dumps(o, JSON_INDENT(1));
    json_decref(o);
    return text;
}

static lab_pack *installed_pack(const char *name, lib_message *msg) {
    char *folder = pack_folder(lib_lab_id_valid(name) ? name : "-");
    lab_pack *p = NULL;
    if (lib_is_folder(folder)) p = pack_read(folder, msg);
    else lib_message_set(msg, w_cli_no_pack(name));
    free(folder);
    return p;
}

/* A time of pack.lua without a zone is in UTC, whatever zone the course has. */
static json_t *pack_moment(const char *text) {
    int64_t utc, other;
    bool zoned = when_read(text, 0, &utc) && when_read(text, 60, &other) && utc == other;
    char *moment = lib_format("%s%s", text, zoned ? "" : " +00:00");
    json_t *o = json_string(moment);
    free(moment);
    return o;
}

/* Turns a pack's deadlines and weights into rules of a course; NULL: no memory. */
static char *rules_of_pack(const lab_pack *p) {
    json_t *labs = json_object();
    for (size_t i = 0; i < p->lab_count; i++) {
        const pack_lab *l = &p->labs[i];
        if (!*l->deadline && !(l->points > 0)) continue;
        json_t *o = json_object();
        if (*l->deadline) json_object_set_new(o, "deadline", pack_moment(l->deadline));
        if (l->points > 0) json_object_set_new(o, "points", json_real(l->points));
        json_object_set_new(labs, l->id, o);
    }
    json_t *all = json_pack("{s:o}", "labs", labs);
    char *text = all ? json_dumps(all, JSON_INDENT(1) | JSON_SORT_KEYS) : NULL;
    json_decref(all);
    return text;
}

/* Returns NULL if there is no pack, or on an error with *msg set. */
static char *pack_rules(const batch_args *a, lib_message *msg) {
    lab_pack *pack = a->pack ? installed_pack(a->pack, msg) : NULL;
    char *rules = pack ? rules_of_pack(pack) : NULL;
    free(pack);
    return rules;
}

/* Checks that all labs in course.lua exist. They have their short names, as in submissions. */
static bool rules_known(batch_user *u, const char *rules, lib_message *msg) {
    if (!u->headers) u->header_count = lab_list(u->root, &u->headers);
    const char **ids = calloc(u->header_count + 1, sizeof *ids);
    for (size_t i = 0; ids && i < u->header_count; i++) {
        const char *slash = strchr(u->headers[i].id, '/');
        ids[i] = slash ? slash + 1 : u->headers[i].id;
    }
    bool ok = !ids || course_labs_known(rules, ids, u->header_count, msg);
    free(ids);
    return ok;
}

/* Reads the numeric options into the batch. Returns -1, or the exit status of a message. */
static int read_batch_values(const batch_args *a, grade_batch *b, batch_user *u) {
    uint64_t jobs = 0, limit = 0, compile = 0;
    if (!option_number(a->jobs, 256, &jobs)) return cli_fail(CLI_USAGE, w_cli_grade_jobs(a->jobs));
    if (!option_number(a->limit, 3600, &limit))
        return cli_fail(CLI_USAGE, w_cli_grade_time_limit_of_batch(a->limit));
    if (!option_number(a->compile, 3600, &compile))
        return cli_fail(CLI_USAGE, w_cli_grade_compile_limit_of_batch(a->compile));
    if (!option_number(a->seed, UINT64_MAX, &b->seed))
        return cli_fail(CLI_USAGE, w_cli_grade_seed(a->seed));
    if (!option_number(a->secret, UINT64_MAX, &b->secret))
        return cli_fail(CLI_USAGE, w_cli_grade_secret(a->secret));
    if (a->from && !intake_importer_known(a->from)) {
        char *all = intake_importers(a->lang);
        int status = cli_fail(CLI_USAGE, w_cli_grade_from(all, a->from));
        free(all);
        return status;
    }
    if (a->shard &&
        (sscanf(a->shard, "%u/%u", &b->shard, &b->shards) != 2 || b->shard >= b->shards))
        return cli_fail(CLI_USAGE, w_cli_grade_shard(a->shard));
    if (!build_arch(u->device)) return cli_fail(CLI_USAGE, w_cli_unknown_device(u->device));
    /* With --seed and without --secret, the command line alone can repeat a grading. */
    b->own_secret = !b->secret && !a->seed;
    b->jobs = (unsigned)jobs;
    u->time_limit_s = (double)limit;
    u->compile_limit_s = (double)compile;
    return -1;
}

/* Finds the labs' folder and the tools. `tools` gets a text that differs if two gradings may
 * differ. Returns -1, or the exit status of a message. */
static int find_tools(const batch_args *a, batch_user *u, char *tools, size_t size) {
    lib_message msg = {0};
    const lib_paths *p = lib_paths_get(&msg);
    const build_toolchain *t = p ? build_toolchain_get(&msg) : NULL;
    if (!t) return cli_say(CLI_ERROR, &msg);
    if (!a->no_sandbox && !sandbox_get()->works)
        return cli_fail(CLI_ERROR, w_cli_no_sandbox_to_grade(&sandbox_get()->why_not));
    u->root = p->root;
    u->pack = a->pack;
    if (a->lab && !version_of(u, a->lab)) return cli_fail(CLI_USAGE, w_cli_grade_no_lab(a->lab));
    snprintf(tools, size, "nvcc %s sm_%u%s%s%s", t->version, build_arch(u->device),
             u->time_limit_s > 0 ? a->limit : "", u->compile_limit_s > 0 ? " compile " : "",
             u->compile_limit_s > 0 ? a->compile : "");
    char switches[SIM_SWITCHES];
    size_t used = strlen(tools);
    snprintf(tools + used, size - used, "%s%s", build_disassembler() ? "" : " nvdisasm=none",
             sim_switches(switches, sizeof switches));
    /* Another kind of GPU or driver is another device: their times are not comparable. */
    gpu_kind kind = {.device = u->device};
    dev_list(find_kind, &kind);
    used = strlen(tools);
    if (*kind.text) snprintf(tools + used, size - used, " on %s", kind.text);
    return -1;
}

static int run_batch(batch_args *a) {
    lib_message msg = {0};
    batch_user u = {.device = a->device ? a->device : grading_device(),
                    .mode = a->no_sandbox ? SANDBOX_NONE : SANDBOX_REQUIRED,
                    .quiet = a->quiet,
                    .dry = a->dry,
                    .lang = a->lang};
    grade_batch b = {.in = a->in,
                     .lang = a->lang,
                     .ingest = a->in && !a->shard,
                     .again = !a->in,
                     .plan_only = a->dry,
                     .changed_only = a->changed,
                     .from = a->from,
                     .only_lab = a->lab,
                     .roster = a->roster,
                     .at = a->at,
                     .prefix = a->prefix,
                     .reports = !a->shard && !a->no_reports && !a->dry,
                     .plan = on_plan,
                     .worker_limit_s = SECONDS_OF_WORKER,
                     .cancel = lib_cancel(),
                     .lab_version = version_of,
                     .lab_folder = folder_of,
                     .lab_quiz = quiz_of,
                     .lab_given = given_of,
                     .grade = grade_one,
                     .progress = on_record,
                     .user = &u,
                     .device = u.device};
    char tools[320 + SIM_SWITCHES], out[PATH_MAX];
    int status = read_batch_values(a, &b, &u);
    if (status < 0) status = find_tools(a, &u, tools, sizeof tools);
    if (status >= 0) return status;
    b.toolchain = tools;
    if (a->in && !lib_make_folders(a->out, &msg)) return cli_say(CLI_ERROR, &msg);
    if (!realpath(a->out, out)) return cli_fail(CLI_ERROR, w_cli_cannot_open(a->out, errno));
    b.out = out;
    char *of_pack = pack_rules(a, &msg), *rules = a->course && !lib_message_any(&msg)
                                                      ? course_file_read(a->course, "course", &msg)
                                                      : NULL;
    if (lib_message_any(&msg) || (rules && !rules_known(&u, rules, &msg))) {
        free(rules);
        free(of_pack);
        return cli_say(CLI_USAGE, &msg);
    }
    char *settings = settings_of(a, u.device);
    b.rules = rules;
    b.pack_rules = of_pack;
    b.settings = settings;
    grade_batch_summary sum = {0};
    int rc = -1;
    if (grade_batch_known(out, &msg))
        rc = a->slurm ? on_slurm(&b, a, &sum, &msg) : grade_batch_run(&b, &sum, &msg);
    if (lib_message_any(&msg)) cli_say(CLI_ERROR, &msg);
    if (rc >= 0 && !a->dry) status = print_summary(&sum, rc, a);
    if (rc >= 0) print_strangers(a, rules);
    free(rules);
    free(of_pack);
    free(settings);
    if (rc < 0) return CLI_ERROR;
    if (a->dry) return CLI_PASSED;
    if (b.reports) lib_print(stdout, "%s/reports/index.html\n", a->out);
    return status;
}

/* The options of both commands. A command's own options precede them. */
#define OPTIONS_OF_BOTH(a)                                                                         \
    {.name = "jobs", .value = &(a).jobs, .letter = 'j'}, {.name = "device", .value = &(a).device}, \
        {.name = "time-limit", .value = &(a).limit},                                               \
        {.name = "compile-limit", .value = &(a).compile},                                          \
        {.name = "course", .value = &(a).course}, {.name = "lang", .lang = &(a).lang},             \
        {.name = "no-sandbox", .flag = &(a).no_sandbox},                                           \
        {.name = "no-reports", .flag = &(a).no_reports}, {.name = "quiet", .flag = &(a).quiet}, {  \
        .name = NULL                                                                               \
    }

/* The common rest of both commands, after the options are read. */
static int batch_go(batch_args *a) {
    json_t *kept = settings_read(a);
    int status = run_batch(a);
    json_decref(kept);
    return status;
}

int cmd_grade_batch(int argc, char **argv) {
    batch_args a = {0};
    const cli_option options[] = {{.name = "batch", .value = &a.in},
                                  {.name = "out", .value = &a.out},
                                  {.name = "from", .value = &a.from},
                                  {.name = "lab", .value = &a.lab},
                                  {.name = "roster", .value = &a.roster},
                                  {.name = "at", .value = &a.at},
                                  {.name = "prefix", .value = &a.prefix},
                                  {.name = "pack", .value = &a.pack},
                                  {.name = "seed", .value = &a.seed},
                                  {.name = "secret", .value = &a.secret},
                                  {.name = "shard", .value = &a.shard},
                                  {.name = "slurm", .flag = &a.slurm},
                                  {.name = "slurm-partition", .value = &a.partition},
                                  {.name = "slurm-time", .value = &a.time},
                                  {.name = "tasks", .value = &a.tasks},
                                  {.name = "at-once", .value = &a.at_once},
                                  OPTIONS_OF_BOTH(a)};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (!a.in || !a.out || argc != 1) return cli_fail(CLI_USAGE, w_cli_usage_grade_batch());
    return batch_go(&a);
}

/* `warplab grade regrade OUT`: grades what was taken in again, with the present labs, tools and
 * rules. */
int cmd_grade_again(int argc, char **argv) {
    batch_args a = {0};
    const cli_option options[] = {{.name = "changed", .flag = &a.changed},
                                  {.name = "dry-run", .flag = &a.dry, .letter = 'n'},
                                  OPTIONS_OF_BOTH(a)};
    int status = cli_options(&argc, argv, options, false);
    if (status >= 0) return status;
    if (argc != 2) return cli_fail(CLI_USAGE, w_cli_usage_grade_regrade());
    a.out = argv[1];
    return batch_go(&a);
}
