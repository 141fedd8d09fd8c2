/* How a batch goes: what each kind of record says, progress, how it ends before its time, and the
 * same by Slurm. */
#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "batch_fixture.h"
#include "runner/base/clock.h"
#include "tests/said.h"

#define GIVEN "__global__ void add() {}\n"
static char *on_given(void *user, const char *which) {
    (void)user, (void)which;
    return strdup(GIVEN);
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
    /* What is kept beside: the file, read-only; what it printed; what all were given; the roster; a
     * secret, drawn once, for the graders alone. */
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
    CHECK_STR(text, GIVEN);
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
    CHECK_STR(said(&msg), path);
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
    CHECK_STR(said(&msg), "cancelled; start it again to go on");
    CHECK(!sum.total && !sum.graded); /* nothing was taken in, either */
    b = batch(in("bytes"), in("out-nothing"));
    b.ingest = false;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), -1);
    CHECK_CONTAINS(said(&msg), "out-nothing holds no manifest.json: nothing was taken in yet");
    b.again = true;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), -1);
    CHECK_CONTAINS(said(&msg), "out-nothing holds no manifest.json: nothing was taken in yet");
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
    /* It hangs twice, is tried again after the others, and is counted then. */
    char *told = lib_buffer_take(&progress);
    CHECK_STR(told, "1/3 ann add graded 10/10 \n"
                    "1/3 bob add infra_error 0/0 the grader's own time limit of 0.5 s ended the "
                    "worker\n"
                    "2/3 cat add ungradable 0/10 \n"
                    "3/3 bob add infra_error 0/0 the grader's own time limit of 0.5 s ended the "
                    "worker\n");
    free(told);
    CHECK(took >= 1);
    CHECK(cpu < 0.15);  /* a parent that asks all the time would use all of it */
    CHECK(slept < 500); /* nor does it ask every millisecond */
}

/* A batch that ends before its time leaves no worker behind: one whose record cannot be written,
 * and one that is cancelled as the first of its records is told. */
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
        if (cancels) CHECK_STR(said(&msg), "cancelled; start it again to go on");
        else
            CHECK_CONTAINS(said(&msg), "the record of bob/add could not be written. Make room in ");
        CHECK(sum.total == 3 && sum.graded <= 2 && !sum.infra_error && !sum.ungradable);
    }
}

static volatile int *cancelled;
static void on_alarm(int signal) {
    (void)signal;
    *cancelled = 1;
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
    CHECK_STR(said(&msg), "");
    CHECK_INT(sum.graded, 3);
    /* A task that was cancelled before it began: sbatch ends well, and what has no record is
     * said. */
    put("sbatch", "#!/bin/sh\nSLURM_ARRAY_TASK_ID=0 sh \"$3\"\n");
    snprintf(out, sizeof out, "%s", in("out-slurm-cancelled"));
    CHECK_INT(grade_slurm_run(&b, &t, &sum, &msg), 1);
    CHECK_INT(sum.graded, 2); /* x and z; y was the other task's */
    char want[1200];
    snprintf(want, sizeof want,
             "a task failed or was cancelled. Without a record: 1 of 3 submissions; see %s/slurm. "
             "Start the batch again: what is done is kept.",
             out);
    CHECK_STR(said(&msg), want);
    CHECK_CONTAINS(said_zh(&msg), "没有记录的提交：1 份（共 3 份）");
    CHECK_STR(sum.importer, "plain"); /* what taking in said is kept */
    CHECK_STR(lib_word(LIB_EN, sum.layout), "STUDENT/LAB.cu or an archive a student");
    /* And one that died: what it wrote is gathered all the same. */
    put("sbatch", "#!/bin/sh\nexit 9\n");
    snprintf(out, sizeof out, "%s", in("out-slurm-died"));
    CHECK_INT(grade_slurm_run(&b, &t, &sum, &msg), -1);
    snprintf(want, sizeof want,
             "%s ended with status 9: a task failed or was cancelled, or the job was not accepted. "
             "Without a record: 3 of 3 submissions; see %s/slurm. Start the batch again: what is "
             "done is kept.",
             fake, out);
    CHECK_STR(said(&msg), want);
    /* Each has a record, and one of them is none that stands: said only where a task failed. */
    put("sbatch", body);
    put("s/y/add.cu", "infra");
    snprintf(out, sizeof out, "%s", in("out-slurm-infra"));
    CHECK_INT(grade_slurm_run(&b, &t, &sum, &msg), 1);
    snprintf(want, sizeof want, "%s ended with status 1: a task failed; see %s/slurm", fake, out);
    CHECK_STR(said(&msg), want);
    CHECK(sum.graded == 2 && sum.infra_error == 1);
    put("sbatch", "#!/bin/sh\nexit 0\n");
    CHECK_INT(grade_slurm_run(&b, &t, &sum, &msg), 1);
    CHECK_STR(said(&msg), "");
    /* Ctrl-C, or SIGTERM to Warplab alone, ends sbatch, too. */
    volatile int cancel = 0;
    put("sbatch", "#!/bin/sh\nkill -ALRM $PPID\nexec sleep 60\n");
    cancelled = &cancel;
    struct sigaction alarmed = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &alarmed, NULL);
    b.cancel = &cancel;
    double begin = lib_now();
    CHECK_INT(grade_slurm_run(&b, &t, &sum, &msg), -1);
    CHECK(lib_now() - begin < 30);
    CHECK_CONTAINS(said(&msg), "`scancel --name=warplab`");
    CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
    b.cancel = NULL;
    t.sbatch = "/nonexistent/sbatch";
    b.out = in("out-slurm2");
    CHECK_INT(grade_slurm_run(&b, &t, &sum, &msg), -1);
    CHECK_CONTAINS(said(&msg), "Is Slurm installed");
}

/* The other side of the stand-in: one task of the array. */
static int task(char **argv) {
    grade_batch b = batch("", argv[2]);
    b.ingest = false;
    if (sscanf(argv[4], "%u/%u", &b.shard, &b.shards) != 2) return 2;
    return grade_batch_run(&b, &sum, &msg);
}

int main(int argc, char **argv) {
    if (argc == 5 && !strcmp(argv[1], "task")) return task(argv);
    if (!batch_begin()) return 1;
    records_of_all_kinds();
    waiting();
    early_ends();
    slurm();
    return batch_done();
}
