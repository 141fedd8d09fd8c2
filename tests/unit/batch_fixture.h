/* For tests of the batch: a folder of its own, a grader that only reads the file, and what a batch
 * left behind. */
#ifndef WARPLAB_BATCH_FIXTURE_H
#define WARPLAB_BATCH_FIXTURE_H

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "runner/base/message.h"
#include "grader/course/course.h"
#include "grader/course/store.h"
#include "grader/grade.h"
#include "grader/lab.h"
#include "grader/result.h"
#include "tests/check.h"
#include "tests/said.h"

static char root[200];
static grade_goal goals[] = {{.kind = GRADE_GOAL_CORRECT, .points = 10}};
static const grade_lab lab = {
    .id = "add", .title = {"Add", "加法"}, .goals = goals, .goal_count = 1};

static inline const char *in(const char *name) {
    static char p[16][400];
    static int k;
    char *s = p[k = (k + 1) % 16];
    snprintf(s, sizeof p[0], "%s/%s", root, name);
    return s;
}
static inline void put(const char *name, const char *text) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *s = path + strlen(root) + 1; (s = strchr(s, '/')); s++) {
        *s = 0;
        mkdir(path, 0700);
        *s = '/';
    }
    FILE *f = fopen(path, "w");
    if (f) fputs(text, f), fclose(f);
}
static inline void nap(double s) {
    nanosleep(&(struct timespec){(time_t)s, (long)((s - (double)(time_t)s) * 1e9)}, NULL);
}

/* ---- the callback ---- */

static int calls_log = -1; /* one byte a grading */
static const char *made = "v1";
static inline const char *version(void *user, const char *name) {
    (void)user;
    return strcmp(name, "add") && strcmp(name, "other") ? NULL : made;
}
static inline int grade_one(void *user, const grade_batch *b, const char *name, const char *source,
                            const char *folder, grade_result *r, lib_message *msg) {
    char text[200] = "", file[600];
    (void)user, (void)name;
    if (calls_log >= 0 && write(calls_log, "x", 1) != 1) abort();
    FILE *f = fopen(source, "r");
    if (!f || !fgets(text, sizeof text, f)) {
        char why[700];
        snprintf(why, sizeof why, "cannot read %s", source);
        tell(msg, why, NULL);
        if (f) fclose(f);
        return -1;
    }
    fclose(f);
    /* the work folder is there, and is removed afterwards */
    snprintf(file, sizeof file, "%s/scratch", folder);
    f = fopen(file, "w");
    if (f) fclose(f);
    nap(0.002);
    if (!strncmp(text, "crash", 5)) abort();
    if (!strncmp(text, "exit", 4)) _exit(3);
    if (!strncmp(text, "hang", 4)) nap(60);
    if (!strncmp(text, "kill", 4)) kill(getpid(), SIGKILL);
    if (!strncmp(text, "lab", 3)) return tell(msg, "the lesson does not load", NULL), -1;
    grade_options o = {.device = "sim:h200", .seed = b->seed, .secret = b->secret};
    grade_result_init(r, &lab, &o);
    r->score = atof(text);
    r->goals[0].pass = r->score == 10;
    r->goals[0].points = r->score;
    r->verdict = !strncmp(text, "ambiguous", 9)                            ? GRADE_AMBIGUOUS
                 : !strncmp(text, "suspect", 7)                            ? GRADE_SUSPECT
                 : !strncmp(text, "infra", 5) || !strncmp(text, "nope", 4) ? GRADE_ERROR
                 : r->score == 10                                          ? GRADE_PASS
                                                                           : GRADE_FAIL;
    r->ungradable = !strncmp(text, "nope", 4);
    if (!strncmp(text, "once", 4)) { /* fails the first time, passes when tried again */
        snprintf(file, sizeof file, "%s/../../once", folder);
        if (access(file, F_OK)) {
            close(open(file, O_CREAT | O_WRONLY, 0600));
            r->verdict = GRADE_ERROR;
        } else r->verdict = GRADE_PASS;
    }
    r->output = strdup("hello");
    r->output_len = 5;
    return 0;
}

static inline grade_batch batch(const char *from, const char *out) {
    return (grade_batch){.in = from,
                         .out = out,
                         .jobs = 2,
                         .device = "sim:h200",
                         .toolchain = "13.0",
                         .seed = 1,
                         .ingest = true,
                         .lab_version = version,
                         .grade = grade_one,
                         .worker_limit_s = 0.5};
}
static grade_batch_plan planned;
static inline void on_plan(void *user, const grade_batch_plan *p) {
    (void)user;
    planned = *p;
}
static grade_batch_summary sum;
static lib_message msg;

static inline json_t *record_of(const char *out, const char *student, const char *which) {
    store_manifest m;
    int fd = open(out, O_RDONLY | O_DIRECTORY);
    json_t *r = NULL;
    if (manifest_load(&m, fd, &msg))
        for (size_t i = 0; i < m.count; i++)
            if (!strcmp(m.entry[i].student, student) && !strcmp(m.entry[i].lab, which))
                r = record_load(fd, m.entry[i].key);
    manifest_free(&m);
    close(fd);
    return r;
}
static inline void check_state(const char *out, const char *student, const char *which,
                               const char *state, const char *says) {
    json_t *r = record_of(out, student, which);
    printf("# %s %s\n", student, which);
    CHECK_STR(json_string_value(json_object_get(r, "state")), state);
    if (says) CHECK_CONTAINS(json_string_value(json_object_get(r, "message")), says);
    json_decref(r);
}

/* One of the lines about what could not be placed. */
static inline void check_left(const char *out, const char *line) {
    store_manifest m;
    int fd = open(out, O_RDONLY | O_DIRECTORY);
    bool there = false;
    if (manifest_load(&m, fd, &msg))
        for (size_t i = 0; i < m.left_count; i++) there |= strstr(m.left[i], line) != NULL;
    if (!there)
        for (size_t i = 0; i < m.left_count; i++) printf("# left: %s\n", m.left[i]);
    printf("# %s\n", line);
    CHECK(there);
    manifest_free(&m);
    close(fd);
}

static inline size_t files_in(const char *folder) {
    DIR *d = opendir(folder);
    size_t n = 0;
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

/* All records of a batch, one after the other in the order of their names. */
static inline char *records(const char *out) {
    lib_buffer b = {0};
    store_manifest m;
    int fd = open(out, O_RDONLY | O_DIRECTORY);
    if (manifest_load(&m, fd, &msg))
        for (size_t i = 0; i < m.count; i++) {
            char path[96];
            size_t n;
            snprintf(path, sizeof path, "records/%s.json", m.entry[i].key);
            char *text = store_read(fd, path, 1 << 20, &n);
            lib_buffer_puts(&b, text ? text : "(none)");
            free(text);
        }
    manifest_free(&m);
    close(fd);
    return lib_buffer_take(&b);
}

static inline double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t open_before;
/* First and last in main(): every file is closed again. KEEP=1 leaves the folder. */
static inline bool batch_begin(void) {
    snprintf(root, sizeof root, "/tmp/warplab-batch-XXXXXX");
    if (!mkdtemp(root)) return false;
    open_before = files_in("/proc/self/fd");
    return true;
}
static inline int batch_done(void) {
    CHECK_INT(files_in("/proc/self/fd"), open_before);
    if (getenv("KEEP")) printf("# %s\n", root);
    else store_remove_tree(AT_FDCWD, root);
    return check_done();
}

#endif
