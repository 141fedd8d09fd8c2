/* The batch, with a grader that only reads the file: what is taken in and refused, one bad
 * submission is one bad record, killed at any moment and started again gives the same records byte
 * for byte; CSV, course page, gradebook, Slurm script. */
#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "runner/base/message.h"
#include "grader/course/course.h"
#include "grader/course/similar.h"
#include "grader/course/store.h"
#include "tests/check.h"

static char root[200];
static grade_goal goals[] = {{.kind = GRADE_GOAL_CORRECT, .points = 10}};
static const grade_lab lab = {
    .id = "add", .title = {"Add", "加法"}, .goals = goals, .goal_count = 1};

static const char *in(const char *name) {
    static char p[16][400];
    static int k;
    char *s = p[k = (k + 1) % 16];
    snprintf(s, sizeof p[0], "%s/%s", root, name);
    return s;
}
static void put(const char *name, const char *text) {
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
static void nap(double s) {
    nanosleep(&(struct timespec){(time_t)s, (long)((s - (double)(time_t)s) * 1e9)}, NULL);
}

/* ---- the callback ---- */

static int calls_log = -1; /* one byte a grading */
static const char *made = "v1";
static const char *version(void *user, const char *name) {
    (void)user;
    return strcmp(name, "add") && strcmp(name, "other") ? NULL : made;
}
static int grade_one(void *user, const grade_batch *b, const char *name, const char *source,
                     const char *folder, grade_result *r, lib_message *msg) {
    char text[200] = "", file[600];
    (void)user, (void)name;
    if (calls_log >= 0 && write(calls_log, "x", 1) != 1) abort();
    FILE *f = fopen(source, "r");
    if (!f || !fgets(text, sizeof text, f)) {
        snprintf(msg->text, sizeof msg->text, "cannot read %s", source);
        if (f) fclose(f);
        return -1;
    }
    fclose(f);
    snprintf(file, sizeof file, "%s/scratch",
             folder); /* the work folder is there, and is removed afterwards */
    f = fopen(file, "w");
    if (f) fclose(f);
    nap(0.002);
    if (!strncmp(text, "crash", 5)) abort();
    if (!strncmp(text, "exit", 4)) _exit(3);
    if (!strncmp(text, "hang", 4)) nap(60);
    if (!strncmp(text, "kill", 4)) kill(getpid(), SIGKILL);
    if (!strncmp(text, "lab", 3))
        return snprintf(msg->text, sizeof msg->text, "the lesson does not load"), -1;
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

static grade_batch batch(const char *from, const char *out) {
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
static grade_batch_summary sum;
static lib_message msg;

static json_t *record_of(const char *out, const char *student, const char *which) {
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
static void check_state(const char *out, const char *student, const char *which, const char *state,
                        const char *says) {
    json_t *r = record_of(out, student, which);
    printf("# %s %s\n", student, which);
    CHECK_STR(json_string_value(json_object_get(r, "state")), state);
    if (says) CHECK_CONTAINS(json_string_value(json_object_get(r, "message")), says);
    json_decref(r);
}

/* One of the lines about what could not be placed. */
static void check_left(const char *out, const char *line) {
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

static size_t files_in(const char *folder) {
    DIR *d = opendir(folder);
    size_t n = 0;
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

static void states(void) {
    put("a/ann/add.cu", "10");
    put("a/ann/other.cu", "3");
    put("a/bob/add.cu", "4.5");
    put("a/crash/add.cu", "crash");
    put("a/hang/add.cu", "hang");
    put("a/kill/add.cu", "kill");
    put("a/lesson/add.cu", "lab");
    put("a/amb/add.cu", "ambiguous");
    put("a/sus/add.cu", "suspect");
    put("a/infra/add.cu", "infra");
    put("a/nope/add.cu", "nope");
    put("a/once/add.cu", "once");
    put("a/lost/unknown.cu", "1");
    put("a/notes/readme.txt", "1");
    put("a/top.cu", "1");
    char *big = malloc((2 << 20) + 1);
    memset(big, '/', 2 << 20);
    big[2 << 20] = 0;
    put("a/big/add.cu", big);
    free(big);
    mkdir(in("a/link"), 0700);
    if (symlink("/etc/passwd", in("a/link/add.cu"))) CHECK(0);
    mkdir(in("a/fifo"), 0700);
    if (mkfifo(in("a/fifo/add.cu"), 0600)) CHECK(0);
    char out[400];
    snprintf(out, sizeof out, "%s", in("out-a"));
    grade_batch b = batch(in("a"), out);
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
    CHECK_STR(msg.text, "");
    CHECK_INT(sum.total, 15);
    struct stat st; /* who handed in what is for the graders alone */
    CHECK(!stat(out, &st) && (st.st_mode & 07777) == 0700);
    CHECK(!stat(in("out-a/manifest.json"), &st) && (st.st_mode & 07777) == 0600);
    check_state(out, "ann", "add", "graded", NULL);
    check_state(out, "ann", "other", "graded", NULL);
    check_state(out, "crash", "add", "infra_error", "signal 6");
    check_state(out, "hang", "add", "infra_error", "time limit of 0.5 s");
    check_state(out, "kill", "add", "infra_error", "signal 9");
    check_state(out, "lesson", "add", "infra_error", "the lesson does not load");
    check_state(out, "amb", "add", "ambiguous", NULL);
    check_state(out, "sus", "add", "suspect", NULL);
    check_state(out, "infra", "add", "infra_error", NULL);
    check_state(out, "nope", "add", "ungradable", NULL);
    check_state(out, "once", "add", "graded", NULL);
    check_state(out, "big", "add", "ungradable", "more than 1048576 bytes");
    check_state(out, "link", "add", "ungradable", "not a regular file");
    check_state(out, "fifo", "add", "ungradable", "not a regular file");
    CHECK_INT(sum.graded, 4);
    CHECK_INT(sum.ungradable, 4);
    CHECK_INT(sum.ambiguous, 1);
    CHECK_INT(sum.suspect, 1);
    CHECK_INT(sum.infra_error, 15 - 4 - 4 - 1 - 1);
    CHECK_INT(sum.refused, 1); /* readme.txt */
    /* A name that is no lab's makes no column; somebody has to look: the file and its student, a
     * student with nothing but a read-me, a file that is nobody's. */
    check_left(out, "lost/unknown.cu: there is no lab of the name of unknown.cu");
    check_left(out, "lost: nothing of lost was taken");
    check_left(out, "notes: nothing of notes was taken");
    check_left(out, "top.cu: it is not said whose it is");
    CHECK_INT(sum.left, 4); /* told: the first three */
    CHECK_STR(sum.first_left[0], "lost/unknown.cu: there is no lab of the name of unknown.cu");
    CHECK_STR(sum.first_left[1], "lost: nothing of lost was taken: no file is a lab's");
    CHECK_STR(sum.first_left[2], "notes: nothing of notes was taken: no file is a lab's");
    CHECK_STR(sum.importer, "plain");
    CHECK_STR(sum.layout[LIB_EN], "STUDENT/LAB.cu or an archive a student");
    CHECK_STR(sum.layout[LIB_ZH], "“学生/实验.cu”，或每个学生一个压缩包");
    CHECK_INT(files_in(in("out-a/work")), 0);
    json_t *r = record_of(out, "ann", "add");
    CHECK(!json_object_get(r, "output"));
    json_decref(r);
    /* again: what is final is skipped, infra_error and ambiguous are tried again */
    b.worker_limit_s = 0.2;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
    CHECK_INT(sum.skipped, 9);
    /* an infrastructure failure under the same key never replaces a grade, and under a new key the
     * old grade is still shown */
    put("a/bob/add.cu", "infra");
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
    check_state(out, "bob", "add", "infra_error", NULL);
    put("a/bob/add.cu", "4.5");
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
    check_state(out, "bob", "add", "graded", NULL);
    CHECK(!stat(in("out-a/submissions"), &st));
}

/* An archive of a course that tries everything. */
static void add_file(struct archive *a, const char *path, const char *text, int type,
                     const char *target) {
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, path);
    archive_entry_set_filetype(e, (unsigned)type);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_size(e, type == AE_IFREG ? (la_int64_t)strlen(text) : 0);
    if (target && type == AE_IFLNK) archive_entry_set_symlink(e, target);
    if (target && type == AE_IFREG) archive_entry_set_hardlink(e, target);
    archive_write_header(a, e);
    if (type == AE_IFREG && !target) archive_write_data(a, text, strlen(text));
    archive_entry_free(e);
}
static struct archive *new_archive(const char *path, bool zip) {
    struct archive *a = archive_write_new();
    if (zip) archive_write_set_format_zip(a);
    else {
        archive_write_add_filter_gzip(a);
        archive_write_set_format_pax_restricted(a);
    }
    archive_write_open_filename(a, path);
    return a;
}
static void check_score(const char *out, const char *student, const char *which, double score) {
    json_t *r = record_of(out, student, which);
    CHECK_NEAR(json_number_value(json_object_get(r, "score")), score, 0);
    json_decref(r);
}
static void archives(void) {
    mkdir(in("b"), 0700);
    struct archive *a = new_archive(in("course.tar.gz"), false);
    add_file(a, "hw1/zoe/add.cu", "10", AE_IFREG, NULL);
    add_file(a, "hw1/yan/add.cu", "5", AE_IFREG, NULL);
    add_file(a, "../../../tmp/evil/add.cu", "10", AE_IFREG, NULL);
    add_file(a, "/abs/add.cu", "10", AE_IFREG, NULL);
    add_file(a, "hw1/sym/add.cu", "", AE_IFLNK, "/etc/passwd");
    add_file(a, "hw1/hard/add.cu", "", AE_IFREG, "hw1/zoe/add.cu");
    add_file(a, "add.cu", "10", AE_IFREG, NULL);
    add_file(a, "__MACOSX/zoe/._add.cu", "x", AE_IFREG, NULL);
    add_file(a, "hw1/\x1b[2J/add.cu", "10", AE_IFREG, NULL);
    archive_write_close(a);
    archive_write_free(a);
    char out[400];
    snprintf(out, sizeof out, "%s", in("out-tar"));
    grade_batch b = batch(in("course.tar.gz"), out);
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_INT(sum.total, 2);
    check_left(out, "a path that climbs");
    check_left(out, "abs/add.cu: a path that starts at the root");
    check_left(out, "hw1/sym/add.cu: a link");
    check_left(out, "hw1/hard/add.cu: a link");
    check_left(out, "add.cu: it is not said whose it is");
    check_left(out, "the name of the student has characters");
    CHECK_INT(sum.refused, 0);
    CHECK_INT(sum.left, 6);
    check_state(out, "zoe", "add", "graded", NULL);
    check_state(out, "yan", "add", "graded", NULL);
    CHECK(access("/tmp/evil", F_OK) != 0);

    /* a folder of one zip a student, and one zip of several; a damaged one and a lie */
    a = new_archive(in("b/mia.zip"), true);
    add_file(a, "submission/add.cu", "10", AE_IFREG, NULL);
    add_file(a, "submission/other.cu", "7", AE_IFREG, NULL);
    archive_write_close(a);
    archive_write_free(a);
    a = new_archive(in("b/group.zip"), true);
    add_file(a, "p1/add.cu", "1", AE_IFREG, NULL);
    add_file(a, "p2/add.cu", "2", AE_IFREG, NULL);
    archive_write_close(a);
    archive_write_free(a);
    put("b/lie.zip", "this is no archive");
    char *bytes = NULL;
    size_t n;
    bytes = store_read(AT_FDCWD, in("course.tar.gz"), 1 << 20, &n);
    FILE *f = fopen(in("b/cut.tar.gz"), "w");
    fwrite(bytes, 1, n / 3, f);
    fclose(f);
    free(bytes);
    snprintf(out, sizeof out, "%s", in("out-zip"));
    b = batch(in("b"), out);
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_INT(sum.total, 3);
    check_state(out, "mia", "other", "graded", NULL);
    check_state(out, "group", "add", "graded", NULL);
    check_left(out, "lie.zip: not an archive");
    check_left(out, "cut.tar.gz: ");
    check_left(out, "group has handed in add twice, and which is the later one is not known");

    /* Nobody is somebody else by the name of a folder in an archive of their own. */
    mkdir(in("imp"), 0700);
    a = new_archive(in("imp/mallory.zip"), true);
    add_file(a, "alice/add.cu", "1", AE_IFREG, NULL);
    add_file(a, "bob/add.cu", "2", AE_IFREG, NULL);
    archive_write_close(a);
    archive_write_free(a);
    a = new_archive(in("imp/alice.zip"), true);
    add_file(a, "add.cu", "10", AE_IFREG, NULL);
    archive_write_close(a);
    archive_write_free(a);
    snprintf(out, sizeof out, "%s", in("out-imp"));
    b = batch(in("imp"), out);
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_INT(sum.total, 2);
    CHECK_INT(sum.left, 1);
    check_state(out, "alice", "add", "graded", NULL);
    check_state(out, "mallory", "add", "graded", NULL);
    check_score(out, "alice", "add", 10);
    /* Nor in the archive of a course by a folder in their folder, though all are in sections. */
    a = new_archive(in("sections.tar.gz"), false);
    add_file(a, "hw1/s1/alice/add.cu", "10", AE_IFREG, NULL);
    add_file(a, "./hw1/s1/mallory/alice/add.cu", "1", AE_IFREG, NULL);
    add_file(a, "hw1/s2/bob/src/add.cu", "5", AE_IFREG, NULL);
    archive_write_close(a);
    archive_write_free(a);
    snprintf(out, sizeof out, "%s", in("out-sections"));
    b = batch(in("sections.tar.gz"), out);
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_INT(sum.total, 3);
    CHECK_INT(sum.refused, 0);
    check_score(out, "alice", "add", 10);
    check_score(out, "mallory", "add", 1);
    check_score(out, "bob", "add", 5);
    /* a bomb: a file of zeros that is small on the disk stops at the limit */
    a = new_archive(in("bomb.tar.gz"), false);
    char *zeros = malloc((8 << 20) + 1);
    memset(zeros, ' ', 8 << 20);
    zeros[8 << 20] = 0;
    add_file(a, "bomb/add.cu", zeros, AE_IFREG, NULL);
    free(zeros);
    archive_write_close(a);
    archive_write_free(a);
    snprintf(out, sizeof out, "%s", in("out-bomb"));
    b = batch(in("bomb.tar.gz"), out);
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    check_state(out, "bomb", "add", "ungradable", "more than 1048576 bytes");
    /* limits of the whole */
    snprintf(out, sizeof out, "%s", in("out-limit"));
    b = batch(in("course.tar.gz"), out);
    b.count_limit = 1;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_INT(sum.total, 1);
    b = batch(in("nowhere"), out);
    CHECK_INT(grade_batch_run(&b, &sum, &msg), -1);
    CHECK_CONTAINS(msg.text, "cannot open");
}

/* All records of a batch, one after the other in the order of their names. */
static char *records(const char *out) {
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

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void killed(void) {
    enum { N = 40, KILLS = 10 };
    char name[60], text[20], out[400], whole[400];
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "k/s%03d/add.cu", i);
        snprintf(text, sizeof text, i % 10 ? "%d" : "nope %d", i % 11);
        put(name, text);
    }
    snprintf(whole, sizeof whole, "%s", in("out-whole"));
    snprintf(out, sizeof out, "%s", in("out-killed"));
    grade_batch b = batch(in("k"), whole);
    double begin = seconds();
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    double unbroken = seconds() - begin;
    CHECK_INT(sum.graded, 36);
    b.out = out;
    calls_log = open(in("calls"), O_CREAT | O_WRONLY | O_APPEND, 0600);
    grade_rng g;
    grade_rng_seed(&g, 9, "kills");
    int killed = 0;
    for (int k = 0; k < KILLS; k++) {
        fflush(stdout);
        pid_t pid = fork();
        if (!pid) _exit(grade_batch_run(&b, &sum, &msg) == 0 ? 0 : 1);
        nap(unbroken * (0.01 + 0.1 * grade_rng_uniform(&g)));
        kill(pid, SIGKILL);
        int status;
        waitpid(pid, &status, 0);
        killed += WIFSIGNALED(status);
    }
    CHECK(killed >= 5); /* else this test has tested nothing */
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_STR(msg.text, "");
    char *one = records(whole), *two = records(out);
    CHECK(!strstr(two, "(none)"));
    CHECK_INT(strlen(one), strlen(two));
    CHECK(!strcmp(one, two));
    free(one);
    free(two);
    /* At most the workers that were at work when it was killed were started twice. */
    off_t calls = lseek(calls_log, 0, SEEK_END);
    printf("# %d kills, %ld gradings of %d\n", killed, (long)calls, N);
    CHECK(calls >= N && calls <= N + 2 * KILLS);
    close(calls_log);
    calls_log = -1;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_INT(sum.skipped, N);

    /* in parts, as a cluster does it */
    snprintf(out, sizeof out, "%s", in("out-parts"));
    b.ingest_only = true;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
    b.ingest_only = b.ingest = false;
    b.shards = 3;
    for (b.shard = 0; b.shard < 3; b.shard++) {
        CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
        CHECK_INT(sum.total, b.shard ? 13 : 14); /* every third of 40, and none of the others' */
        CHECK_INT(sum.skipped, 0);
        /* 0, 10, 20 and 30 are none that can be graded: one of each part's, and two of the first's */
        CHECK_INT(sum.graded, 12);
        CHECK_INT(sum.ungradable, b.shard ? 1 : 2);
    }
    b.shards = 0;
    b.gather_only = true;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_INT(sum.graded, 36);
    one = records(whole), two = records(out);
    CHECK(!strcmp(one, two));
    free(one);
    free(two);
}

static void reports(void) {
    char out[400];
    snprintf(out, sizeof out, "%s", in("out-r"));
    put("r/ann/add.cu", "10");
    put("r/=cmd()/add.cu", "2.5");
    put("r/<b>eve/add.cu", "infra");
    put("r/李雷/add.cu", "10");
    grade_batch b = batch(in("r"), out);
    b.reports = true;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
    char *canvas = grade_csv_canvas(out, NULL, &msg);
    CHECK_CONTAINS(
        canvas,
        "Student,ID,SIS User ID,SIS Login ID,Section,add\r\n    Points Possible,,,,,10\r\n");
    CHECK_CONTAINS(canvas, "ann,,,ann,,10\r\n");
    CHECK_CONTAINS(canvas, "<b>eve,,,<b>eve,,\r\n"); /* an infrastructure failure is no zero */
    CHECK_CONTAINS(canvas, "\"'=cmd()\",,,\"'=cmd()\",,2.5\r\n");
    free(canvas);
    put("roster.csv",
        "\xEF\xBB\xBFStudent,ID,SIS User ID,SIS Login ID,Section,add (991)\r\n\"Points "
        "Possible\",,,,,10\r\n\"Lee, \"\"Ann\"\"\",7,u1,ann,S1,\r\nBob,8,u2,bob,S1,3\r\n");
    grade_csv how = {.roster = in("roster.csv")};
    canvas = grade_csv_canvas(out, &how, &msg);
    CHECK_CONTAINS(canvas, "Student,ID,SIS User ID,SIS Login ID,Section,add (991)\r\n");
    CHECK_CONTAINS(canvas, "\"Lee, \"\"Ann\"\"\",7,u1,ann,S1,10\r\n");
    CHECK_CONTAINS(canvas, "Bob,8,u2,bob,S1,3\r\n"); /* nothing of his: the cell stays */
    free(canvas);
    /* Nobody vanishes in silence, and nobody at all is an error. */
    CHECK_INT(how.noted, 3);
    CHECK_CONTAINS(how.first[0], "does not name");
    put("strangers.csv", "Student,ID,SIS User ID,SIS Login ID,Section\nX,1,u9,xavier,S\n");
    how.roster = in("strangers.csv");
    CHECK(!grade_csv_canvas(out, &how, &msg));
    CHECK_CONTAINS(msg.text, "names none of the 4 students");
    CHECK_CONTAINS(msg.text, "there xavier");
    /* Moodle's worksheet is no Canvas gradebook. */
    how.roster = "tests/grade/imports/moodle/worksheet.csv";
    CHECK(!grade_csv_canvas(out, &how, &msg));
    CHECK_CONTAINS(msg.text, "is not Canvas's gradebook");
    put("moodle.csv",
        "Identifier,Full name,Email address\nParticipant 1,Ann Lee,ANN@uni.example\n");
    how.roster = in("moodle.csv");
    char *moodle = grade_csv_moodle(out, &how, &msg);
    CHECK_CONTAINS(
        moodle,
        "Identifier,Full name,Email address,add\r\nParticipant 1,Ann Lee,ANN@uni.example,10\r\n");
    free(moodle);
    /* The worksheet's own Grade, as much as its Maximum Grade is worth; nothing else changes. */
    put("worksheet.csv",
        "\xEF\xBB\xBFIdentifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\"\n"
        "\"Participant 1\",\"Ann Lee\",ann@uni.example,Submitted,-,100.00\n"
        "\"Participant 2\",李雷,li@uni.example,Submitted,-,50.00\n"
        "\"Participant 3\",\"No One\",no@uni.example,,-,100.00\n");
    how.roster = in("worksheet.csv");
    moodle = grade_csv_moodle(out, &how, &msg);
    CHECK_CONTAINS(moodle,
                   "\xEF\xBB\xBFIdentifier,Full name,Email address,Status,Grade,Maximum "
                   "Grade\r\nParticipant 1,Ann Lee,ann@uni.example,Submitted,100,100.00\r\n");
    CHECK_CONTAINS(moodle, "Participant 2,李雷,li@uni.example,Submitted,50,50.00\r\n");
    CHECK_CONTAINS(moodle, "Participant 3,No One,no@uni.example,,-,100.00\r\n");
    free(moodle);
    put("wrong.csv", "a,b\n1,2\n");
    how.roster = in("wrong.csv");
    CHECK(!grade_csv_moodle(out, &how, &msg));
    CHECK_CONTAINS(msg.text, "expected one of SIS Login ID, idnumber");

    char *page = grade_html_course(out, LIB_EN, &msg);
    CHECK_CONTAINS(page, "&lt;b&gt;eve");
    CHECK(page && !strstr(page, "<b>"));
    CHECK_CONTAINS(page, "李雷");
    CHECK_CONTAINS(page, "ann");
    CHECK_CONTAINS(page, "byte for byte");
    CHECK_CONTAINS(page, "<td class=\"n\">10 / 10</td>");
    CHECK_CONTAINS(page, "<td class=\"n\"></td>"); /* what has no score shows none */
    /* One of the three that were graded missed it: a third of a whole bar, 100 wide. */
    const char *missed = page ? strstr(page, "aria-label=\"Goals missed\"") : NULL;
    CHECK_CONTAINS(missed, "width=\"33.3\"");
    CHECK_CONTAINS(missed, "1 of 3");
    free(page);
    CHECK(!access(in("out-r/reports/index.html"), R_OK));
    CHECK_INT(files_in(in("out-r/reports")), 3 + 4 * 4);

    char *list = gradebook_list(out, NULL, LIB_ZH, &msg);
    CHECK_CONTAINS(list, "实验  ");
    CHECK_CONTAINS(list, "学生  ");
    CHECK_CONTAINS(list, "评判  ");
    CHECK_CONTAINS(list, "得分  ");
    CHECK_CONTAINS(list, "加速比");
    free(list);
    list = gradebook_list(out, NULL, LIB_EN, &msg);
    for (const char *c = "lab\0student\0verdict\0score\0speed-up\0"; *c; c += strlen(c) + 1)
        CHECK_CONTAINS(list, c);
    CHECK_CONTAINS(list, "10/10");
    CHECK_CONTAINS(list, "infra_error");
    free(list);
    char *csv = gradebook_export(out, GRADEBOOK_CSV, &msg);
    CHECK_CONTAINS(csv, "\"add\",\"ann\",\"graded\",\"pass\",10,10,");
    CHECK_CONTAINS(csv, "\"add\",\"<b>eve\",\"infra_error\",\"infra_error\",,");
    free(csv);
    char *json = gradebook_export(out, GRADEBOOK_JSON, &msg);
    json_t *j = json ? json_loads(json, 0, NULL) : NULL;
    CHECK_INT(json_array_size(j), 4);
    for (size_t i = 0; i < json_array_size(j); i++) { /* each with its goals, as they were judged */
        const json_t *o = json_array_get(j, i), *g = json_object_get(o, "goals");
        bool graded = !strcmp(json_string_value(json_object_get(o, "state")), "graded");
        if (!graded) continue;
        CHECK_INT(json_array_size(g), 1);
        double got = json_number_value(json_object_get(o, "score"));
        g = json_array_get(g, 0);
        CHECK_STR(json_string_value(json_object_get(g, "kind")), "correct");
        CHECK(json_number_value(json_object_get(g, "points")) == got);
        CHECK(json_number_value(json_object_get(g, "max_points")) == 10);
        CHECK(json_is_true(json_object_get(g, "pass")) == (got == 10));
    }
    json_decref(j);
    free(json);
    /* two gradings */
    char other[400];
    size_t differ = 99;
    snprintf(other, sizeof other, "%s", in("out-r2"));
    put("r/ann/add.cu", "9");
    b.out = other;
    grade_batch_run(&b, &sum, &msg);
    char *text = gradebook_compare(out, other, LIB_EN, &differ, &msg);
    CHECK_INT(differ, 1);
    CHECK_CONTAINS(text, "add/ann: pass 10/10 -> fail 9/10");
    CHECK_CONTAINS(text, "3 the same, 1 differ.");
    free(text);
    CHECK(!gradebook_list(in("nowhere.sqlite"), NULL, LIB_EN, &msg));
    CHECK(*msg.text);
}

/* Without a roster given, Canvas's own columns come from the one that is kept, else from what Canvas called the
 * files: never a number as a login. */
static void canvas_people(void) {
    char out[400];
    put("cv/leeann_7_501_add.cu", "10");
    put("cv/noone_LATE_9_502_add.cu", "2");
    snprintf(out, sizeof out, "%s", in("out-cv"));
    grade_batch b = batch(in("cv"), out);
    b.from = "canvas";
    grade_batch_run(&b, &sum, &msg);
    char *canvas = grade_csv_canvas(out, NULL, &msg);
    CHECK_CONTAINS(canvas, "leeann,7,,,,10\r\nnoone,9,,,,2\r\n");
    free(canvas);
    put("kept.csv", "Student,ID,SIS User ID,SIS Login ID,Section,Quiz (1)\n"
                    "\"Lee, Ann\",7,u1,ann,S1,5\nBob,8,u2,bob,S1,3\n");
    b.roster = in("kept.csv");
    b.reports = true;
    grade_batch_run(&b, &sum, &msg);
    canvas = grade_csv_canvas(out, NULL, &msg);
    CHECK_CONTAINS(canvas, "\"Lee, Ann\",7,u1,ann,S1,10\r\n");
    CHECK_CONTAINS(canvas, "noone,9,,,,2\r\n"); /* not on it */
    size_t n;
    char *report = store_read(AT_FDCWD, in("out-cv/reports/canvas.csv"), 1 << 20, &n);
    CHECK(canvas && report && !strcmp(canvas, report));
    free(report);
    free(canvas);
    char *moodle = grade_csv_moodle(out, NULL, &msg);
    CHECK_CONTAINS(moodle, "idnumber,add\r\n9,2\r\nann,10\r\n");
    free(moodle);
    char *book = gradebook_export(out, GRADEBOOK_CSV,
                                  &msg); /* late by the mark alone: nobody knows by how much */
    CHECK_CONTAINS(book, ",\"Lee, Ann\",1,1,,,0,,0,10\r\n");
    CHECK_CONTAINS(book, ",\"noone\",1,1,,,1,,0,2\r\n");
    free(book);
}

/* ---- the course's rules ---- */

static double worth_of(const char *out, const char *student) {
    course c;
    double score = -1;
    if (course_load(&c, out, &msg)) {
        const course_row *r = course_find(&c, student, "add");
        if (!r || !course_score(r, &score)) score = -1;
    }
    course_free(&c);
    return score;
}

static double under(const char *rules, const char *student) {
    static int k;
    char out[400];
    snprintf(out, sizeof out, "%s/out-p%d", root, k++);
    grade_batch b = batch(in("p"), out);
    b.rules = rules;
    printf("# %s\n", rules);
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_STR(msg.text, "");
    return worth_of(out, student);
}

static void wrong_rules(const char *rules, const char *part) {
    grade_batch b = batch(in("p"), in("out-wrong"));
    b.rules = rules;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), -1);
    CHECK_CONTAINS(msg.text, part);
}

static void rules(void) {
    put("p/ann/2026-10-01T10-00/add.cu", "4");
    put("p/ann/2026-10-02T10-00/add.cu", "10");
    put("p/bob/2026-10-03T01-00/add.cu", "8");
#define DUE "\"deadline\":\"2026-10-01 23:59\""
    /* Without rules the last one counts, and nothing is late. */
    CHECK_NEAR(under("{}", "ann"), 10, 0);
    CHECK_INT(sum.total, 2); /* the earlier attempt is not graded */
    CHECK_INT(sum.uncounted, 1);
    /* Ten hours are one begun day, twenty-five are two. */
    CHECK_NEAR(under("{" DUE ",\"late\":{\"cut\":0.1}}", "ann"), 9, 1e-9);
    CHECK_NEAR(under("{" DUE ",\"late\":{\"cut\":0.1}}", "bob"), 6.4, 1e-9);
    CHECK_NEAR(under("{" DUE ",\"late\":{\"cut\":0.1,\"per\":\"1 h\",\"most\":0.5}}", "ann"), 5,
               1e-9);
    /* A grace forgives all of it or nothing of it. */
    CHECK_NEAR(under("{" DUE ",\"late\":{\"cut\":0.1,\"grace\":\"11 h\"}}", "ann"), 10, 0);
    CHECK_NEAR(under("{" DUE ",\"late\":{\"cut\":0.1,\"grace\":\"10 h\"}}", "ann"), 9, 1e-9);
    /* What is too late does not take the place of what was in time; alone it is worth nothing. */
    CHECK_NEAR(under("{" DUE ",\"late\":{\"last\":\"1 h\"}}", "ann"), 4, 0);
    CHECK_NEAR(under("{" DUE ",\"late\":{\"last\":\"1 h\"}}", "bob"), 0, 0);
    /* The best, after what lateness costs: 4 in time against 10 less 70%. */
    CHECK_NEAR(under("{\"attempts\":\"best\"," DUE ",\"late\":{\"cut\":0.7}}", "ann"), 4, 0);
    CHECK_INT(sum.total, 3);
    CHECK_NEAR(under("{\"attempts\":\"best\"," DUE ",\"late\":{\"cut\":0.2}}", "ann"), 8, 1e-9);
    /* A lab's own rules go before the course's; an extension before both. */
    CHECK_NEAR(under("{" DUE ",\"late\":{\"cut\":0.1},\"labs\":{\"add\":{\"deadline\":"
                     "\"2026-10-05 00:00\"}}}",
                     "bob"),
               8, 0);
    CHECK_NEAR(under("{" DUE ",\"late\":{\"cut\":0.1},\"extensions\":{\"ANN\":\"12 h\"}}", "ann"),
               10, 0);
    CHECK_NEAR(under("{" DUE ",\"late\":{\"cut\":0.1},\"extensions\":{\"bob\":{\"add\":"
                     "\"2026-10-02 12:00\"}}}",
                     "bob"),
               7.2, 1e-9);
    /* A zone moves the deadline: 23:59 in Shanghai is eight hours earlier than in Greenwich. */
    CHECK_NEAR(under("{" DUE ",\"late\":{\"last\":\"12 h\"}}", "ann"), 10, 0);
    CHECK_NEAR(
        under("{\"deadline\":\"2026-10-01 23:59 +08:00\",\"late\":{\"last\":\"12 h\"}}", "ann"), 4,
        0);
    wrong_rules("{\"deadlin\":\"x\"}", "deadlin: no such field; there are title");
    wrong_rules("{\"deadline\":\"soon\"}", "deadline: expected a moment such as");
    wrong_rules("{\"labs\":{\"add\":{\"attempts\":\"first\"}}}",
                "labs[\"add\"].attempts: expected \"last\" or \"best\", found \"first\"");
    wrong_rules("{\"late\":{\"cut\":10}}", "late.cut: expected a share, 0 to 1, found 10");

    /* Every report says it. */
    char out[400];
    snprintf(out, sizeof out, "%s", in("out-said"));
    grade_batch b = batch(in("p"), out);
    b.rules = "{" DUE ",\"late\":{\"cut\":0.1}}";
    b.reports = true;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    json_t *r = record_of(out, "bob", "add");
    const char *key = json_string_value(json_object_get(r, "key"));
    static const char *const ends[] = {".html", ".student.html", ".gradescope.json", ".junit.xml"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char name[200];
        size_t n;
        snprintf(name, sizeof name, "%s/reports/%s%s", out, key, ends[i]);
        char *text = store_read(AT_FDCWD, name, 1 << 20, &n);
        printf("# %s\n", ends[i]);
        CHECK_CONTAINS(text, "late by 1 d 1 h, 20% off: 8 earned, 6.4 counted");
        free(text);
    }
    json_decref(r);
    char *page = grade_html_course(out, LIB_ZH, &msg),
         *csv = gradebook_export(out, GRADEBOOK_CSV, &msg),
         *canvas = grade_csv_canvas(out, NULL, &msg),
         *why = course_explain(out, "BOB", "add", LIB_EN, &msg);
    CHECK_CONTAINS(page, "迟交 1 天 1 小时，扣 20%");
    /* What programs read already, then who, which attempt, how late, earned beside counted. */
    CHECK_CONTAINS(csv,
                   "lab,student,state,verdict,score,max_score,speedup,time_us,device,submission,"
                   "key,name,attempt,attempts,handed_in,due,late,late_s,cut,earned\r\n");
    CHECK_CONTAINS(csv, "\"add\",\"bob\",\"graded\",\"fail\",6.4,10,,,"); /* no speed-up measured */
    CHECK_CONTAINS(
        csv, ",,1,1,\"2026-10-03 01:00 +00:00\",\"2026-10-01 23:59 +00:00\",1,90060,0.2,8\r\n");
    char *json = gradebook_export(out, GRADEBOOK_JSON, &msg);
    json_t *book = json ? json_loads(json, 0, NULL) : NULL;
    const json_t *ann = json_array_get(book, 0);
    CHECK_STR(json_string_value(json_object_get(ann, "student")), "ann");
    CHECK_INT(json_integer_value(json_object_get(ann, "attempts")), 2);
    CHECK(json_is_true(json_object_get(ann, "late")));
    CHECK(json_is_null(json_object_get(ann, "speedup")) &&
          json_is_null(json_object_get(ann, "name")));
    CHECK_NEAR(json_number_value(json_object_get(ann, "earned")), 10, 0);
    CHECK_NEAR(json_number_value(json_object_get(ann, "score")), 9, 1e-9);
    json_decref(book);
    free(json);
    CHECK_CONTAINS(canvas, "bob,,,bob,,6.4\r\n");
    CHECK_CONTAINS(why, "8 of 10 earned, 6.4 counted");
    free(page);
    free(csv);
    free(canvas);
    free(why);
    /* Rules alone change no record: nothing is graded again. */
    b.rules = "{" DUE ",\"late\":{\"cut\":0.4}}";
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_INT(sum.skipped, 2);
    CHECK_NEAR(worth_of(out, "bob"), 1.6, 1e-9);
}

/* Names in the rules that nobody and nothing goes by. */
static void strangers(void) {
    static const char *const labs[] = {"vector-add", "coalescing"};
    static const struct {
        const char *rules, *en, *zh;
    } wrong[] = {
        {"{\"labs\":{\"coalesing\":{}}}",
         "course.lua: labs[\"coalesing\"]: there is no lab coalesing; did you mean coalescing?",
         "course.lua：labs[\"coalesing\"]：没有实验 coalesing；是否想写 coalescing？"},
        {"{\"extensions\":{\"chen\":{\"vectoradd\":\"48 h\"}}}",
         "extensions[\"chen\"]: there is no lab vectoradd; did you mean vector-add?", "没有实验"},
        {"{\"files\":{\"lab1.cu\":\"zzz\"}}", "files[\"lab1.cu\"]: there is no lab zzz",
         "没有实验"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        msg = (lib_message){0};
        CHECK(!course_labs_known(wrong[i].rules, labs, 2, &msg));
        CHECK_CONTAINS(msg.text, wrong[i].en);
        CHECK_CONTAINS(msg.zh, wrong[i].zh);
    }
    msg = (lib_message){0};
    CHECK(course_labs_known("{\"labs\":{\"coalescing\":{}},\"files\":{\"x.cu\":false},"
                            "\"extensions\":{\"chen\":\"1 day\",\"bo\":{\"vector-add\":\"1 h\"}}}",
                            labs, 2, &msg));
    CHECK(course_labs_known("{\"nonsense\":1}", labs, 2, &msg)); /* another's to tell */
    CHECK_STR(msg.text, "");

    char out[400];
    put("st/chen/add.cu", "10");
    put("st-roster.csv",
        "student,name,email\nchen,Chen,chen@uni.example\nlilei,Li,lilei@uni.example\n");
    snprintf(out, sizeof out, "%s", in("out-st"));
    grade_batch b = batch(in("st"), out);
    b.roster = in("st-roster.csv");
    b.rules = "{\"extensions\":{\"CHEN\":\"1 h\",\"lilei@uni.example\":\"1 h\","
              "\"lileii\":{\"add\":\"1 h\",\"sub\":\"2 h\"}}}";
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    char *text = course_strangers(out, NULL, LIB_EN);
    CHECK_STR(text,
              "course.lua: extensions[\"lileii\"]: nobody of the roster or of what was handed "
              "in is called so; did you mean lilei?\n");
    free(text);
    text = course_strangers(out, "{\"extensions\":{\"xyz\":\"1 h\"}}", LIB_ZH);
    CHECK_STR(text, "course.lua：extensions[\"xyz\"]：名册和已收的提交里都没有这个人\n");
    free(text);
    text = course_status(out, LIB_EN, &msg);
    CHECK_CONTAINS(text, "extensions[\"lileii\"]: nobody of the roster");
    free(text);
}

static void explained(const char *out, const char *student, lib_lang lang, const char *want) {
    char *why = course_explain(out, student, "add", lang, &msg);
    CHECK_CONTAINS(why, want);
    free(why);
}

/* Each of several attempts with what it is worth; a mean with no digits that nobody reads. */
static void attempts(void) {
    char out[400];
    put("at/ann/2026-10-01T10-00/add.cu", "4");
    put("at/ann/2026-10-02T10-00/add.cu", "9");
    put("at/ann/2026-10-03T01-00/add.cu", "3");
    put("at/bob/2026-10-01T01-00/add.cu", "8");
    put("at/eve/2026-10-01T01-00/add.cu", "8");
    snprintf(out, sizeof out, "%s", in("out-at"));
    grade_batch b = batch(in("at"), out);
    b.rules = "{" DUE ",\"late\":{\"cut\":0.1},\"attempts\":\"best\"}";
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    explained(out, "ann", LIB_EN, "2026-10-01 10:00 +00:00, 4 of 10\n");
    explained(out, "ann", LIB_EN, "2026-10-02 10:00 +00:00, 8.1 of 10 <- counts\n");
    explained(out, "ann", LIB_ZH, "2026-10-03 01:00 +00:00，2.4 分（满分 10）\n");
    explained(out, "bob", LIB_EN, "2026-10-01 01:00 +00:00 <- counts\n"); /* one: said at the end */
    char *status = course_status(out, LIB_EN, &msg);
    CHECK_CONTAINS(status, "; mean 8.03 of 10\n");
    free(status);
    /* Only the last counts, and the others were graded while the best did. */
    b.rules = "{}";
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    explained(out, "ann", LIB_EN, "2026-10-02 10:00 +00:00, 9 of 10\n");
    snprintf(out, sizeof out, "%s", in("out-at2"));
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    explained(out, "ann", LIB_EN, "2026-10-02 10:00 +00:00 (not graded)\n");
}

/* ---- alike ---- */

#define ONE                                                                                        \
    "0 // ann\n__global__ void add(const float *a, const float *b, float *c, int n) {\n"           \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) c[i] = a[i] + b[i];\n}\n"  \
    "void vector_add(const float *a, const float *b, float *c, int n) {\n"                         \
    "    int blocks = (n + 255) / 256;\n    add<<<blocks, 256>>>(a, b, c, n);\n"                   \
    "    if (n < 0) { for (int k = 0; k < n; k += 3) { c[k] = a[k] * 2.0f - b[k]; } }\n}\n"
/* the same under other names, with other numbers, other comments, in the other order */
#define TWO                                                                                        \
    "0 /* mine */\nvoid vector_add(const float *x, const float *y, float *out, int count) {\n"     \
    "  int grid = (count + 127) / 128; // grid\n  kernel<<<grid, 128>>>(x, y, out, count);\n"      \
    "  if (count < 7) { for (int m = 1; m < count; m += 9) { out[m] = x[m] * 5.f - y[m]; } } }\n"  \
    "__global__ void kernel(const float *p, const float *q, float *r, int len) {\n"                \
    "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n\n  if (t < len) r[t] = p[t] + q[t]; }\n"
/* another way */
#define THREE                                                                                      \
    "0\ntemplate <class T> struct view { T *p; unsigned n; __device__ T &at(unsigned k) { return " \
    "p[k]; } };\n__global__ void many(view<float> r, view<const float> s, view<const float> t) "   \
    "{\n"                                                                                          \
    "  unsigned stride = gridDim.x * blockDim.x, k = threadIdx.x + blockDim.x * blockIdx.x;\n"     \
    "  while (k < r.n) { r.at(k) = s.at(k) + t.at(k); k += stride; }\n}\n"                         \
    "void vector_add(const float *a, const float *b, float *c, int n) {\n"                         \
    "  view<float> r{c, (unsigned)n}; view<const float> s{a, (unsigned)n}, t{b, (unsigned)n};\n"   \
    "  many<<<64, 512>>>(r, s, t);\n}\n"
static bool give;
static char *on_given(void *user, const char *lab_id) {
    (void)user, (void)lab_id;
    return strdup(give ? ONE : "");
}
static void alike(void) {
    put("l/ann/add.cu", ONE);
    put("l/bob/add.cu", TWO);
    put("l/eve/add.cu", THREE);
    for (int i = 0; i < 2; i++) {
        char out[400];
        give = i;
        snprintf(out, sizeof out, "%s/out-alike%d", root, i);
        grade_batch b = batch(in("l"), out);
        b.lab_given = on_given;
        CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
        course c;
        similar_pair p[4];
        size_t n = 99;
        int fd = open(out, O_RDONLY | O_DIRECTORY);
        CHECK(course_load(&c, out, &msg));
        CHECK(similar_pairs(&c, fd, "add", p, 4, &n));
        /* What everyone was given makes nobody alike. */
        CHECK_INT(n, i ? 0 : 1);
        if (n == 1) {
            CHECK_STR(c.row[p[0].a].student, "ann");
            CHECK_STR(c.row[p[0].b].student, "bob");
            printf("# %zu shared, %.2f\n", p[0].shared, p[0].share);
            CHECK(p[0].share > 0.7);
        }
        course_free(&c);
        close(fd);
        char *page = grade_html_course(out, LIB_EN, &msg);
        CHECK((strstr(page, "Similar submissions") != NULL) == !i);
        /* The picture keeps its size: a unit of it is a pixel, wide page or narrow one. Both names are in it. */
        char *at = strstr(page, "<div class=\"scroll\"><svg viewBox=\""),
             *end = at ? strstr(at, "</svg>") : NULL;
        int left = 0, top = 0, wide = 0, high = 0, width = 0, least = 0;
        CHECK((end != NULL) == !i);
        if (end) {
            CHECK_INT(
                sscanf(
                    strchr(at, '"') + 1,
                    "scroll\"><svg viewBox=\"%d %d %d %d\" width=\"%d\" style=\"min-width:%dpx\"",
                    &left, &top, &wide, &high, &width, &least),
                6);
            CHECK(wide > 0 && high > 0 && width == wide && least == wide);
            CHECK(strstr(at, ">ann</text>") && strstr(at, ">ann</text>") < end);
            CHECK(strstr(at, ">bob</text>") && strstr(at, ">bob</text>") < end);
        }
        free(page);
    }
}

/* ---- what a run is about to do, and the secret ---- */

static grade_batch_plan planned;
static void on_plan(void *user, const grade_batch_plan *p) {
    (void)user;
    planned = *p;
}
static void plans(void) {
    char out[400];
    snprintf(out, sizeof out, "%s", in("out-plan"));
    put("q/ann/add.cu", "10");
    put("q/bob/add.cu", "4");
    grade_batch b = batch(in("q"), out);
    b.secret = 77;
    b.plan = on_plan;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_INT(planned.fresh, 2);
    /* The secret is kept: left out it is the same, another one is refused. */
    b.secret = 0;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_INT(planned.done, 2);
    CHECK_INT(sum.skipped, 2);
    b.secret = 78;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), -1);
    CHECK_CONTAINS(msg.text, "graded with another secret");
    b.secret = 0;
    /* Other tools: told beforehand, and with plan_only nothing is done. */
    put("q/eve/add.cu", "7");
    b.toolchain = "14.0";
    b.plan_only = true;
    CHECK_INT(grade_batch_run(&b, &sum, &msg) >= 0, 1);
    CHECK_INT(planned.changed, 2);
    CHECK_INT(planned.fresh, 1);
    CHECK_CONTAINS(planned.why, "the tools: 13.0 -> 14.0");
    b.plan_only = false;
    b.ingest = false;
    b.again = b.changed_only = true;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_INT(planned.changed, 2);
    CHECK_INT(sum.graded, 2);
    CHECK_INT(sum.skipped, 0);
}

/* What changed since: each part of what a record follows from, and what other rules make of the grades. */
static void changes(void) {
    char out[400];
    snprintf(out, sizeof out, "%s", in("out-changes"));
    put("c/ann/add.cu", "10");
    put("c/ann/other.cu", "3");
    put("c/bob/add.cu", "4");
    put("c/cat/add.cu", "infra");
    put("c/eve/add.cu", "5");
    put("c/fay/add.cu", "2.5");
    grade_batch b = batch(in("c"), out);
    b.plan = on_plan;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
    CHECK(planned.fresh == 6 && !planned.done && !planned.changed && !planned.again);
    CHECK_STR(planned.why, "");
    put("c/dan/add.cu", "7");
    b.plan_only = true;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
    CHECK(planned.fresh == 1 && planned.done == 5 && !planned.changed && planned.again == 1);
    CHECK_STR(planned.why, "");
    CHECK_INT(sum.total, 7);
    b.toolchain = "14.0";
    b.device = "sim:h100";
    b.seed = 2;
    made = "v2";
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
    made = "v1";
    CHECK(planned.fresh == 2 && !planned.done && planned.changed == 5 && !planned.again);
    CHECK_STR(planned.why, "the tools: 13.0 -> 14.0\nthe device: sim:h200 -> sim:h100\n"
                           "the seed or the secret\n"
                           "the lab add (its lesson, its baseline or a header)\n"
                           "the lab other (its lesson, its baseline or a header)\n");
    b = batch(in("c"), out);
    b.plan = on_plan;
    b.plan_only = true;
    static const struct {
        const char *rules, *why;
    } rows[] = {
        {"{\"points\":100}", "the course's rules: 5 grades change: ann add 10 -> 100, bob add 4 -> "
                             "40, eve add 5 -> 50, ...\n"},
        {"{\"labs\":{\"other\":{\"points\":5}}}",
         "the course's rules: 1 grade changes: ann other 3 -> 1.5\n"},
        {"{\"title\":\"x\"}", "the course's rules: 0 grades change\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        b.rules = rows[i].rules;
        CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
        CHECK_STR(planned.why, rows[i].why);
    }
    /* Each of these makes another key of the same submission; nothing else does. */
    static const char *const fields[] = {"seed", "secret", "tools", "device",
                                         "lab",  "jobs",   "part"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        b = batch(in("c"), out);
        b.plan = on_plan;
        b.plan_only = true;
        if (i == 0) b.seed = 2;
        if (i == 1) b.secret = 5;
        if (i == 2) b.toolchain = "13.00";
        if (i == 3) b.device = "sim:h20";
        if (i == 4) made = "v";
        if (i == 5) b.jobs = 1;
        if (i == 6) b.shards = 1, b.shard = 7; /* one part is the whole */
        grade_batch_run(&b, &sum, &msg);
        made = "v1";
        printf("# %s\n", fields[i]);
        CHECK_INT(planned.done, i < 5 ? 0 : 5);
        CHECK_INT(planned.changed, i < 5 ? 5 : 0);
    }
}

static bool quiz(void *user, const char *which) {
    (void)user;
    return !strcmp(which, "other");
}
/* The fields of a record that the batch itself says, and no others of its own. */
static void check_record(const char *out, const char *student, const char *which, const char *state,
                         const char *en, const char *zh) {
    json_t *r = record_of(out, student, which);
    printf("# %s %s\n", student, which);
    CHECK_INT(json_integer_value(json_object_get(r, "record")), 1);
    CHECK_INT(json_integer_value(json_object_get(r, "version")), 1);
    CHECK_STR(report_text(r, "student"), student);
    CHECK_STR(report_text(r, "lab"), which);
    CHECK_STR(report_text(r, "state"), state);
    CHECK_STR(report_text(r, "grader"), GRADE_VERSION);
    CHECK_STR(report_text(r, "tools"), "13.0");
    CHECK_STR(report_text(r, "device"), "sim:h200");
    if (en) {
        CHECK_STR(report_text(r, "verdict"), "error");
        CHECK(json_is_null(json_object_get(r, "score")));
        CHECK_INT(json_integer_value(json_object_get(r, "max_score")), 0);
        CHECK_STR(report_text(r, "message"), zh);
        CHECK_STR(report_said(r, LIB_EN), en);
        CHECK_STR(report_said(r, LIB_ZH), zh);
    }
    json_decref(r);
}
static void records_of_all_kinds(void) {
    char out[400], path[600];
    struct stat st;
    size_t n;
    snprintf(out, sizeof out, "%s", in("out-kinds"));
    put("kinds/ann/add.cu", "10");
    put("kinds/ann/other.cu", "3");
    put("kinds/exit/add.cu", "exit");
    put("kinds/kill/add.cu", "kill");
    put("kinds/ten/add.cu", "1234567890");
    put("kinds/eleven/add.cu", "12345678901");
    put("kinds-roster.csv", "student\nann\nkim\nlee\n");
    grade_batch b = batch(in("kinds"), out);
    b.lang = LIB_ZH;
    b.lab_quiz = quiz;
    b.lab_given = on_given;
    b.source_limit = 10;
    b.own_secret = true;
    b.roster = in("kinds-roster.csv");
    give = true;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
    CHECK_INT(sum.total, 6);
    CHECK(sum.roster && sum.off_roster == 4 && sum.without == 2);
    check_record(out, "ann", "add", "graded", NULL, NULL);
    check_record(out, "ann", "other", "ungradable",
                 "other is a quiz, done at the prompt: there is no file to grade",
                 "other 是测验，在提示符下完成，没有文件可评分");
    check_record(out, "exit", "add", "infra_error", "the grader's worker ended with status 3",
                 "评分进程以状态 3 退出");
    check_record(out, "kill", "add", "infra_error",
                 "the grader's worker was ended by signal 9 (Killed)",
                 "评分进程被信号 9（Killed）终止");
    check_record(out, "ten", "add", "graded", NULL, NULL);
    check_record(out, "eleven", "add", "ungradable",
                 "it cannot be graded: the file has more than 10 bytes, the limit of a submission",
                 "无法评分：文件超过 10 字节，即一份提交的上限");
    /* What is kept beside: the file, read-only; what it printed; what all were given; the roster; a secret, drawn
     * once, for the graders alone. */
    json_t *r = record_of(out, "ann", "add");
    snprintf(path, sizeof path, "%s/submissions/%s.cu", out, report_text(r, "submission"));
    char *text = store_read(AT_FDCWD, path, 100, &n);
    CHECK_STR(text, "10");
    CHECK(!stat(path, &st) && (st.st_mode & 07777) == 0400);
    free(text);
    snprintf(path, sizeof path, "%s/output/%s.txt", out, report_text(r, "key"));
    text = store_read(AT_FDCWD, path, 100, &n);
    CHECK_STR(text, "hello");
    free(text);
    json_decref(r);
    text = store_read(AT_FDCWD, in("out-kinds/given/add.cu"), 1 << 20, &n);
    CHECK_STR(text, ONE);
    free(text);
    CHECK_INT(files_in(in("out-kinds/given")), 2);
    text = store_read(AT_FDCWD, in("out-kinds/roster.csv"), 100, &n);
    CHECK_STR(text, "student\nann\nkim\nlee\n");
    free(text);
    CHECK(!stat(in("out-kinds/secret"), &st) && (st.st_mode & 07777) == 0600);
    text = store_read(AT_FDCWD, in("out-kinds/secret"), 100, &n);
    CHECK(text && n > 1 && strspn(text, "0123456789") == n - 1 && text[n - 1] == '\n' &&
          *text != '0');
    b.roster = NULL;
    b.plan = on_plan;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
    CHECK(planned.done == 4 && planned.again == 2 && !planned.fresh && !planned.changed);
    CHECK(sum.roster && sum.without == 2); /* the one that is kept */
    char *again = store_read(AT_FDCWD, in("out-kinds/secret"), 100, &n);
    CHECK(text && again && !strcmp(text, again));
    free(text);
    free(again);
    /* A record that cannot be written stops the batch: what is done is kept. */
    r = record_of(out, "ann", "add");
    snprintf(path, sizeof path, "%s/records/%s.json", out, report_text(r, "key"));
    json_decref(r);
    CHECK(!unlink(path) && !mkdir(path, 0700));
    b.lang = LIB_EN;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), -1);
    snprintf(
        path, sizeof path,
        "the record of ann/add could not be written. Make room in %s and start the batch again: "
        "what is done is kept.",
        out);
    CHECK_STR(msg.text, path);
    /* A lab that is there no more. */
    snprintf(out, sizeof out, "%s", in("out-gone"));
    put("gone/ann/add.cu", "10");
    b = batch(in("gone"), out);
    b.ingest_only = true;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
    CHECK(sum.total == 1 && !sum.graded);
    b.ingest = b.ingest_only = false;
    made = NULL;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    made = "v1";
    b.lang = LIB_EN;
    r = record_of(out, "ann", "add");
    CHECK_STR(report_said(r, LIB_EN), "there is no lab named 'add'");
    json_decref(r);
    CHECK_INT(sum.ungradable, 1);
    /* Bytes of all: up to the limit, and one more. */
    static const struct {
        uint64_t limit;
        size_t total;
    } limits[] = {{3, 2}, {2, 1}, {1, 0}};
    put("bytes/a/add.cu", "10");
    put("bytes/b/add.cu", "4");
    for (size_t i = 0; i < 3; i++) {
        snprintf(out, sizeof out, "%s/out-bytes%zu", root, i);
        b = batch(in("bytes"), out);
        b.total_limit = limits[i].limit;
        b.ingest_only = true;
        grade_batch_run(&b, &sum, &msg);
        CHECK_INT(sum.total, limits[i].total);
        CHECK_INT(sum.left, i ? 1 : 0); /* the rest is told once */
    }
    /* Cancelled before it began. */
    static const volatile int cancelled = 1;
    b.ingest_only = false;
    b.cancel = &cancelled;
    b.total_limit = 0;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), -1);
    CHECK_STR(msg.text, "cancelled; start it again to go on");
    CHECK(sum.total == 2 && !sum.graded);
    b = batch(in("bytes"), in("out-nothing"));
    b.ingest = false;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), -1);
    CHECK_CONTAINS(msg.text, "out-nothing holds no manifest.json: nothing was taken in yet");
    b.again = true;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), -1);
    CHECK_CONTAINS(msg.text, "out-nothing holds no manifest.json: nothing was taken in yet");
}

/* Each record is told as it is there, counted; the parent sleeps the while and wakes in time. */
static lib_buffer progress;
static void on_progress(void *user, size_t done, size_t total, const char *student,
                        const char *which, const char *state, double score, double max_score,
                        const char *why) {
    (void)user;
    lib_buffer_printf(&progress, "%zu/%zu %s %s %s %g/%g %s\n", done, total, student, which, state,
                      score, max_score, why);
}
static struct rusage used(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u;
}
static double cpu_of(const struct rusage *u) {
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
           (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}
static void waiting(void) {
    char out[400];
    snprintf(out, sizeof out, "%s", in("out-waiting"));
    put("z/ann/add.cu", "10");
    put("z/bob/add.cu", "hang");
    put("z/cat/add.cu", "nope");
    grade_batch b = batch(in("z"), out);
    b.jobs = 1;
    b.worker_limit_s = 0.5;
    b.progress = on_progress;
    double begin = seconds();
    struct rusage before = used();
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
    double took = seconds() - begin;
    struct rusage after = used();
    double cpu = cpu_of(&after) - cpu_of(&before);
    long slept = after.ru_nvcsw - before.ru_nvcsw;
    printf("# %.2f s, %.2f s of a processor, %ld times asleep\n", took, cpu, slept);
    /* It hangs twice, and is tried again after the others. */
    char *told = lib_buffer_take(&progress);
    CHECK_STR(told, "1/3 ann add graded 10/10 \n"
                    "2/3 bob add infra_error 0/0 the grader's own time limit of 0.5 s ended the "
                    "worker\n"
                    "3/3 cat add ungradable 0/10 \n"
                    "4/4 bob add infra_error 0/0 the grader's own time limit of 0.5 s ended the "
                    "worker\n");
    free(told);
    CHECK(took >= 1);
    CHECK(cpu < 0.15);  /* a parent that asks all the time would use all of it */
    CHECK(slept < 500); /* nor does it ask every millisecond */
}

/* A batch that ends before its time leaves no worker behind: one whose record cannot be written, and one that is
 * cancelled as the first of its records is told. */
static volatile int enough;
static void on_first(void *user, size_t done, size_t total, const char *student, const char *which,
                     const char *state, double score, double max_score, const char *why) {
    (void)user, (void)done, (void)total, (void)student, (void)which, (void)state;
    (void)score, (void)max_score, (void)why;
    enough = 1;
}
static void early_ends(void) {
    char out[400], path[600];
    put("early/ann/add.cu", "hang");
    put("early/bob/add.cu", "10");
    put("early/cat/add.cu", "10");
    for (int cancels = 0; cancels < 2; cancels++) {
        snprintf(out, sizeof out, "%s/out-early%d", root, cancels);
        grade_batch b = batch(in("early"), out);
        b.worker_limit_s = 600;
        b.ingest_only = true;
        CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
        store_manifest m;
        int fd = open(out, O_RDONLY | O_DIRECTORY);
        CHECK(manifest_load(&m, fd, &msg) && m.count == 3);
        snprintf(path, sizeof path, "%s/records/%s.json", out, m.entry[1].key);
        if (!cancels) CHECK(!mkdir(path, 0700));
        manifest_free(&m);
        close(fd);
        b.ingest = b.ingest_only = false;
        if (cancels) b.progress = on_first, b.cancel = &enough;
        CHECK_INT(grade_batch_run(&b, &sum, &msg), -1);
        CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
        if (cancels) CHECK_STR(msg.text, "cancelled; start it again to go on");
        else CHECK_CONTAINS(msg.text, "the record of bob/add could not be written. Make room in ");
        CHECK(sum.total == 3 && sum.graded <= 2 && !sum.infra_error && !sum.ungradable);
    }
}

static void slurm(void) {
    static const char *const command[] = {"/opt/it's here/warplab", "grade", "--batch",
                                          "$(touch /tmp/pwned)", NULL};
    grade_slurm s = {
        .command = command, .tasks = 4, .at_once = 2, .partition = "gpu", .time = "01:00:00"};
    char *text = grade_slurm_script("/data/a b", &s);
    static const char head[] =
        "#!/bin/sh\n# One task of a grading; made by warplab, submitted with "
        "sbatch.\n#SBATCH --job-name=warplab\n#SBATCH --array=0-";
    char whole[1200];
    snprintf(whole, sizeof whole,
             "%s3%%2\n#SBATCH --ntasks=1\n#SBATCH --partition=gpu\n#SBATCH --time=01:00:00\n"
             "OUT='/data/a b'\nexport OUT\nexec '/opt/it'\\''s here/warplab' 'grade' '--batch' "
             "'$(touch /tmp/pwned)' --shard \"$SLURM_ARRAY_TASK_ID/4\" "
             ">\"$OUT/slurm/task-$SLURM_ARRAY_TASK_ID.log\" 2>&1\n",
             head);
    CHECK_STR(text, whole);
    free(text);
    /* No tasks are one; without a limit, a partition or a time nothing is said of them. */
    static const char *const plain[] = {"w", NULL};
    grade_slurm none = {.command = plain};
    text = grade_slurm_script("/data", &none);
    snprintf(whole, sizeof whole,
             "%s0\n#SBATCH --ntasks=1\nOUT='/data'\nexport OUT\nexec 'w' --shard "
             "\"$SLURM_ARRAY_TASK_ID/1\" >\"$OUT/slurm/task-$SLURM_ARRAY_TASK_ID.log\" 2>&1\n",
             head);
    CHECK_STR(text, whole);
    free(text);
    none.time = "";
    CHECK(!grade_slurm_script("/data", &none));
    none.time = "1 h";
    CHECK(!grade_slurm_script("/data", &none));
    s.partition = "gpu\n#SBATCH --uid=0";
    CHECK(!grade_slurm_script("/data", &s));
    /* a stand-in for sbatch that runs the array here: the same records as without a cluster */
    char out[400], fake[400], body[1200];
    snprintf(out, sizeof out, "%s", in("out-slurm"));
    snprintf(fake, sizeof fake, "%s", in("sbatch"));
    snprintf(body, sizeof body,
             "#!/bin/sh\nfor i in 0 1; do SLURM_ARRAY_TASK_ID=$i sh \"$3\" || exit 1; done\n");
    put("sbatch", body);
    chmod(fake, 0700);
    put("s/x/add.cu", "10");
    put("s/y/add.cu", "3");
    put("s/z/add.cu", "4");
    static char self[400];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    const char *const task[] = {self, "task", out, NULL};
    grade_slurm t = {.command = task, .tasks = 2, .sbatch = fake};
    grade_batch b = batch(in("s"), out);
    CHECK_INT(grade_slurm_run(&b, &t, &sum, &msg), 0);
    CHECK_STR(msg.text, "");
    CHECK_INT(sum.graded, 3);
    /* A task that was cancelled before it began: sbatch ends well, and what has no record is said. */
    put("sbatch", "#!/bin/sh\nSLURM_ARRAY_TASK_ID=0 sh \"$3\"\n");
    snprintf(out, sizeof out, "%s", in("out-slurm-cancelled"));
    CHECK_INT(grade_slurm_run(&b, &t, &sum, &msg), 1);
    CHECK_INT(sum.graded, 2); /* x and z; y was the other task's */
    char want[1200];
    snprintf(want, sizeof want,
             "a task failed or was cancelled. Without a record: 1 of 3 submissions; see %s/slurm. "
             "Start the batch again: what is done is kept.",
             out);
    CHECK_STR(msg.text, want);
    CHECK_CONTAINS(msg.zh, "没有记录的提交：1 份（共 3 份）");
    CHECK_STR(sum.importer, "plain"); /* what taking in said is kept */
    CHECK_STR(sum.layout[LIB_EN], "STUDENT/LAB.cu or an archive a student");
    /* And one that died: what it wrote is gathered all the same. */
    put("sbatch", "#!/bin/sh\nexit 9\n");
    snprintf(out, sizeof out, "%s", in("out-slurm-died"));
    CHECK_INT(grade_slurm_run(&b, &t, &sum, &msg), -1);
    snprintf(want, sizeof want,
             "%s ended with status 9: a task failed or was cancelled, or the job was not accepted. "
             "Without a record: 3 of 3 submissions; see %s/slurm. Start the batch again: what is "
             "done is kept.",
             fake, out);
    CHECK_STR(msg.text, want);
    /* Each has a record, and one of them is none that stands: said only where a task failed. */
    put("sbatch", body);
    put("s/y/add.cu", "infra");
    snprintf(out, sizeof out, "%s", in("out-slurm-infra"));
    CHECK_INT(grade_slurm_run(&b, &t, &sum, &msg), 1);
    snprintf(want, sizeof want, "%s ended with status 1: a task failed; see %s/slurm", fake, out);
    CHECK_STR(msg.text, want);
    CHECK(sum.graded == 2 && sum.infra_error == 1);
    put("sbatch", "#!/bin/sh\nexit 0\n");
    CHECK_INT(grade_slurm_run(&b, &t, &sum, &msg), 1);
    CHECK_STR(msg.text, "");
    t.sbatch = "/nonexistent/sbatch";
    b.out = in("out-slurm2");
    CHECK_INT(grade_slurm_run(&b, &t, &sum, &msg), -1);
    CHECK_CONTAINS(msg.text, "Is Slurm installed");
}

/* The other side of the stand-in: one task of the array. */
static int task(char **argv) {
    grade_batch b = batch("", argv[2]);
    b.ingest = false;
    if (sscanf(argv[4], "%u/%u", &b.shard, &b.shards) != 2) return 2;
    return grade_batch_run(&b, &sum, &msg);
}

/* A folder that may be written to but not read cannot be made to last on the disk: that, and why, is what
 * is said. */
static void unreadable(void) {
    const char *path = in("blind");
    CHECK(!mkdir(path, 0700));
    int out = open(path, O_RDONLY | O_DIRECTORY);
    bool super = !geteuid(); /* who may read everything */
    CHECK(!fchown(out, super ? 65534 : geteuid(), (gid_t)-1) && !fchmod(out, 0300));
    CHECK(!super || !seteuid(65534));
    msg.text[0] = 0;
    CHECK(!store_write(out, "x", "text", 4, 0600, &msg));
    CHECK(!super || !seteuid(0));
    CHECK_CONTAINS(msg.text, strerror(EACCES));
    size_t n;
    char *text = store_read(out, "x", 100, &n); /* the file itself is whole */
    CHECK(text && n == 4 && !memcmp(text, "text", 4));
    free(text);
    CHECK(!fchmod(out, 0700) && store_write(out, "y", "text", 4, 0600, &msg));
    close(out);
}

/* A manifest of one submission with a number of the test's. */
static void numbers(void) {
    static const struct {
        const char *field, *says;
    } rows[] = {
        {"\"bytes\": 7, \"attempt\": 1, \"attempts\": 4294967295", ""},
        {"\"time\": -2, \"order\": -3", ""},
        {"\"bytes\": -2",
         "submission a/add.cu: `bytes` has to be a number from 0 to 9007199254740992"},
        {"\"bytes\": 1e300", "`bytes`"},
        {"\"bytes\": 1.5", "`bytes`"},
        {"\"bytes\": \"NaN\"", "`bytes`"},
        {"\"attempt\": -1", "`attempt` has to be a number from 0 to 4294967295"},
        {"\"attempts\": 4294967296", "`attempts` has to be a number from 0 to 4294967295"},
    };
    const char *path = in("numbers");
    CHECK(!mkdir(path, 0700));
    int out = open(path, O_RDONLY | O_DIRECTORY);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "{\"version\": 1, \"submissions\": [{\"student\": \"a\", \"lab\": \"add\", "
                 "\"source\": \"a/add.cu\", %s}]}",
                 rows[i].field);
        CHECK(store_write(out, "manifest.json", text, strlen(text), 0600, &msg));
        store_manifest m;
        CHECK(manifest_load(&m, out, &msg) == !*rows[i].says);
        if (*rows[i].says) {
            CHECK_CONTAINS(msg.text, rows[i].says);
            CHECK_CONTAINS(lib_message_in(&msg, LIB_ZH), "manifest.json，提交 a/add.cu");
        } else {
            CHECK_STR(msg.text, "");
            CHECK_INT(m.count, 1);
        }
        if (!i) {
            CHECK_INT(m.entry[0].size, 7);
            CHECK_INT(m.entry[0].attempt, 1);
            CHECK_INT(m.entry[0].attempts, UINT_MAX);
        }
        manifest_free(&m);
    }
    close(out);
}

int main(int argc, char **argv) {
    if (argc == 5 && !strcmp(argv[1], "task")) return task(argv);
    snprintf(root, sizeof root, "/tmp/warplab-batch-XXXXXX");
    if (!mkdtemp(root)) return 1;
    size_t open_before = files_in("/proc/self/fd");
    states();
    archives();
    killed();
    reports();
    canvas_people();
    rules();
    attempts();
    strangers();
    alike();
    plans();
    changes();
    records_of_all_kinds();
    waiting();
    early_ends();
    slurm();
    unreadable();
    numbers();
    CHECK_INT(files_in("/proc/self/fd"), open_before); /* every file is closed again */
    if (getenv("KEEP")) printf("# %s\n", root);
    else store_remove_tree(AT_FDCWD, root);
    return check_done();
}
