/* The course's rules over a batch: deadlines, late work, attempts, extensions, names that nobody
 * goes by; and who handed in alike. */
#include "runner/base/file.h"
#include "grader/course/similar.h"
#include "batch_fixture.h"
#include "tests/said.h"

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
    CHECK_STR(said(&msg), "");
    return worth_of(out, student);
}

static void wrong_rules(const char *rules, const char *part) {
    grade_batch b = batch(in("p"), in("out-wrong"));
    b.rules = rules;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), -1);
    CHECK_CONTAINS(said(&msg), part);
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
         *canvas = grade_export(out, GRADE_EXPORT_CANVAS, NULL, &msg),
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
        CHECK_CONTAINS(said(&msg), wrong[i].en);
        CHECK_CONTAINS(said_zh(&msg), wrong[i].zh);
    }
    msg = (lib_message){0};
    CHECK(course_labs_known("{\"labs\":{\"coalescing\":{}},\"files\":{\"x.cu\":false},"
                            "\"extensions\":{\"chen\":\"1 day\",\"bo\":{\"vector-add\":\"1 h\"}}}",
                            labs, 2, &msg));
    CHECK(course_labs_known("{\"nonsense\":1}", labs, 2, &msg)); /* another's to tell */
    CHECK_STR(said(&msg), "");

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
    CHECK_STR(text, "course.lua: extensions[\"lileii\"]: no student of this name is on the roster "
                    "or has handed in anything; did you mean lilei?\n");
    free(text);
    text = course_strangers(out, "{\"extensions\":{\"xyz\":\"1 h\"}}", LIB_ZH);
    CHECK_STR(text, "course.lua：extensions[\"xyz\"]：名册和已收的提交里都没有这个人\n");
    free(text);
    text = course_status(out, LIB_EN, &msg);
    CHECK_CONTAINS(text, "extensions[\"lileii\"]: no student of this name");
    free(text);
}

static void explained(const char *out, const char *student, lib_lang lang, const char *want) {
    char *why = course_explain(out, student, "add", lang, &msg);
    CHECK_CONTAINS(why, want);
    free(why);
}

/* What was given is in OUT afterwards, each in its file: a later run need not be given it again. */
static void options_are_kept(void) {
    static const char *const files[] = {"course.json", "pack-rules.json", "settings.json"};
    char out[400];
    put("kept/ann/add.cu", "4");
    snprintf(out, sizeof out, "%s", in("out-kept"));
    grade_batch b = batch(in("kept"), out);
    b.rules = "{\"attempts\":\"best\"}";
    b.pack_rules = "{\"attempts\":\"last\"}";
    b.settings = "{\"seed\":7}";
    const char *const given[] = {b.rules, b.pack_rules, b.settings};
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t n;
        char path[600];
        snprintf(path, sizeof path, "%s/%s", out, files[i]);
        char *text = lib_read_file(path, 1000, &n, NULL);
        CHECK_STR(text ? text : "no file", given[i]);
        free(text);
    }
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
        /* The picture keeps its size: a unit of it is a pixel, wide page or narrow one. Both names
         * are in it. */
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

/* Asked for by any name that a system has for them. */
static void asked_for(const char *out, const char *const *names, size_t n, const char *says) {
    for (size_t i = 0; i < n; i++) {
        char *why = course_explain(out, names[i], NULL, LIB_EN, &msg);
        printf("# %s\n", names[i]);
        CHECK_CONTAINS(why, says);
        free(why);
    }
}

static void names_of_systems(void) {
    static const char *const jane[] = {"jane@uni.example", "JANE", "4321", "jane doe"},
                             *const dan[] = {"dan@u.example", "1003", "Dan D", "dan"},
                             *const eve[] = {"1004", "eve@u.example", "Eve E", "eve"};
    put("mo/Jane Doe_4321_assignsubmission_file/add.cu", "10");
    put("mo/Jane Roe_4322_assignsubmission_file/add.cu", "4");
    put("mo.csv", "Identifier,\"Full name\",\"Email address\",Grade\n"
                  "Participant 4321,Jane Doe,jane@uni.example,\n"
                  "Participant 4322,Jane Roe,roe@uni.example,\n");
    char out[400];
    snprintf(out, sizeof out, "%s/out-mo", root);
    grade_batch b = batch(in("mo"), out);
    b.roster = in("mo.csv");
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    asked_for(out, jane, sizeof jane / sizeof *jane, "10 of 10");
    asked_for(out, (const char *const[]){"roe"}, 1, "4 of 10");
    /* Without a roster the folder's name and number. */
    snprintf(out, sizeof out, "%s/out-mo2", root);
    b.roster = NULL;
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    asked_for(out, (const char *const[]){"4321", "Jane Doe"}, 2, "10 of 10");

    /* A group: each of its members, of what was graded and of what is left over. */
    put("gs/submission_metadata.yml",
        "---\nsubmission_1:\n  :submitters:\n  - :name: Cy C\n    :sid: '1002'\n    :email: "
        "cy@u.example\n  - :name: Dan D\n    :sid: '1003'\n    :email: dan@u.example\n"
        "submission_2:\n  :submitters:\n  - :name: Flo F\n    :sid: '1005'\n    :email: "
        "flo@u.example\n  - :name: Eve E\n    :sid: '1004'\n    :email: eve@u.example\n");
    put("gs/submission_1/add.cu", "10");
    put("gs/submission_2/notes.txt", "none");
    put("gs.csv", "Name,SID,Email\nCy C,1002,cy@u.example\nDan D,1003,dan@u.example\nEve "
                  "E,1004,eve@u.example\nFlo F,1005,flo@u.example\n");
    snprintf(out, sizeof out, "%s/out-gs", root);
    b = batch(in("gs"), out);
    b.roster = in("gs.csv");
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_INT(sum.total, 2);
    CHECK_INT(sum.left, 2);
    asked_for(out, dan, sizeof dan / sizeof *dan, "10 of 10");
    asked_for(out, eve, sizeof eve / sizeof *eve, "nothing of 1004 was taken");
}

/* Who handed in what cannot be graded has handed something in; a header that a file includes is
 * told, others are not. */
static void what_lies_beside(void) {
    put("be.csv", "student,name\nann,Ann\nbob,Bob\ncy,Cy\ndan,Dan\neve,Eve\n");
    put("be/ann/add.cu",
        "10\n  # include \"src/util.h\"\n#include <other.h>\n// #include \"no.h\"\n");
    put("be/ann/util.h", "int x;");
    put("be/ann/other.h", "int x;");
    put("be/ann/no.h", "int x;");
    put("be/bob/lab1.ipynb", "{}");
    put("be/cy/lab1.pdf", "%PDF-1.4");
    put("be/dan/add.cu", "8\n#include \"util.h\"\n"); /* another's header is not his */
    char out[400];
    snprintf(out, sizeof out, "%s/out-be", root);
    grade_batch b = batch(in("be"), out);
    b.roster = in("be.csv");
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_INT(sum.without, 1); /* eve */
    CHECK_INT(sum.left, 3);
    check_left(out, "ann/util.h: a header of their own: the lab takes one file");
    check_left(out, "bob/lab1.ipynb: nothing of bob was taken: this is a Jupyter notebook");
    check_left(out, "cy: nothing of cy was taken");
    asked_for(out, (const char *const[]){"ann"}, 1, "10 of 10");
    asked_for(out, (const char *const[]){"ann"}, 1, "left over:\n  ann/util.h: a header");
    /* What the course says is nobody's work is not told. */
    b.rules = "{\"files\":{\"util.h\":false}}";
    CHECK_INT(grade_batch_run(&b, &sum, &msg), 0);
    CHECK_INT(sum.left, 2);
}

int main(void) {
    if (!batch_begin()) return 1;
    rules();
    options_are_kept();
    attempts();
    names_of_systems();
    what_lies_beside();
    strangers();
    alike();
    return batch_done();
}
