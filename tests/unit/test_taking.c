/* Small trees taken in, each with everything that is said of it: submissions with their bytes, what
 * is left over, what is none. By intake.h and the sentences of the catalogue. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runner/base/buffer.h"
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "grader/intake/intake.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/folder_fixture.h"

/* ---- labs of several files ---- */

static lib_buffer seen;
static bool known(void *user, const char *lab) {
    (void)user;
    return !strcmp(lab, "many") || !strcmp(lab, "one");
}
static bool folder(void *user, const char *lab) {
    (void)user;
    return !strcmp(lab, "many");
}
static bool on_submission(void *user, const intake_submission *s) {
    (void)user;
    lib_buffer_printf(&seen, "%s %s %s %lld", s->student, s->lab, s->source, (long long)s->order);
    if (s->timed) lib_buffer_printf(&seen, " @%lld", (long long)s->time);
    lib_buffer_printf(&seen, ": %s\n", s->data ? "" : lib_word(LIB_EN, s->problem));
    if (s->data) lib_buffer_add(&seen, s->data, s->size);
    return true;
}
static void on_other(void *user, intake_kind kind, const char *path, lib_words why) {
    (void)user;
    lib_buffer_printf(&seen, "%s %s: ", kind == INTAKE_LEFT ? "LEFT" : "-", path);
    lib_words_put(&seen, LIB_EN, why);
    lib_buffer_puts(&seen, "\n");
}
static intake_told told;
static void takes(intake_options o, const char *want) {
    intake_sink sink = {on_submission, on_other, NULL};
    o.lab_known = known;
    o.lab_folder = folder;
    o.source_limit = 40;
    msg = (lib_message){0};
    CHECK(intake_read(&o, &sink, &told, &msg));
    lib_buffer_puts(&seen, "");
    char *got = lib_buffer_take(&seen);
    CHECK_STR(said(&msg), "");
    if (!CHECK(!strcmp(got, want))) printf("# got:\n%s# want:\n%s", got, want);
    free(got);
}
/* Parts one after the other in the order of their names, as lib_parts_add() puts them. */
static char *parts(const char *const *part, size_t n) {
    lib_buffer b = {0};
    for (size_t i = 0; i < 2 * n; i += 2)
        lib_parts_add(&b, part[i], part[i + 1], strlen(part[i + 1]));
    return lib_buffer_take(&b);
}

static void several_files(void) {
    char want[4000];
    put("s/ann/many/main.cu", "main\n");
    put("s/ann/many/a.cuh", "head\n");
    put("s/ann/many/read.me", "x\n");
    put("s/bob/many/Main.cu", "x\n");
    put("s/bob/many/b.cu", "b\n");
    put("s/cy/one.cu", "one\n");
    put("s/many/one.cu", "whose folder a lab's name is\n");
    put("s/dan/many/a.cu", "12345678901234567890\n");
    put("s/dan/many/b.cu", "12345678901234567890\n"); /* 42 bytes, of 40 */
    for (int c = 'a'; c <= 'i'; c++) {
        char name[40];
        snprintf(name, sizeof name, "s/eve/many/%c.h", c); /* nine, of eight */
        put(name, "\n");
        snprintf(name, sizeof name, "s/fay/many/%c.h", c);
        if (c < 'i') put(name, "\n");
    }
    static const char *const ann[] = {"a.cuh", "head\n", "main.cu", "main\n"},
                             *const bob[] = {"b.cu", "b\n"}, *const fay[] = {"a.h", "\n",  "b.h",
                                                                             "\n",  "c.h", "\n",
                                                                             "d.h", "\n",  "e.h",
                                                                             "\n",  "f.h", "\n",
                                                                             "g.h", "\n",  "h.h",
                                                                             "\n"};
    char *a = parts(ann, 2), *b = parts(bob, 1), *f = parts(fay, 8);
    snprintf(want, sizeof want,
             "- ann/many/read.me: not a .cu file\n"
             "LEFT bob/many/Main.cu: not a plain name: expected lower-case letters, digits, - and "
             "_, then .cu, .cuh or .h\n"
             "cy one cy/one.cu 0: \none\n"
             "many one many/one.cu 0: \nwhose folder a lab's name is\n"
             "ann many ann/many 0: \n%s"
             "bob many bob/many 0: \n%s"
             "dan many dan/many 0: its files are too long together\n"
             "eve many eve/many 0: it has more than 8 files\n"
             "fay many fay/many 0: \n%s",
             a, b, f);
    takes((intake_options){.in = in("s")}, want);
    free(a);
    free(b);
    free(f);
    /* Attempts are apart; the later one's number is the folder's. */
    put("t/ann/attempt2/many/x.cu", "two\n");
    put("t/ann/attempt1/many/x.cu", "one\n");
    static const char *const one[] = {"x.cu", "one\n"}, *const two[] = {"x.cu", "two\n"};
    a = parts(one, 1), b = parts(two, 1);
    snprintf(want, sizeof want,
             "ann many ann/attempt1/many 2: \n%sann many ann/attempt2/many 3: \n%s", a, b);
    takes((intake_options){.in = in("t")}, want);
    free(a);
    free(b);
    /* Systems that name each file for itself: one work of a student's, as late as the last of
     * them. */
    put("c/ann_1_20_x.cu", "x\n");
    put("c/ann_1_30_y.cu", "y\n");
    put("c/ann_1_25_x.cu", "again\n");
    put("c/bob_2_10_x.cu", "b\n");
    a = parts((const char *const[]){"x.cu", "b\n"}, 1);
    snprintf(want, sizeof want,
             "1 many ann_1_20_x.cu 30: a file is there twice\n"
             "2 many bob_2_10_x.cu 10: \n%s",
             a);
    takes((intake_options){.in = in("c"), .lab = "many"}, want);
    free(a);
}

/* ---- small trees ---- */

enum { LIMIT = 40 }; /* bytes of a submission, see takes() */
#define NAME100                                                                                    \
    "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" \
    "nnnnnnnn"

/* Files of one name each that is also what they hold; a folder ends with a slash. */
static const char *tree(const char *const *path, size_t n) {
    static int k;
    static char name[20];
    snprintf(name, sizeof name, "tree%d", k++);
    CHECK(!mkdir(in(name), 0700));
    for (size_t i = 0; i < n; i++) {
        char whole[400];
        snprintf(whole, sizeof whole, "%s/%s", name, path[i]);
        if (whole[strlen(whole) - 1] == '/') CHECK(lib_make_folders(in(whole), &msg));
        else put(whole, "x");
    }
    return in(name);
}
#define TREE(...)                                                                                  \
    tree((const char *const[]){__VA_ARGS__},                                                       \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void trees(void) {
    static const char longest[] = NAME100 "/one.cu", longer[] = NAME100 "n/one.cu";
    takes((intake_options){.in = TREE("ann/one.cu", "ann/x.cu", "ann/read.me", "bob/ONE (1).cu",
                                      "cy/", "dan/x.cu", "top.cu", "read.me", "a\tb/one.cu",
                                      longest, longer)},
          "LEFT a\tb/one.cu: the name of the student has characters that are not accepted, or more "
          "than 100 bytes\n"
          "ann one ann/one.cu 0: \nx"
          "- ann/read.me: not a .cu file\n"
          "LEFT ann/x.cu: there is no lab of the name of x.cu\n"
          "bob one bob/ONE (1).cu 0: \nx"
          "LEFT dan/x.cu: there is no lab of the name of x.cu\n" NAME100 " one " NAME100
          "/one.cu 0: \nx"
          "LEFT " NAME100 "n/one.cu: the name of the student has characters that are not accepted, "
          "or more than 100 bytes\n"
          "- read.me: not a submission\n"
          "LEFT top.cu: it does not say whose work it is\n"
          "LEFT cy: nothing of cy was taken: no file is a lab's\n"
          "LEFT dan: nothing of dan was taken: no file is a lab's\n");
    /* All of it for one lab: who has a file of its name has no other;
     * the others' only file, the first of them, may have any name. */
    takes((intake_options){.in = TREE("ann/extra.cu", "ann/one.cu", "bob/foo.cu", "cy/many.cu",
                                      "dan/a.cu", "dan/b.cu"),
                           .lab = "one"},
          "LEFT ann/extra.cu: a second file beside the one of the lab's name\n"
          "ann one ann/one.cu 0: \nx"
          "bob one bob/foo.cu 0: \nx"
          "LEFT cy/many.cu: by its name it is for many, and --lab says one\n"
          "dan one dan/a.cu 0: \nx"
          "LEFT dan/b.cu: a second file beside the one of the lab's name\n"
          "LEFT cy: nothing of cy was taken: no file is a lab's\n");
    takes((intake_options){.in = TREE("yan/extra.cu", "yan/one.cu", "zed/extra.cu", "zed/one.cu"),
                           .lab = "one"},
          "LEFT yan/extra.cu: a second file beside the one of the lab's name\n"
          "yan one yan/one.cu 0: \nx"
          "LEFT zed/extra.cu: a second file beside the one of the lab's name\n"
          "zed one zed/one.cu 0: \nx");
    /* The course's own names, whole or without .cu, in any case. */
    static const intake_file names[] = {{"main", "one"}, {"Lab2.cu", "one"}, {"notes.cu", ""}};
    takes((intake_options){.in = TREE("a/main.cu", "b/MAIN.CU", "c/lab2.cu", "d/lab2", "e/main.c",
                                      "f/notes.cu", "g/mains.cu", "h/main"),
                           .file = names,
                           .files = 3},
          "a one a/main.cu 0: \nx"
          "b one b/MAIN.CU 0: \nx"
          "c one c/lab2.cu 0: \nx"
          "- d/lab2: not a .cu file\n"
          "- e/main.c: not a .cu file\n"
          "- f/notes.cu: the course says that notes.cu is no submission\n"
          "LEFT g/mains.cu: there is no lab of the name of mains.cu\n"
          "- h/main: not a .cu file\n"
          "LEFT d: nothing of d was taken: no file is a lab's\n"
          "LEFT e: nothing of e was taken: no file is a lab's\n"
          "LEFT f: nothing of f was taken: no file is a lab's\n"
          "LEFT g: nothing of g was taken: no file is a lab's\n"
          "LEFT h: nothing of h was taken: no file is a lab's\n");
    /* A layout that was asked for and is none, and none at all. */
    takes((intake_options){.in = TREE("ann/one.cu", "read.me"), .from = "moodle"},
          "LEFT ann/one.cu: it does not say whose work it is\n- read.me: not a submission\n");
    takes((intake_options){.in = TREE("one.cu", "read.me")},
          "LEFT one.cu: not a known layout\nLEFT read.me: not a known layout\n");
    takes((intake_options){.in = TREE("ann/")}, "");
    /* A folder around everything: Canvas's names are in it, and it is no student. */
    takes((intake_options){.in = TREE("export/ann_1_2_one.cu", "export/bob_3_4_one-1.cu")},
          "1 one export/ann_1_2_one.cu 2: \nx3 one export/bob_3_4_one-1.cu 4: \nx");
    takes((intake_options){.in = TREE("export/ann_1_2_one.cu", "exports/bob_3_4_one.cu")},
          "LEFT export/ann_1_2_one.cu: there is no lab of the name of ann_1_2_one.cu\n"
          "LEFT exports/bob_3_4_one.cu: there is no lab of the name of bob_3_4_one.cu\n"
          "LEFT export: nothing of export was taken: no file is a lab's\n"
          "LEFT exports: nothing of exports was taken: no file is a lab's\n");
    /* Bytes up to the limit, and one more: it is longer. */
    char forty[LIMIT + 2];
    memset(forty, 'x', LIMIT + 1);
    forty[LIMIT] = 0;
    put("limit/ann/one.cu", forty);
    forty[LIMIT] = 'x', forty[LIMIT + 1] = 0;
    put("limit/bob/one.cu", forty);
    put("limit/cy/one.cu", "");
    char want[300];
    snprintf(want, sizeof want,
             "ann one ann/one.cu 0: \n%.40sbob one bob/one.cu 0: \n%scy one cy/one.cu 0: \n", forty,
             forty);
    takes((intake_options){.in = in("limit")}, want);
    /* A worksheet's moments: of whom it has one and the files say none; of one that an earlier run
     * was given none. */
    put("times.csv",
        "identifier,Full name,Email address,Last modified (submission)\n"
        "Participant 1,Ann,ann,2026-10-01 23:59\n"
        "Participant 2,Bob,bob,2026-10-01 23:59\n"
        "Participant 3,Cy,cy,-\nParticipant 4,Dan,dan,-\nParticipant 5,Test Student,t,-\n");
    const char *dated = TREE("ann/one.cu", "bob/2026-10-02/one.cu", "cy/one.cu");
    takes((intake_options){.in = dated, .roster = in("times.csv")},
          "ann one ann/one.cu 0 @1790899140: \nx"
          "bob one bob/2026-10-02/one.cu 0 @1790985599: \nx"
          "cy one cy/one.cu 0: \nx");
    CHECK(told.roster && told.without == 1 &&
          !told.off_roster); /* Dan; the test student is nobody */
    takes((intake_options){.in = dated, .roster = in("times.csv"), .zone = 60, .roster_kept = true},
          "ann one ann/one.cu 0: \nx"
          "bob one bob/2026-10-02/one.cu 0 @1790981999: \nx" /* an hour to the east */
          "cy one cy/one.cu 0: \nx");
    /* What cannot be opened at all. */
    intake_sink sink = {on_submission, on_other, NULL};
    CHECK(!intake_read(&(intake_options){.in = in("nowhere")}, &sink, &told, &msg));
    CHECK_CONTAINS(said(&msg), "cannot open ");
    put("bad.csv", "nobody,here\n");
    CHECK(!intake_read(&(intake_options){.in = in("limit"), .roster = in("bad.csv")}, &sink, &told,
                       &msg));
    CHECK_CONTAINS(said(&msg), "has none of the columns that name a student");
}

/* ---- a sink that stops ---- */

static size_t stop_at, handed;
static bool on_stop(void *user, const intake_submission *s) {
    (void)user, (void)s;
    return ++handed != stop_at;
}
static void on_nothing(void *user, intake_kind kind, const char *path, lib_words why) {
    (void)user, (void)kind, (void)path, (void)why;
}
static void stops(void) {
    intake_sink sink = {on_stop, on_nothing, NULL};
    intake_options o = {
        .in = TREE("ann/one.cu", "bob/one.cu", "cy/many/a.cu", "cy/one.cu", "dan/many/a.cu"),
        .lab_known = known,
        .lab_folder = folder,
        .source_limit = LIMIT};
    /* Three files by themselves, then two folders: nothing is handed on behind the one that stopped
     * it. */
    for (stop_at = 1; stop_at <= 6; stop_at++) {
        handed = 0;
        CHECK(intake_read(&o, &sink, &told, &msg) == (stop_at > 5));
        CHECK_INT(handed, stop_at > 5 ? 5 : stop_at);
    }
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/warplab-taking-XXXXXX");
    if (!mkdtemp(root)) return 1;
    several_files();
    trees();
    stops();
    lib_remove_tree(root);
    return check_done();
}
