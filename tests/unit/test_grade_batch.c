/* The batch: what is taken in and refused, one bad submission is one bad record, killed at any
 * moment and started again gives the same records byte for byte; CSV, course page, gradebook. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <limits.h>
#include <sys/wait.h>
#include "batch_fixture.h"
#include "grader/rng.h"
#include "tests/said.h"

static struct { size_t lines, most, of; } told;
static void on_told(void *user, size_t done, size_t total, const char *student, const char *which,
                    const char *state, double score, double max_score, const char *why) {
    (void)user, (void)student, (void)which, (void)state, (void)score, (void)max_score, (void)why;
    told.lines++;
    if (done > told.most) told.most = done;
    told.of = total;
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
    b.progress = on_told;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 1);
    CHECK_STR(said(&msg), "");
    CHECK_INT(sum.total, 15);
    /* Told: each once, and the six that were tried again (crash, hang, kill, lesson, infra, once) a
     * second time; the count reaches the total and is never above it. */
    CHECK_INT(told.lines, 15 + 6);
    CHECK_INT(told.most, 15);
    CHECK_INT(told.of, 15);
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
    check_state(out, "big", "add", "ungradable", "more than 1,048,576 bytes");
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
    check_left(out, "top.cu: it does not say whose work it is");
    CHECK_INT(sum.left, 4); /* told: the first three */
    CHECK_STR(said(&sum.first_left[0]),
              "lost/unknown.cu: there is no lab of the name of unknown.cu");
    CHECK_STR(said(&sum.first_left[1]), "lost: nothing of lost was taken: no file is a lab's");
    CHECK_STR(said(&sum.first_left[2]), "notes: nothing of notes was taken: no file is a lab's");
    CHECK_STR(sum.importer, "plain");
    CHECK_STR(lib_word(LIB_EN, sum.layout), "STUDENT/LAB.cu or an archive a student");
    CHECK_STR(lib_word(LIB_ZH, sum.layout), "“学生/实验.cu”，或每个学生一个压缩包");
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
    check_left(out, "a path that leads upwards (..)");
    check_left(out, "abs/add.cu: a path that starts at the root");
    check_left(out, "hw1/sym/add.cu: a link");
    check_left(out, "hw1/hard/add.cu: a link");
    check_left(out, "add.cu: it does not say whose work it is");
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
    check_state(out, "bomb", "add", "ungradable", "more than 1,048,576 bytes");
    /* limits of the whole */
    snprintf(out, sizeof out, "%s", in("out-limit"));
    b = batch(in("course.tar.gz"), out);
    b.count_limit = 1;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_INT(sum.total, 1);
    b = batch(in("nowhere"), out);
    CHECK_INT(grade_batch_run(&b, &sum, &msg), -1);
    CHECK_CONTAINS(said(&msg), "cannot open");
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
    CHECK_STR(said(&msg), "");
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
        /* 0, 10, 20 and 30 are none that can be graded: one of each part's, and two of the
         * first's */
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
    char *canvas = grade_export(out, GRADE_EXPORT_CANVAS, NULL, &msg);
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
    canvas = grade_export(out, GRADE_EXPORT_CANVAS, &how, &msg);
    CHECK_CONTAINS(canvas, "Student,ID,SIS User ID,SIS Login ID,Section,add (991)\r\n");
    CHECK_CONTAINS(canvas, "\"Lee, \"\"Ann\"\"\",7,u1,ann,S1,10\r\n");
    CHECK_CONTAINS(canvas, "Bob,8,u2,bob,S1,3\r\n"); /* nothing of his: the cell stays */
    free(canvas);
    /* Nobody vanishes in silence, and nobody at all is an error. */
    CHECK_INT(how.noted, 3);
    CHECK_CONTAINS(said(&how.first[0]), "does not name");
    put("strangers.csv", "Student,ID,SIS User ID,SIS Login ID,Section\nX,1,u9,xavier,S\n");
    how.roster = in("strangers.csv");
    CHECK(!grade_export(out, GRADE_EXPORT_CANVAS, &how, &msg));
    CHECK_CONTAINS(said(&msg), "names none of the 4 students");
    CHECK_CONTAINS(said(&msg), "there xavier");
    /* Moodle's worksheet is no Canvas gradebook. */
    how.roster = "tests/grade/imports/moodle/worksheet.csv";
    CHECK(!grade_export(out, GRADE_EXPORT_CANVAS, &how, &msg));
    CHECK_CONTAINS(said(&msg), "is not Canvas's gradebook");
    put("moodle.csv",
        "Identifier,Full name,Email address\nParticipant 1,Ann Lee,ANN@uni.example\n");
    how.roster = in("moodle.csv");
    char *moodle = grade_export(out, GRADE_EXPORT_MOODLE, &how, &msg);
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
    moodle = grade_export(out, GRADE_EXPORT_MOODLE, &how, &msg);
    CHECK_CONTAINS(moodle,
                   "\xEF\xBB\xBFIdentifier,Full name,Email address,Status,Grade,Maximum "
                   "Grade\r\nParticipant 1,Ann Lee,ann@uni.example,Submitted,100,100.00\r\n");
    CHECK_CONTAINS(moodle, "Participant 2,李雷,li@uni.example,Submitted,50,50.00\r\n");
    CHECK_CONTAINS(moodle, "Participant 3,No One,no@uni.example,,-,100.00\r\n");
    free(moodle);
    put("wrong.csv", "a,b\n1,2\n");
    how.roster = in("wrong.csv");
    CHECK(!grade_export(out, GRADE_EXPORT_MOODLE, &how, &msg));
    CHECK_CONTAINS(said(&msg), "expected one of SIS Login ID, idnumber");

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
    CHECK_INT(files_in(in("out-r/reports")), 1 + GRADE_EXPORT_FORMATS + 4 * 4);

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
    CHECK(lib_message_any(&msg));
}

/* Without a roster given, Canvas's own columns come from the one that is kept, else from what
 * Canvas called the files: never a number as a login. */
static void canvas_people(void) {
    char out[400];
    put("cv/leeann_7_501_add.cu", "10");
    put("cv/noone_LATE_9_502_add.cu", "2");
    snprintf(out, sizeof out, "%s", in("out-cv"));
    grade_batch b = batch(in("cv"), out);
    b.from = "canvas";
    grade_batch_run(&b, &sum, &msg);
    char *canvas = grade_export(out, GRADE_EXPORT_CANVAS, NULL, &msg);
    CHECK_CONTAINS(canvas, "leeann,7,,,,10\r\nnoone,9,,,,2\r\n");
    free(canvas);
    put("kept.csv", "Student,ID,SIS User ID,SIS Login ID,Section,Quiz (1)\n"
                    "\"Lee, Ann\",7,u1,ann,S1,5\nBob,8,u2,bob,S1,3\n");
    b.roster = in("kept.csv");
    b.reports = true;
    grade_batch_run(&b, &sum, &msg);
    canvas = grade_export(out, GRADE_EXPORT_CANVAS, NULL, &msg);
    CHECK_CONTAINS(canvas, "\"Lee, Ann\",7,u1,ann,S1,10\r\n");
    CHECK_CONTAINS(canvas, "noone,9,,,,2\r\n"); /* not on it */
    size_t n;
    char *report = store_read(AT_FDCWD, in("out-cv/reports/canvas.csv"), 1 << 20, &n);
    CHECK(canvas && report && !strcmp(canvas, report));
    free(report);
    free(canvas);
    char *moodle = grade_export(out, GRADE_EXPORT_MOODLE, NULL, &msg);
    CHECK_CONTAINS(moodle, "idnumber,add\r\n9,2\r\nann,10\r\n");
    free(moodle);
    char *book = gradebook_export(out, GRADEBOOK_CSV,
                                  &msg); /* late by the mark alone: nobody knows by how much */
    CHECK_CONTAINS(book, ",\"Lee, Ann\",1,1,,,0,,0,10\r\n");
    CHECK_CONTAINS(book, ",\"noone\",1,1,,,1,,0,2\r\n");
    free(book);
}

/* ---- what a run is about to do, and the secret ---- */

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
    CHECK_CONTAINS(said(&msg), "graded with another secret");
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

/* What changed since: each part of what a record follows from, and what other rules make of the
 * grades. */
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

/* A folder that may be written to but not read cannot be made to last on the disk: that, and why,
 * is what is said. */
static void unreadable(void) {
    const char *path = in("blind");
    CHECK(!mkdir(path, 0700));
    int out = open(path, O_RDONLY | O_DIRECTORY);
    bool super = !geteuid(); /* who may read everything */
    CHECK(!fchown(out, super ? 65534 : geteuid(), (gid_t)-1) && !fchmod(out, 0300));
    CHECK(!super || !seteuid(65534));
    msg = (lib_message){0};
    CHECK(!store_write(out, "x", "text", 4, 0600, &msg));
    CHECK(!super || !seteuid(0));
    CHECK_CONTAINS(said(&msg), strerror(EACCES));
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
            CHECK_CONTAINS(said(&msg), rows[i].says);
            CHECK_CONTAINS(said_zh(&msg), "manifest.json，提交 a/add.cu");
        } else {
            CHECK_STR(said(&msg), "");
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

static unsigned mode_of(const char *name) {
    struct stat st;
    return stat(in(name), &st) ? 0 : st.st_mode & 07777;
}

/* Where OUT's group may work in OUT, it may in all of it; others may not, whatever the umask. */
static void shared_folder(void) {
    static const struct {
        const char *name;
        unsigned mode, alone;
    } files[] = {
        {"manifest.json", 0660, 0600},   {"secret", 0660, 0600},   {"lock", 0660, 0600},
        {"course.json", 0660, 0600},     {"records", 02770, 0700}, {"submissions", 02770, 0700},
        {"gradebook.sqlite", 0660, 0600}};
    put("sh/ann/add.cu", "10");
    for (int group = 0; group < 2; group++) {
        char out[400];
        snprintf(out, sizeof out, "%s", in(group ? "out-sh" : "out-al"));
        mkdir(out, 0700);
        CHECK(!chmod(out, group ? 02770 : 0700));
        mode_t mask = umask(group ? 077 : 0);
        grade_batch b = batch(in("sh"), out);
        b.rules = "{}";
        b.own_secret = true;
        CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
        CHECK_INT(gradebook_rebuild(out, &msg), 0);
        umask(mask);
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            char name[100];
            snprintf(name, sizeof name, "%s/%s", group ? "out-sh" : "out-al", files[i].name);
            printf("# %s\n", name);
            CHECK_INT(mode_of(name), group ? files[i].mode : files[i].alone);
        }
    }
    /* A secret that is there and cannot be read is no reason to draw another. */
    CHECK(!unlink(in("out-sh/secret")) && !mkdir(in("out-sh/secret"), 0700));
    grade_batch b = batch(in("sh"), in("out-sh"));
    b.own_secret = true;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), -1);
    CHECK_CONTAINS(said(&msg), "secret cannot be read");
}

int main(void) {
    if (!batch_begin()) return 1;
    states();
    archives();
    killed();
    reports();
    canvas_people();
    plans();
    changes();
    unreadable();
    numbers();
    shared_folder();
    return batch_done();
}
