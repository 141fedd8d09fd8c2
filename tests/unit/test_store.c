/* What keeps a grading on the disk: files that are whole or not there, the list of submissions
 * written, read back and put in order, and a run's list merged into the one before. By store.h and
 * by the cases that merge.c names at its head. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "grader/course/store.h"
#include "tests/check.h"
#include "tests/said.h"
#include "words/course.h"
#include "words/intake.h"

static char root[64];
static int at; /* root, opened */
static lib_message msg;

static const char *in(const char *name) {
    static char p[8][300];
    static int k;
    char *s = p[k = (k + 1) % 8];
    snprintf(s, sizeof p[0], "%s/%s", root, name);
    return s;
}
static void put(const char *name, const char *text) {
    CHECK(store_write(at, name, text, strlen(text), 0600, &msg));
}
static bool there(const char *name) {
    return !faccessat(at, name, F_OK, AT_SYMLINK_NOFOLLOW);
}
static size_t count_in(const char *folder) {
    DIR *d = opendir(folder);
    size_t n = 0;
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

static void folders(void) {
    char want[400];
    struct stat st;
    int fd = store_open(in("new"), &msg);
    CHECK(fd >= 0 && !fstat(fd, &st) && S_ISDIR(st.st_mode) && (st.st_mode & 0777) == 0700);
    CHECK(store_folder(fd, "sub", &msg) && store_folder(fd, "sub", &msg));
    CHECK(!fstatat(fd, "sub", &st, 0) && (st.st_mode & 0777) == 0700);
    CHECK(!store_folder(fd, "no/sub", &msg));
    CHECK_STR(said(&msg), "cannot make the folder no/sub: No such file or directory");
    CHECK_CONTAINS(said_zh(&msg), "无法创建文件夹 no/sub：");
    close(fd);
    fd = store_open(in("new"), &msg);
    CHECK(fd >= 0);
    close(fd);
    put("file", "x");
    msg = (lib_message){0};
    CHECK_INT(store_open(in("file"), &msg), -1);
    snprintf(want, sizeof want, "cannot open the folder %s: Not a directory", in("file"));
    CHECK_STR(said(&msg), want);
    CHECK_CONTAINS(said_zh(&msg), "无法打开文件夹 ");
    CHECK_INT(store_open(in("no/where"), &msg), -1);
    snprintf(want, sizeof want, "cannot make the folder %s: No such file or directory",
             in("no/where"));
    CHECK_STR(said(&msg), want);
}

static void files(void) {
    static const struct {
        const char *name, *text;
        unsigned mode;
        bool again;
    } rows[] = {{"f/a", "one", 0600, false},
                {"f/a", "", 0400, false},
                {"f/a", "another", 0644, true},
                {"b", "x", 0600, false}};
    CHECK(store_folder(at, "f", &msg));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stat st;
        size_t n = 99, size = strlen(rows[i].text);
        bool (*write)(int, const char *, const void *, size_t, unsigned, lib_message *) =
            rows[i].again ? store_write_again : store_write;
        CHECK(write(at, rows[i].name, rows[i].text, size, rows[i].mode, &msg));
        CHECK(!fstatat(at, rows[i].name, &st, 0) && (st.st_mode & 07777) == rows[i].mode);
        char *text = store_read(at, rows[i].name, size, &n);
        CHECK_STR(text, rows[i].text);
        CHECK_INT(n, size);
        free(text);
        if (size) CHECK(!store_read(at, rows[i].name, size - 1, &n));
    }
    CHECK_INT(count_in(in("f")), 1); /* nothing temporary stays */
    msg = (lib_message){0};
    CHECK(!store_write(at, "none/x", "x", 1, 0600, &msg));
    CHECK_STR(said(&msg), "cannot write none/x: No such file or directory");
    CHECK_CONTAINS(said_zh(&msg), "无法写入 none/x：");
    CHECK(store_folder(at, "f/taken", &msg));
    CHECK(!store_write(at, "f/taken", "x", 1, 0600, &msg));
    CHECK_STR(said(&msg), "cannot write f/taken: Is a directory");
    CHECK_INT(count_in(in("f")), 2);
    /* A full disk, as a limit of two bytes: what was there stays, and nothing else. */
    struct rlimit was, two;
    CHECK(!getrlimit(RLIMIT_FSIZE, &was));
    two = was;
    two.rlim_cur = 2;
    put("f/full", "yes");
    signal(SIGXFSZ, SIG_IGN);
    CHECK(!setrlimit(RLIMIT_FSIZE, &two));
    bool written = store_write(at, "f/full", "1234", 4, 0600, &msg);
    CHECK(!setrlimit(RLIMIT_FSIZE, &was));
    CHECK(!written);
    CHECK_STR(said(&msg), "cannot write f/full: File too large");
    char *kept = store_read(at, "f/full", 10, NULL);
    CHECK_STR(kept, "yes");
    free(kept);
    CHECK_INT(count_in(in("f")), 3);
    /* What is no regular file is not read. */
    CHECK(!symlinkat("b", at, "link") && !mkfifoat(at, "fifo", 0600));
    CHECK(!store_read(at, "link", 100, NULL) && !store_read(at, "f", 100, NULL) &&
          !store_read(at, "fifo", 100, NULL) && !store_read(at, "none", 100, NULL));
    /* A folder goes with all that is in it; what a link in it names stays. */
    CHECK(store_folder(at, "f/deep", &msg) && !symlinkat("../../new", at, "f/deep/out"));
    put("f/deep/x", "x");
    store_remove_tree(at, "f");
    CHECK(!there("f") && there("new/sub"));
    store_remove_tree(at, "link");
    CHECK(!there("link") && there("b"));
    store_remove_tree(at, "none");
}

static void sweeping(void) {
    static const struct {
        const char *name;
        bool swept;
    } rows[] = {{"x.json.tmp123", true}, {"x.tmp0", true},       {"x.sqlite.tmp12-journal", true},
                {"x.tmp", false},        {"x.tmp1a", false},     {"x.tmpa1", false},
                {"x.tm1", false},        {"x.tmp1.json", false}, {"tmp1", false},
                {"x.123", false},        {"x", false},           {"x.temp1", false}};
    CHECK(store_folder(at, "s", &msg));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[60];
        snprintf(name, sizeof name, "s/%s", rows[i].name);
        close(openat(at, name, O_CREAT | O_WRONLY, 0600));
        CHECK(there(name));
    }
    store_sweep(at, "s");
    store_sweep(at, "nowhere");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[60];
        snprintf(name, sizeof name, "s/%s", rows[i].name);
        printf("# %s\n", name);
        CHECK_INT(!there(name), rows[i].swept);
    }
}

/* ---- the list ---- */

static void called(void) {
    static const struct {
        const char *student, *name, *want;
    } rows[] = {{"9999", "Zoe Out", "9999 (Zoe Out)"},
                {"9999", "", "9999"},
                {"9999", "9999", "9999"},
                {"zoe", "Zoe Out", "zoe"},
                {"9z", "Zoe Out", "9z"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        store_entry e = {.student = (char *)rows[i].student, .name = (char *)rows[i].name};
        char to[60];
        store_called(&e, to, sizeof to);
        CHECK_STR(to, rows[i].want);
    }
}

/* "STUDENT/LAB SOURCE SHA TIME ORDER", a time or order of 0 not known; sha one letter, so often. */
static void enter(store_manifest *m, const char *student, const char *lab, const char *source,
                  char sha, int64_t time, int64_t order) {
    store_entry *e = manifest_add(m, student, lab, source);
    memset(e->sha, sha, sha ? 64 : 0);
    e->timed = time != 0;
    e->time = time;
    e->order = order;
}
/* "LAB STUDENT SOURCE, ..." */
static void lists(const store_manifest *m, const char *want) {
    lib_buffer b = {0};
    lib_buffer_puts(&b, "");
    for (size_t i = 0; i < m->count; i++)
        lib_buffer_printf(&b, "%s%s %s %s", i ? ", " : "", m->entry[i].lab, m->entry[i].student,
                          m->entry[i].source);
    char *got = lib_buffer_take(&b);
    CHECK_STR(got, want);
    free(got);
}

static lib_words english(const char *text) {
    return lib_words_plain((lib_texts){{text}});
}

static void sorting(void) {
    store_manifest m = {0};
    enter(&m, "b", "x", "b1", 'a', 0, 0);
    enter(&m, "a", "y", "a1", 'b', 0, 0);
    enter(&m, "a", "x", "t3", 'c', 30, 1);
    enter(&m, "a", "x", "t1", 'd', 10, 9);
    enter(&m, "a", "x", "t2", 'e', 20, 5);
    enter(&m, "c", "x", "o2", 'f', 0, 2);
    enter(&m, "c", "x", "o1", 'g', 10, 1); /* one time alone says nothing: their order does */
    enter(&m, "d", "x", "s2", 'h', 0, 0);
    enter(&m, "d", "x", "s1", 'h', 0, 0); /* byte for byte: one of them */
    enter(&m, "e", "x", "u2", 'i', 5, 7);
    enter(&m, "e", "x", "u1", 'j', 5, 7); /* at the same time: nobody knows */
    enter(&m, "f", "x", "n2", 0, 0, 0);
    enter(&m, "f", "x", "n1", 0, 0, 0); /* no bytes are not the same bytes */
    manifest_refuse(&m, "z", english("why"));
    manifest_refuse(&m, "b", english("why"));
    manifest_sort(&m);
    lists(&m, "x a t1, x a t2, x a t3, x b b1, x c o1, x c o2, x d s1, x e u1, x f n1, y a a1");
    CHECK_INT(m.refused_count, 3);
    CHECK_STR(m.refused[0], "b: why");
    CHECK_STR(m.refused[1], "s2: d has handed in x twice, byte for byte as s1");
    CHECK_STR(m.refused[2], "z: why");
    CHECK_INT(m.left_count, 2);
    CHECK_STR(m.left[0], "n2: f has handed in x twice, and which is the later one is not known; "
                         "n1 is graded");
    CHECK_STR(m.left[1], "u2: e has handed in x twice, and which is the later one is not known; "
                         "u1 is graded");
    manifest_free(&m);
    CHECK(!m.count && !m.entry && !m.left && !m.refused);
}

/* In any language, also with a path and a name as long as they may be, and one of an older
 * version's as it is. */
static void saying(void) {
    store_manifest m = {0};
    lib_message to;
    char name[1001], text[5000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    manifest_leave(&m, "mia/a: b.cu", w_intake_no_lab_of_name("a: b.cu"));
    manifest_leave(&m, name, w_course_handed_in_twice("ann", "vector-add", name));
    manifest_said(&m, m.left[0], &to);
    CHECK_STR(lib_message_text(text, sizeof text, LIB_EN, &to), m.left[0]);
    CHECK_STR(lib_message_text(text, sizeof text, LIB_ZH, &to),
              "mia/a: b.cu：没有与 a: b.cu 同名的实验");
    manifest_said(&m, m.left[1], &to);
    lib_message_text(text, sizeof text, LIB_ZH, &to);
    CHECK(!strncmp(text, name, 100) && strstr(text, "：ann 交了两次 vector-add，与 nnnn"));
    manifest_said(&m, "x: not a submission\x1b[31m\ny", &to);
    lib_message_text(text, sizeof text, LIB_ZH, &to);
    CHECK(!strncmp(text, "x: not a submission", 19) && !strchr(text, '\n') && !strchr(text, 27));
    manifest_free(&m);
    CHECK_STR(course_state_word("infra_error", LIB_EN), "could not be graded");
    CHECK_STR(course_state_word("infra_error", LIB_ZH), "未能评分");
    CHECK_STR(course_state_word("of a later version", LIB_ZH), "of a later version");
}

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
static void kept(void) {
    static const char want[] =
        "{\"version\":1,\"submissions\":["
        "{\"student\":\"ann\",\"lab\":\"add\",\"key\":\"" A64 "\",\"sha256\":\"" B64 "\","
        "\"bytes\":7,\"source\":\"ann/add.cu\",\"name\":\"Ann\",\"ids\":\"x\\ny\\n\","
        "\"time\":-5,\"order\":9,\"late\":true,\"attempt\":2,\"attempts\":3,\"graded\":false,"
        "\"problem\":\"no\",\"reason\":{\"text\":{\"en\":\"no\"}}},"
        "{\"student\":\"bob\",\"lab\":\"add\",\"key\":\"\",\"sha256\":\"\",\"bytes\":0,"
        "\"source\":\"bob/add.cu\",\"attempt\":0,\"attempts\":0,\"graded\":true}],"
        "\"refused\":[\"r: e: f: why\"],\"left\":[\"l: not a submission\"],"
        "\"reasons\":{\"r: e: f: why\":{\"id\":\"course.line\",\"args\":{\"path\":\"r\","
        "\"why\":{\"text\":{\"en\":\"e: f: why\"}}}},"
        "\"l: not a submission\":{\"id\":\"course.line\",\"args\":{\"path\":\"l\","
        "\"why\":{\"id\":\"intake.not-submission\",\"args\":{}}}}},"
        "\"left_from\":{\"l: not a submission\":{\"in\":\"/x\",\"labs\":[\"add\"]}}}";
    store_manifest m = {0}, back;
    store_entry *e = manifest_add(&m, "ann", "add", "ann/add.cu");
    memset(e->key, 'a', 64);
    memset(e->sha, 'b', 64);
    free(e->name);
    free(e->ids);
    e->name = strdup("Ann");
    e->ids = strdup("x\ny\n");
    e->size = 7;
    e->timed = e->late = true;
    e->time = -5;
    e->order = 9;
    e->attempt = 2;
    e->attempts = 3;
    CHECK(store_problem(e, english("no")));
    e = manifest_add(&m, "bob", "add", "bob/add.cu");
    e->graded = true;
    manifest_refuse(&m, "r", english("e: f: why"));
    manifest_leave(&m, "l", w_intake_not_submission());
    m.left_from = json_pack("{s:{s:s,s:[s]}}", "l: not a submission", "in", "/x", "labs", "add");
    for (int round = 0; round < 2; round++) { /* as it was, then as it was read back */
        CHECK(manifest_save(&m, at, &msg));
        size_t n;
        char *text = store_read(at, "manifest.json", 1 << 20, &n);
        json_t *got = text ? json_loads(text, 0, NULL) : NULL, *asked = json_loads(want, 0, NULL);
        CHECK(asked && json_equal(got, asked));
        if (!json_equal(got, asked)) printf("# got: %s\n", text);
        json_decref(got);
        json_decref(asked);
        free(text);
        CHECK(manifest_load(&back, at, &msg));
        CHECK_STR(said(&msg), "");
        manifest_free(&m);
        m = back;
    }
    CHECK(m.entry[0].timed && !m.entry[1].timed && m.entry[1].time == 0);
    CHECK(!m.entry[1].problem && !*m.entry[1].name && !*m.entry[1].ids);
    manifest_free(&m);
    /* What cannot be read, and a newer Warplab's. */
    static const struct {
        const char *text, *says;
        bool known;
    } rows[] = {{"{\n\"version\": }", "manifest.json, line 2: ", true},
                {"{\"version\":1}", "", true},
                {"{}", "", true},
                {"{\"version\":2}", "manifest.json", false},
                {"{\"version\":-1}", "", true},
                {"{\"version\":99999999999}", "manifest.json", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put("manifest.json", rows[i].text);
        CHECK_INT(store_known(root, &msg), rows[i].known);
        CHECK_INT(manifest_load(&m, at, &msg), !*rows[i].says);
        if (*rows[i].says) CHECK_CONTAINS(said(&msg), rows[i].says);
        else CHECK_STR(said(&msg), "");
        manifest_free(&m);
    }
    CHECK(!unlinkat(at, "manifest.json", 0) && store_known(root, &msg));
    CHECK(store_known(in("nowhere"), &msg));
    CHECK(!manifest_load(&m, at, &msg));
    CHECK_STR(said(&msg), "");
    /* An older one says nothing of attempts: all are graded. Lines without a reason are none. */
    put("manifest.json", "{\"submissions\":[{\"student\":\"a\",\"lab\":\"b\",\"source\":\"c\"}],"
                         "\"left\":[\"no reason\",1,\"a: b\"]}");
    CHECK(manifest_load(&m, at, &msg));
    CHECK(m.count == 1 && m.entry[0].graded && m.left_count == 1);
    manifest_free(&m);
    CHECK(!unlinkat(at, "manifest.json", 0));
}

static void records(void) {
    CHECK(store_folder(at, "records", &msg));
    put("records/" A64 ".json", "{\"key\":\"" A64 "\",\"version\":2}");
    put("records/" B64 ".json", "{\"key\":\"" A64 "\"}");
    json_t *o = record_load(at, A64);
    CHECK(o != NULL);
    msg = (lib_message){0};
    CHECK(!record_known(o, A64, &msg));
    CHECK_CONTAINS(said(&msg), "records/" A64 ".json");
    json_decref(o);
    CHECK(!record_load(at, B64)); /* another's */
    CHECK(!record_load(at, "../b") && !record_load(at, A64 "a") && !record_load(at, ""));
    CHECK(!record_load(at, "Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    static const struct {
        const char *state;
        bool final;
    } rows[] = {{"graded", true},       {"ungradable", true}, {"suspect", true},
                {"infra_error", false}, {"ambiguous", false}, {"", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        o = json_pack("{s:s}", "state", rows[i].state);
        CHECK_INT(record_final(o), rows[i].final);
        CHECK(record_known(o, A64, &msg));
        json_decref(o);
    }
    CHECK(!record_final(NULL));
}

/* ---- merging ---- */

static void keep(store_manifest *m) {
    CHECK(manifest_save(m, at, &msg));
    manifest_free(m);
}
static void merge(store_manifest *m, const char *from, const char *lab) {
    msg = (lib_message){0};
    CHECK(manifest_merge(m, at, in(from), lab, &msg));
    CHECK_STR(said(&msg), "");
}
static void left_are(const store_manifest *m, const char *want) {
    lib_buffer b = {0};
    lib_buffer_puts(&b, "");
    for (size_t i = 0; i < m->left_count; i++)
        lib_buffer_printf(&b, "%s%s", i ? " | " : "", m->left[i]);
    char *got = lib_buffer_take(&b);
    CHECK_STR(got, want);
    free(got);
}

static void merging(void) {
    store_manifest m = {0};
    CHECK(store_folder(at, "in1", &msg) && store_folder(at, "in2", &msg));
    /* The first run: nothing was there. */
    enter(&m, "ann", "x", "s/ann.cu", 'a', 100, 0);
    enter(&m, "bob", "x", "s/bob.cu", 'b', 200, 0);
    enter(&m, "7", "x", "s/cy.cu", 'c', 0, 0);
    manifest_leave(&m, "s/lost.cu", english("whose?"));
    manifest_leave(&m, "s/dan", w_intake_nothing_taken("dan"));
    merge(&m, "in1", NULL);
    lists(&m, "x 7 s/cy.cu, x ann s/ann.cu, x bob s/bob.cu");
    const json_t *from = json_object_get(m.left_from, "s/lost.cu: whose?");
    CHECK_STR(report_text(from, "in"), in("in1"));
    CHECK_INT(json_array_size(json_object_get(from, "labs")), 1);
    CHECK_INT(json_object_size(m.left_from), 2);
    keep(&m);
    /* Another lab's folder: all of the first one stays, with what was left of it. */
    m = (store_manifest){0};
    enter(&m, "ann", "y", "t/ann.cu", 'd', 0, 0);
    manifest_leave(&m, "t/lost.cu", english("whose?"));
    merge(&m, "in2", "y");
    lists(&m, "x 7 s/cy.cu, x ann s/ann.cu, x bob s/bob.cu, y ann t/ann.cu");
    left_are(&m, "s/dan: nothing of dan was taken: no file is a lab's | s/lost.cu: whose? | "
                 "t/lost.cu: whose?");
    CHECK_STR(report_text(json_object_get(m.left_from, "s/lost.cu: whose?"), "in"), in("in1"));
    CHECK_STR(report_text(json_object_get(m.left_from, "t/lost.cu: whose?"), "in"), in("in2"));
    keep(&m);
    /* The first folder again: what it says now counts, the time that a worksheet said stays with
     * the same bytes, and who has another name now is not there twice. */
    m = (store_manifest){0};
    enter(&m, "ann", "x", "s/ann.cu", 'a', 0, 0);
    enter(&m, "bob", "x", "s/bob.cu", 'z', 0, 0);
    enter(&m, "cy", "x", "s/cy.cu", 'c', 0, 0);
    free(m.entry[2].ids);
    m.entry[2].ids = strdup("77\n7\n");
    merge(&m, "in1", NULL);
    lists(&m, "x ann s/ann.cu, x bob s/bob.cu, x cy s/cy.cu, y ann t/ann.cu");
    CHECK(m.entry[0].timed && m.entry[0].time == 100);
    CHECK(!m.entry[1].timed);          /* other bytes */
    left_are(&m, "t/lost.cu: whose?"); /* lost.cu is there no longer, dan neither */
    keep(&m);
    /* A third input: a line of another's goes when the path is come upon again, or something of
     * theirs was taken for a lab that it was about. */
    m = (store_manifest){0};
    enter(&m, "cy", "x", "u/cy.cu", 'c', 0, 0); /* another source: other work, not renamed */
    manifest_leave(&m, "u/eve", w_intake_nothing_taken("eve"));
    manifest_leave(&m, "u/fay", w_intake_nothing_taken("fay"));
    manifest_leave(&m, "u/a.cu", english("whose?"));
    manifest_leave(&m, "u/b.cu", english("whose?"));
    manifest_leave(&m, "u/c.cu", english("whose?"));
    merge(&m, "in1", "x");
    keep(&m);
    m = (store_manifest){0};
    enter(&m, "eve", "x", "v/eve.cu", 'e', 0, 0);
    free(m.entry[0].ids);
    m.entry[0].ids = strdup("eve@x\neve\n");
    enter(&m, "x", "x", "u/a.cu", 'f', 0, 0);
    manifest_refuse(&m, "u/b.cu", english("not a submission"));
    merge(&m, "in2", "x");
    left_are(&m, "t/lost.cu: whose? | u/c.cu: whose? | "
                 "u/fay: nothing of fay was taken: no file is a lab's");
    keep(&m);
    /* Of another lab it says nothing of these. */
    m = (store_manifest){0};
    enter(&m, "fay", "y", "u/c.cu", 'h', 0, 0);
    free(m.entry[0].ids);
    m.entry[0].ids = strdup("fay\n");
    merge(&m, "in1", "y");
    left_are(&m, "t/lost.cu: whose? | u/c.cu: whose? | "
                 "u/fay: nothing of fay was taken: no file is a lab's");
    keep(&m);
    m = (store_manifest){0}; /* that lab's own input again, which has nothing left over now */
    merge(&m, "in2", "y");
    left_are(&m, "u/c.cu: whose? | u/fay: nothing of fay was taken: no file is a lab's");
    manifest_free(&m);
    /* A list that cannot be read is no list to merge into. */
    put("manifest.json", "{");
    CHECK(!manifest_merge(&m, at, in("in1"), NULL, &msg));
    CHECK_CONTAINS(said(&msg), "manifest.json, line 1");
    manifest_free(&m);
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/warplab-store-XXXXXX");
    if (!mkdtemp(root)) return 1;
    at = open(root, O_RDONLY | O_DIRECTORY);
    size_t open_before = count_in("/proc/self/fd");
    folders();
    files();
    sweeping();
    called();
    sorting();
    saying();
    kept();
    records();
    merging();
    CHECK_INT(count_in("/proc/self/fd"), open_before); /* every file is closed again */
    close(at);
    store_remove_tree(AT_FDCWD, root);
    return check_done();
}
